/**
 * The environment of a measurement: its own engines with everything durable, an empty migrated database, and as many
 * server processes as it needs. Everything is removed afterwards.
 */
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { connect, type Db } from "../server/src/platform/db/connect.ts";
import { migrate } from "../server/src/platform/db/migrate.ts";
import { startEngines, stopEngines, type Engines } from "../server/src/platform/engines/engines.ts";
import {
  startBareSender,
  startBareServer,
  startServer,
  type ServerOptions,
  type ServerProcess,
} from "./server-process.ts";

export interface Stage {
  isQuick: boolean;
  dir: string;
  natsUrl: string;
  databaseUrl: string;
  db: Db;
  pool: pg.Pool;
  say: (line: string) => void;
  serve: (roles: string, options?: Partial<ServerOptions>) => Promise<ServerProcess>;
  serveBare: (options?: Partial<ServerOptions>) => Promise<ServerProcess>;
  /** A bare server that only stores messages in these engines. */
  serveBareSender: (engines: Engines) => Promise<ServerProcess>;
  /** A second pair of engines with the same tables, for the baseline: none of our server processes uses it. */
  startBaseline: () => Promise<Engines>;
}

export interface StageOptions {
  isQuick: boolean;
  say: (line: string) => void;
  /** Aborts the measurement. */
  signal: AbortSignal;
}

export async function withStage<T>(options: StageOptions, work: (stage: Stage) => Promise<T>): Promise<T> {
  const dir = await mkdtemp(join(tmpdir(), "skein-bench-"));
  await chmod(dir, 0o711); // PostgreSQL may run as another user, which needs to traverse this folder
  const undo: (() => Promise<unknown>)[] = [() => rm(dir, { recursive: true, force: true })];
  const aborted = new Promise<never>((_resolve, reject) => {
    options.signal.addEventListener("abort", () => reject(new Error("aborted")), { once: true });
  });
  try {
    return await Promise.race([play(dir, options, undo, work), aborted]);
  } finally {
    for (const step of undo.toReversed()) await step();
  }
}

async function play<T>(
  dir: string,
  { isQuick, say }: StageOptions,
  undo: (() => Promise<unknown>)[],
  work: (stage: Stage) => Promise<T>,
): Promise<T> {
  undo.push(() => stopEngines(dir));
  const { postgresUrl: databaseUrl, natsUrl } = await startEngines(dir);
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 4 });
  pool.on("error", () => undefined); // after an abort the engines stop before it does
  const db = connect({ url: databaseUrl, connections: 2, name: "bench" });
  undo.push(() => Promise.all([pool.end(), db.destroy()]));
  await migrate(databaseUrl);

  const started: ServerProcess[] = [];
  undo.push(() => Promise.all(started.map((server) => server.stop())));
  const keep = async (starting: Promise<ServerProcess>) => {
    const server = await starting;
    started.push(server);
    return server;
  };
  const env = {
    SKEIN_DATABASE_URL: databaseUrl,
    SKEIN_NATS_URL: natsUrl,
    SKEIN_FILES_DIR: join(dir, "files"),
    SKEIN_PORT: "0",
    SKEIN_RATE_LIMITS: "false",
    SKEIN_LOG_LEVEL: "warn",
  };
  return work({
    isQuick,
    dir,
    natsUrl,
    databaseUrl,
    db,
    pool,
    say,
    serve: (roles, options = {}) =>
      keep(
        startServer(roles, {
          ...options,
          env: { ...env, SKEIN_NODE_NAME: `${roles}-${started.length + 1}`, ...options.env },
        }),
      ),
    serveBare: (options) => keep(startBareServer(options)),
    serveBareSender: ({ postgresUrl }) => keep(startBareSender({ env: { SKEIN_DATABASE_URL: postgresUrl } })),
    startBaseline: async () => {
      const folder = join(dir, "baseline");
      undo.push(() => stopEngines(folder));
      const engines = await startEngines(folder);
      await migrate(engines.postgresUrl);
      return engines;
    },
  });
}
