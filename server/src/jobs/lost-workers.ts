/**
 * A worker that was killed has jobs it will never finish. Every living one says so every few seconds; what is held by
 * one that has fallen silent is given back to the others.
 */
import { sql } from "kysely";
import type { Db } from "../platform/db/connect.ts";

export const signOfLifeSeconds = 5;
const silentSeconds = 4 * signOfLifeSeconds;

export async function giveSignOfLife(db: Db, workerIds: string[]): Promise<void> {
  await sql`
    insert into job_workers (id) select unnest(${workerIds}::text[])
    on conflict (id) do update set seen_at = now()`.execute(db);
}

export async function forgetWorkers(db: Db, workerIds: string[]): Promise<void> {
  await db.deleteFrom("job_workers").where("id", "in", workerIds).execute();
}

/** How many workers had fallen silent with something in their hands. */
export async function takeFromLostWorkers(db: Db): Promise<number> {
  await sql`delete from job_workers where seen_at < now() - interval '1 day'`.execute(db);
  const { rows } = await sql<{ lost: number }>`
    with lost as (
      select array_agg(distinct locked_by) as ids from graphile_worker.jobs j
      where locked_at < now() - make_interval(secs => ${silentSeconds}) and not exists (
        select from job_workers w
        where w.id = j.locked_by and w.seen_at > now() - make_interval(secs => ${silentSeconds}))
    )
    select coalesce(cardinality(ids), 0) as lost,
      case when ids is not null then graphile_worker.force_unlock_workers(ids) end
    from lost`.execute(db);
  return rows[0]?.lost ?? 0;
}
