/** What an operator sees of the jobs of a server, and can do about those that failed. */
import { sql, type RawBuilder } from "kysely";
import type { Db } from "../platform/db/connect.ts";
import type { Tx } from "../platform/db/transaction.ts";

/**
 * `scheduled`: not due yet. `retrying`: it failed, and waits for its next attempt. `failed`: it was given up after its last
 * attempt.
 */
export const jobStates = ["waiting", "scheduled", "running", "retrying", "failed"] as const;
export type JobState = (typeof jobStates)[number];

const stateOf = sql`case
  when j.locked_at is not null then 'running'
  when j.attempts >= j.max_attempts then 'failed'
  when j.attempts > 0 then 'retrying'
  when j.run_at > now() then 'scheduled'
  else 'waiting' end`;

export interface JobKind {
  kind: string;
  waiting: number;
  scheduled: number;
  running: number;
  retrying: number;
  failed: number;
  /** For how long the oldest job that is due has waited, in seconds; null if none is due. */
  oldest_due_seconds: number | null;
}

export async function countJobs(db: Db): Promise<JobKind[]> {
  const counts = jobStates.map((state) => sql`count(*) filter (where state = ${state}) as ${sql.ref(state)}`);
  const { rows } = await sql<JobKind>`
    select kind, ${sql.join(counts)},
      floor(extract(epoch from max(now() - run_at) filter (where run_at <= now() and state in ('waiting', 'retrying'))))::float8
        as oldest_due_seconds
    from (select j.task_identifier as kind, j.run_at, ${stateOf} as state from graphile_worker.jobs j) as job
    group by kind order by kind`.execute(db);
  return rows;
}

export interface ListedJob {
  id: number;
  kind: string;
  state: JobState;
  attempts: number;
  max_attempts: number;
  run_at: Date;
  created_at: Date;
  last_error: string | null;
}

export interface JobFilter {
  kind?: string;
  state?: JobState;
}

function matches({ kind, state }: JobFilter): RawBuilder<unknown> {
  const conditions = [
    sql`true`,
    ...(kind === undefined ? [] : [sql`j.task_identifier = ${kind}`]),
    ...(state === undefined ? [] : [sql`${stateOf} = ${state}`]),
  ];
  return sql.join(conditions, sql` and `);
}

/** The oldest first. */
export async function listJobs(db: Db, filter: JobFilter, limit: number): Promise<ListedJob[]> {
  const { rows } = await sql<ListedJob>`
    select j.id, j.task_identifier as kind, ${stateOf} as state, j.attempts, j.max_attempts, j.run_at, j.created_at,
      j.last_error
    from graphile_worker.jobs j where ${matches(filter)} order by j.id limit ${limit}`.execute(db);
  return rows;
}

/** Makes jobs due now, with all their attempts. Running jobs are left alone. Returns the ids of the others. */
export async function retryJobs(tx: Tx, chosen: JobFilter | { ids: readonly number[] }): Promise<number[]> {
  const isChosen = "ids" in chosen ? sql`j.id = any(${chosen.ids}::bigint[])` : matches(chosen);
  const { rows } = await sql<{ id: number }>`
    select (retried).id from (
      select graphile_worker.reschedule_jobs(
        array(select j.id from graphile_worker.jobs j where ${isChosen} and j.locked_at is null),
        run_at => now(), attempts => 0) as retried) as all_retried`.execute(tx);
  return rows.map(({ id }) => id).toSorted((a, b) => a - b);
}
