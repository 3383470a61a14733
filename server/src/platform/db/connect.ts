/**
 * Connects to PostgreSQL. Ids are far below 2^53, so int8 is read as a number; a multirange is left as PostgreSQL's text.
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

export type PoolName = keyof PoolSizes;

/** Maximum number of connections for each kind of work. */
export interface PoolSizes {
  usual: number;
  /** For fetching pages of messages. */
  pages: number;
  /** For registrations, which read a lot and may wait for each other. With 0 they use the usual pool. */
  registrations: number;
}

export interface DatabaseOptions {
  url: string;
  /** A single number: the usual pool has this size, the pool for pages half of it. */
  connections: number | PoolSizes;
  /** Statements that run longer, or wait longer for a lock, are canceled. No limit if omitted. */
  statementTimeoutSeconds?: number;
  lockTimeoutSeconds?: number;
  /** Writes far more than fits into memory. */
  writesInBulk?: boolean;
  /** Shown in pg_stat_activity. */
  name: string;
  /** Called for every statement sent: a statement is a round trip. */
  onStatement?: (text: string) => void;
  /** Called when work has waited for a connection; work that finds an idle one does not wait. */
  onWait?: (pool: PoolName, seconds: number) => void;
  /** Called when a connection ends that we did not close. The server may have been restarted, or replaced by another. */
  onLostConnection?: (error: Error) => void;
}

interface Pools {
  usual: pg.Pool;
  /** Connections with fixed planner settings, see `pageSettings`. */
  forPages: pg.Pool;
  registrations: Db | undefined;
  forRegistrations: pg.Pool;
  byName: [PoolName, pg.Pool][];
}

/**
 * A page of messages is found by walking indexes in the order the statement is written. Planning it takes PostgreSQL ten
 * times as long as running it, and a plan made while tables were nearly empty would be bad later. So these settings fix
 * the plan: joins in the written order, each through an index, planned once for all values.
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
  const sizes =
    typeof options.connections === "number"
      ? { usual: options.connections, pages: Math.ceil(options.connections / 2), registrations: 0 }
      : options.connections;
  const settings = settingsOf(options);
  const usual = makePool(options, "usual", sizes.usual, settings);
  const forPages = makePool(options, "pages", sizes.pages, [...settings, ...pageSettings]);
  const forRegistrations =
    sizes.registrations > 0
      ? makePool(options, "registrations", sizes.registrations, [...settings, "plan_cache_mode=force_generic_plan"], {
          pipeline: true,
        })
      : undefined;
  if (forRegistrations) keepPlans(forRegistrations);
  const endUsual = usual.end.bind(usual);
  // Kysely ends only the pool it was given; the others must end with it.
  usual.end = async () => void (await Promise.all([endUsual(), forPages.end(), forRegistrations?.end()]));
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: usual }) });
  const registrations =
    forRegistrations && new Kysely<Schema>({ dialect: new PostgresDialect({ pool: forRegistrations }) });
  const byName: Pools["byName"] = [
    ["usual", usual],
    ["pages", forPages],
    ...(forRegistrations ? [["registrations", forRegistrations] satisfies [PoolName, pg.Pool]] : []),
  ];
  pools.set(db, { usual, forPages, registrations, forRegistrations: forRegistrations ?? usual, byName });
  return db;
}

function settingsOf({
  statementTimeoutSeconds = 0,
  lockTimeoutSeconds = 0,
  writesInBulk = false,
}: DatabaseOptions): string[] {
  return [
    // Our statements are short; JIT compilation would take longer than running them.
    "jit=off",
    ...(statementTimeoutSeconds > 0
      ? [
          `statement_timeout=${statementTimeoutSeconds}s`,
          // A process that hangs inside a transaction must not keep its locks.
          `idle_in_transaction_session_timeout=${2 * statementTimeoutSeconds}s`,
        ]
      : []),
    // To the disk bit by bit: otherwise the kernel writes it all at once, and everybody's commits wait for that.
    ...(writesInBulk ? ["backend_flush_after=512kB"] : []),
    ...(lockTimeoutSeconds > 0 ? [`lock_timeout=${lockTimeoutSeconds}s`] : []),
  ];
}

/** A separate pool, so that many registrations at once do not take connections from sends. */
export const registrationDb = (db: Db): Db => pools.get(db)?.registrations ?? db;

/** Its connections are pipelined: statements are sent before earlier ones have a result. */
export const registrationPool = (db: Db): pg.Pool => poolsOf(db).forRegistrations;

export interface PoolState {
  pool: PoolName;
  busy: number;
  idle: number;
  /** Work that waits for a connection. */
  waiting: number;
  limit: number;
}

