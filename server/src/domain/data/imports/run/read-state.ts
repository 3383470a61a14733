/**
 * Who has not read what, and who follows which thread. Everybody has read everything that the import wrote, so only what is
 * unread is taken back. What is later than a time is one range, except for lines of the Notification Bot and for threads
 * that the person follows, which have times of their own.
 */
import { sql } from "kysely";
import { visibilityPolicies } from "@skein/api/user-topics.ts";
import { bigintArray } from "../../../../platform/db/binary-array.ts";
import type { Tx } from "../../../../platform/db/transaction.ts";
import type { Import } from "./import-context.ts";
import { isBelowOthers, lineKinds } from "./order.ts";

const batchSize = 50;
/** Later than any message. */
const never = Number.MAX_SAFE_INTEGER;

export async function storeReadState(run: Import, checkpoint: number): Promise<void> {
  // Messages that came after all others would be new to everybody, and notify them.
  if (!(await isBelowOthers(run))) return;
  const { rows: readers } = await sql<{ user_id: number }>`
    select distinct user_id from (
      select k.id as user_id from import_read_states r
        join import_map k on k.realm_id = ${run.realmId} and k.source = ${run.source.name} and k.kind = 'person'
          and k.source_id = r.person_id
      where r.realm_id = ${run.realmId}
      union all
      select user_id from import_unread where realm_id = ${run.realmId}
      union all
      select k.id from import_followers f
        join import_map k on k.realm_id = ${run.realmId} and k.source = ${run.source.name} and k.kind = 'person'
          and k.source_id = f.person_id
      where f.realm_id = ${run.realmId}) as reader
    where user_id > ${checkpoint} order by user_id`.execute(run.db);
  for (let start = 0; start < readers.length; start += batchSize) {
    const ids = readers.slice(start, start + batchSize).map((row) => row.user_id);
    await run.batch("import read state", ids.at(-1) ?? 0, async (tx) => {
      await prepareTimes(tx, run, ids);
      await takeBack(tx, run, "subscriptions", "channel_id", ids);
      await takeBack(tx, run, "participations", "conversation_id", ids);
      await follow(tx, run, ids);
    });
    run.onProgress({ phase: "read state", done: start + ids.length, total: readers.length });
  }
}

/** The states of these people, by our ids. Without a time everything is read. */
async function prepareTimes(tx: Tx, { realmId, source }: Import, userIds: number[]): Promise<void> {
  await sql`drop table if exists import_times`.execute(tx);
  await sql`
    create temporary table import_times on commit drop as
    select k.id as user_id, p.conversation_id, p.source_id as place_id, p.is_direct, t.n as thread_n, max(case when r.read_until > 0 then r.read_until else ${never} end) as read_until
    from import_read_states r
      join import_map k on k.realm_id = ${realmId} and k.source = ${source.name} and k.kind = 'person'
        and k.source_id = r.person_id
      left join import_threads t on t.realm_id = ${realmId} and t.source_id = r.thread_id
      join import_places p on p.realm_id = ${realmId} and p.is_direct = r.is_direct
        and p.source_id = coalesce(t.channel_id, r.place_id)
    where r.realm_id = ${realmId} and k.id = any(${bigintArray(userIds)}::bigint[])
      and (r.thread_id is null or t.n is not null) and p.conversation_id is not null
    group by 1, 2, 3, 4, 5`.execute(tx);
  await sql`analyze import_times`.execute(tx);
}

async function takeBack(
  tx: Tx,
  { realmId, ids }: Import,
  table: "subscriptions" | "participations",
  column: string,
  userIds: number[],
): Promise<void> {
  const isDirect = sql.lit(table === "participations");
  const message = sql.lit(lineKinds.message);
  await sql`
    with unread as materialized (
      select s.user_id, s.conversation_id, int8multirange(int8range(later.id, ${ids.end})) - coalesce(notices.ids, '{}') as ids
      from import_times s
        -- Ids are in the order of times, so this is where it begins.
        cross join lateral (
          select o.id from import_messages m
            join import_order o on o.realm_id = ${realmId} and o.message_n = m.n and o.kind = ${message}
          where m.realm_id = ${realmId} and m.place_id = s.place_id and m.is_direct = s.is_direct and m.at > s.read_until
          order by m.at, m.n limit 1) as later
        cross join lateral (
          select range_agg(int8range(o.id, o.id + 1)) as ids from import_order o
            join import_threads t on t.realm_id = ${realmId} and t.n = o.thread_n
          where o.realm_id = ${realmId} and o.id >= later.id and o.kind <> ${message} and t.channel_id = s.place_id
            and not s.is_direct) as notices
      where s.thread_n is null and s.is_direct = ${isDirect}
    ),
    -- In threads that the person follows, the thread's own time counts.
    threads as materialized (
      select s.user_id, s.conversation_id,
        range_agg(int8range(o.id, o.id + 1)) as ids,
        coalesce(range_agg(int8range(o.id, o.id + 1)) filter (where m.at > s.read_until), '{}') as unread
      from import_times s
        join import_order o on o.realm_id = ${realmId} and o.thread_n = s.thread_n and o.kind = ${message}
        join import_messages m on m.realm_id = ${realmId} and m.n = o.message_n
      where s.thread_n is not null and s.is_direct = ${isDirect}
      group by 1, 2
    ),
    single as materialized (
      select user_id, conversation_id, range_agg(int8range(message_id, message_id + 1)) as ids
      from import_unread where realm_id = ${realmId} and user_id = any(${bigintArray(userIds)}::bigint[]) group by 1, 2
    ),
    total as (
      select user_id, conversation_id,
        coalesce(u.ids, '{}') - coalesce(t.ids, '{}') + coalesce(t.unread, '{}') + coalesce(i.ids, '{}') as ids
      from unread u full join threads t using (user_id, conversation_id) full join single i using (user_id, conversation_id)
    )
    update ${sql.table(table)} place set read = place.read - total.ids from total
    where place.user_id = total.user_id and place.${sql.ref(column)} = total.conversation_id and total.ids <> '{}'`.execute(
    tx,
  );
}

async function follow(tx: Tx, { realmId, source }: Import, userIds: number[]): Promise<void> {
  await sql`
    insert into user_topics (user_id, topic_id, realm_id, visibility_policy)
    select distinct k.id, t.topic_id, ${realmId}::bigint, ${visibilityPolicies.followed}::smallint
    from import_followers f
      join import_map k on k.realm_id = ${realmId} and k.source = ${source.name} and k.kind = 'person'
        and k.source_id = f.person_id
      join import_threads t on t.realm_id = ${realmId} and t.source_id = f.thread_id and t.topic_id is not null
      -- What somebody changed since an earlier import stays.
      join import_order o on o.realm_id = ${realmId} and o.thread_n = t.n and o.kind = ${sql.lit(lineKinds.thread)}
    where f.realm_id = ${realmId} and k.id = any(${bigintArray(userIds)}::bigint[])
    on conflict do nothing`.execute(tx);
}
