/**
 * How many PostgreSQL connections a process may open, depending on its roles, and whether the server allows that many.
 * The README has the formula.
 */
import { sql } from "kysely";
import type { Config } from "./config.ts";
import type { Db, PoolSizes } from "./platform/db/connect.ts";
import { processName } from "./platform/db/processes.ts";
import type { Logger } from "./platform/log.ts";
import { release } from "./platform/release.ts";

type ConnectionSettings = Pick<Config, "roles" | "databaseConnections" | "jobConcurrency">;

export interface ConnectionPlan {
  /** For requests, and for everything else in a process that has no pool for jobs. */
  usual: PoolSizes;
  /** For jobs and chores in a worker process; the job queue's own connections are not included. */
  jobs: PoolSizes;
  /** Maximum for the whole process. */
  total: number;
}

/** Chores run in parallel with jobs. */
const forChores = 4;
/** The job queue's own connections: one per job, one to listen, one spare. */
const forJobQueue = ({ jobConcurrency }: ConnectionSettings): number => jobConcurrency + 2;
/** One for the replication slot; one to set it up, and from then on to see which transactions are visible. */
const forRelay = 2;
const withoutRequests = 4;

export function planConnections(config: ConnectionSettings): ConnectionPlan {
  const [isApi, isRelay, isWorker] = (["api", "relay", "worker"] as const).map((role) => config.roles.includes(role));
  const { databaseConnections: requests } = config;
  const usual = isApi
    ? { usual: requests, pages: Math.ceil(requests / 2), registrations: Math.ceil(requests / 2) }
    : { usual: Math.min(requests, withoutRequests), pages: 1, registrations: 0 };
  const jobs = { usual: config.jobConcurrency + forChores, pages: 2, registrations: 0 };
  const total = sum(usual) + (isWorker ? sum(jobs) + forJobQueue(config) : 0) + (isRelay ? forRelay : 0);
  return { usual, jobs, total };
}

const sum = ({ usual, pages, registrations }: PoolSizes): number => usual + pages + registrations;

/**
 * Shows in pg_stat_activity the process's release, for migrations that need older ones gone, and how many connections it
 * may open, so that other processes can check at start.
 */
export const applicationName = (nodeName: string, { total }: ConnectionPlan): string =>
  processName(release, nodeName).slice(0, 63 - declared(total).length) + declared(total);

const declared = (total: number): string => ` (up to ${total})`;

/** How many connections PostgreSQL allows, and how many all connected processes but one may open together. */
export async function readConnections(db: Db, exceptName: string): Promise<{ available: number; others: number }> {
  const { rows } = await sql<{ available: number; others: number }>`
    select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - coalesce(current_setting('reserved_connections', true)::int, 0) as available,
      (select coalesce(sum(most), 0)::int from (
        select greatest(max(substring(application_name from 'up to ([0-9]+)')::int), count(*)) as most
        from pg_stat_activity where backend_type = 'client backend' and application_name <> ${exceptName}
        group by application_name) as other) as others`.execute(db);
  return rows[0] ?? { available: 0, others: 0 };
}

/**
 * Throws when PostgreSQL allows fewer connections than this process may open, and warns when it allows fewer than all
 * connected processes may open together.
 */
export async function checkConnections(db: Db, logger: Logger, name: string, { total }: ConnectionPlan): Promise<void> {
  const { available, others } = await readConnections(db, name);
  const whatToDo = "raise max_connections in PostgreSQL or lower SKEIN_DATABASE_CONNECTIONS";
  if (total > available)
    throw new Error(
      `This process may open ${total} connections to PostgreSQL, which allows ${available}: ${whatToDo}.`,
    );
  if (total + others > available)
    logger.warn(
      { this_process: total, other_processes: others, available },
      `all processes together may open more connections than PostgreSQL allows: ${whatToDo}`,
    );
}