export const poolStates = (db: Db): PoolState[] =>
  poolsOf(db).byName.map(([pool, { totalCount, idleCount, waitingCount, options }]) => ({
    pool,
    busy: totalCount - idleCount,
    idle: idleCount,
    waiting: waitingCount,
    limit: options.max,
  }));

function makePool(
  options: DatabaseOptions,
  name: PoolName,
  max: number,
  settings: string[],
  more: pg.PoolConfig = {},
): pg.Pool {
  const pool = new pg.Pool({
    connectionString: options.url,
    max,
    application_name: options.name,
    options: settings.map((setting) => `-c ${setting}`).join(" "),
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    ...more,
  });
  // The pool reports only idle clients; whoever uses another sees the lost connection at the next statement.
  pool.on("connect", (client) => client.on("error", (error) => options.onLostConnection?.(error)));
  pool.on("error", () => undefined);
  const { onStatement, onWait } = options;
  if (onWait) measureWaits(pool, (seconds) => onWait(name, seconds));
  if (onStatement) pool.on("connect", (client) => countStatements(client, onStatement));
  return pool;
}

function measureWaits(pool: pg.Pool, observe: (seconds: number) => void): void {
  type Callback = (...results: unknown[]) => void;
  const acquire = pool.connect.bind(pool) as (callback?: Callback) => Promise<pg.PoolClient> | void;
  const measured = (callback?: Callback) => {
    if (pool.idleCount > pool.waitingCount) return acquire(callback);
    const begun = performance.now();
    const end = () => observe((performance.now() - begun) / 1000);
    if (!callback) return acquire()?.finally(end);
    return acquire((...results) => {
      end();
      callback(...results);
    });
  };
  pool.connect = measured as typeof pool.connect; // the same call with a timer; only the overloads are lost
}

function countStatements(client: pg.PoolClient, onStatement: (text: string) => void) {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
  const counted = (...args: unknown[]) => {
    const [first] = args;
    onStatement(typeof first === "string" ? first : ((first as { text?: string }).text ?? ""));
    return query(...args);
  };
  client.query = counted as typeof client.query; // the same call with a counter; only the overloads are lost
}

/** How many statements a connection keeps, and how often one must have been executed before. */
const maxKept = 200;
const timesUntilKept = 5;

/**
 * Registrations execute the same few dozen statements one after another, and planning them takes PostgreSQL several times as long as
 * executing them. So a connection of this pool keeps the plans of those that occur again and again. Others contain numbers in their text.
 */
function keepPlans(pool: pg.Pool): void {
  const uses = new Map<string, number>();
  const kept = new Set<string>();
  const nameFor = (text: string): string | undefined => {
    if (kept.has(text)) return nameOf(text);
    if (kept.size >= maxKept) return undefined;
    const count = (uses.get(text) ?? 0) + 1;
    uses.delete(text);
    if (count < timesUntilKept) {
      if (uses.size >= maxKept) uses.delete(uses.keys().next().value ?? "");
      uses.set(text, count);
      return undefined;
    }
    kept.add(text);
    return nameOf(text);
  };
  pool.on("connect", (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    const named = (...args: unknown[]) => {
      const [text, values, ...rest] = args;
      const name = typeof text === "string" && Array.isArray(values) ? nameFor(text) : undefined;
      return name === undefined ? query(...args) : query({ name, text, values }, ...rest);
    };
    client.query = named as typeof client.query; // the same call; only the overloads are lost
  });
}

/**
 * Runs a statement of a hot path in one round trip, parsed and planned once per connection under its name. The text must
 * be the same for all calls with that name.
 */
export async function prepared<Row>(
  db: Db,
  statement: { name: string; text: string },
  values: unknown[],
): Promise<Row[]> {
  const result = await poolsOf(db).usual.query({ name: statement.name, text: statement.text, values });
  return result.rows as Row[]; // the caller states the shape of its own statement
}

/** The same, but planned for these values: for calls so large that a plan made for a few rows would be slow. */
export async function queryWithFreshPlan<Row>(db: Db, statement: { text: string }, values: unknown[]): Promise<Row[]> {
  const result = await poolsOf(db).usual.query(statement.text, values);
  return result.rows as Row[]; // the caller states the shape of its own statement
}

/**
 * Fetches a page of messages by walking indexes in the order of the text. With `isUsual` each connection keeps the plan,
 * so there must be few such texts.
 */
export async function queryPage<Row>(db: Db, text: string, values: unknown[], isUsual: boolean): Promise<Row[]> {
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
