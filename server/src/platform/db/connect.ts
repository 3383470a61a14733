/**
 * The way to PostgreSQL. Ids fit JavaScript's numbers (they are far below 2^53), so int8 is read as a number; a
 * multirange stays the text PostgreSQL writes.
 */
import { hash } from "node:crypto";
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import type { Schema } from "./schema.ts";

export type Db = Kysely<Schema>;

pg.types.setTypeParser(pg.types.builtins.INT8, Number);
const int8Array = 1016;
const parseInt8Array = pg.types.getTypeParser(1007 as never) as (text: string) => number[]; // int4[] has the same text
pg.types.setTypeParser(int8Array as never, parseInt8Array as never);

export interface DatabaseOptions {
  url: string;
  connections: number;
  /** Shown in pg_stat_activity. */
  name: string;
  /** Called for every statement sent: a statement is a round trip. */
  onStatement?: (text: string) => void;
  onIdleError?: (error: Error) => void;
}

interface Pools {
  usual: pg.Pool;
  /** Its connections run statements as they are written: see `pageSettings`. */
  forPages: pg.Pool;
}

/**
 * A page of messages is found by stepping from index to index, in the order its statement is written in. To find that
 * out anew takes PostgreSQL ten times as long as running it, and a guess made while tables were nearly empty would be
 * a bad one later. So it is told: joins in the order they are written, each by an index, planned once for all values.
 */
const pageSettings = [
  "plan_cache_mode=force_generic_plan",
  "join_collapse_limit=1",
  "enable_hashjoin=off",
  "enable_mergejoin=off",
  "enable_seqscan=off",
  "enable_material=off",
];

const pools = new WeakMap<object, Pools>();

export function connect(options: DatabaseOptions): Db {
  // Our statements are short; compiling one takes longer than running it ever does.
  const usual = makePool(options, options.connections, ["jit=off"]);
  const forPages = makePool(options, Math.ceil(options.connections / 2), ["jit=off", ...pageSettings]);
  const endUsual = usual.end.bind(usual);
  // Kysely ends the pool it was given, and the other must not outlive it.
  usual.end = async () => void (await Promise.all([endUsual(), forPages.end()]));
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: usual }) });
  pools.set(db, { usual, forPages });
  return db;
}

function makePool(options: DatabaseOptions, max: number, settings: string[]): pg.Pool {
  const pool = new pg.Pool({
    connectionString: options.url,
    max,
    application_name: options.name,
    options: settings.map((setting) => `-c ${setting}`).join(" "),
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
  });
  pool.on("error", (error) => options.onIdleError?.(error));
  // While a client is lent out the pool does not listen; who uses it learns of a break by the next statement.
  pool.on("connect", (client) => client.on("error", () => undefined));
  const { onStatement } = options;
  if (onStatement) pool.on("connect", (client) => countStatements(client, onStatement));
  return pool;
}

function countStatements(client: pg.PoolClient, onStatement: (text: string) => void) {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
  const counted = (...args: unknown[]) => {
    const [first] = args;
    onStatement(typeof first === "string" ? first : ((first as { text?: string }).text ?? ""));
    return query(...args);
  };
  client.query = counted as typeof client.query; // same call, counted; the overloads are the driver's own
}

/**
 * A statement on a hot path: one round trip, parsed and planned once per connection under its name. The text must be
 * the same for all calls with that name.
 */
export async function prepared<Row>(
  db: Db,
  statement: { name: string; text: string },
  values: unknown[],
): Promise<Row[]> {
  const result = await poolsOf(db).usual.query({ name: statement.name, text: statement.text, values });
  return result.rows as Row[]; // the caller states the shape of its own statement
}

/** The same, planned for these very values: for a call so large that a plan made for a few rows would not do. */
export async function plannedAnew<Row>(db: Db, statement: { text: string }, values: unknown[]): Promise<Row[]> {
  const result = await poolsOf(db).usual.query(statement.text, values);
  return result.rows as Row[]; // the caller states the shape of its own statement
}

/**
 * A page of messages, found along indexes in the order the text is written in. With `isUsual` its plan is kept: there must
 * be few such texts, since each stays with each connection.
 */
export async function pageOf<Row>(db: Db, text: string, values: unknown[], isUsual: boolean): Promise<Row[]> {
  const result = await poolsOf(db).forPages.query({ ...(isUsual && { name: nameOf(text) }), text, values });
  return result.rows as Row[]; // the caller states the shape of its own statement
}

const names = new Map<string, string>();

function nameOf(text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  const name = hash("sha1", text, "base64");
  names.set(text, name);
  return name;
}

function poolsOf(db: Db): Pools {
  const known = pools.get(db);
  if (!known) throw new Error("prepared statements need the database itself, not a transaction");
  return known;
}
