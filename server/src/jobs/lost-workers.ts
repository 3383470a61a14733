/**
 * A worker that was killed leaves jobs it will never finish. Every worker sends a heartbeat every few seconds; the jobs of
 * a worker without heartbeats are released to the others.
 */
import { sql } from "kysely";
import type { Db } from "../platform/db/connect.ts";

export const heartbeatSeconds = 5;
const lostAfterSeconds = 4 * heartbeatSeconds;

export async function sendHeartbeat(db: Db, workerIds: string[]): Promise<void> {
  await sql`
    insert into job_workers (id, reads_sealed_addresses) select unnest(${workerIds}::text[]), true
    on conflict (id) do update set seen_at = now()`.execute(db);
}

/** SQL: whether there is a live worker of an older release that cannot read sealed addresses and needs them in plain text. */
export const hasWorkerWithoutSeals = sql<boolean>`exists (
  select from job_workers
  where not reads_sealed_addresses and seen_at > now() - make_interval(secs => ${sql.lit(lostAfterSeconds)}))`;

export async function forgetWorkers(db: Db, workerIds: string[]): Promise<void> {
  await db.deleteFrom("job_workers").where("id", "in", workerIds).execute();
}

/** Releases the jobs of lost workers and returns the number of those workers. */
export async function releaseLostJobs(db: Db): Promise<number> {
  await sql`delete from job_workers where seen_at < now() - interval '1 day'`.execute(db);
  const { rows } = await sql<{ lost: number }>`
    with lost as (
      select array_agg(distinct locked_by) as ids from graphile_worker.jobs j
      where locked_at < now() - make_interval(secs => ${lostAfterSeconds}) and not exists (
        select from job_workers w
        where w.id = j.locked_by and w.seen_at > now() - make_interval(secs => ${lostAfterSeconds}))
    )
    select coalesce(cardinality(ids), 0) as lost,
      case when ids is not null then graphile_worker.force_unlock_workers(ids) end
    from lost`.execute(db);
  return rows[0]?.lost ?? 0;
}
