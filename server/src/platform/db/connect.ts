/**
 * The way to PostgreSQL. Ids fit JavaScript's numbers (they are far below 2^53), so int8 is read as a number; a
 * multirange stays the text PostgreSQL writes.
 */
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

const pools = new WeakMap<object, pg.Pool>();

export function connect(options: DatabaseOptions): Db {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.connections,
    application_name: options.name,
    // Our statements are short; compiling one takes longer than running it ever does.
    options: "-c jit=off",
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
  });
  pool.on("error", (error) => options.onIdleError?.(error));
  // While a client is lent out the pool does not listen; who uses it learns of a break by the next statement.
  pool.on("connect", (client) => client.on("error", () => undefined));
  const { onStatement } = options;
  if (onStatement) pool.on("connect", (client) => countStatements(client, onStatement));
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  pools.set(db, pool);
  return db;
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
  const pool = pools.get(db);
  if (!pool) throw new Error("prepared statements need the database itself, not a transaction");
  const result = await pool.query({ name: statement.name, text: statement.text, values });
  return result.rows as Row[]; // the caller states the shape of its own statement
}
