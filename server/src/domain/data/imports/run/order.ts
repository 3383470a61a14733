/**
 * Finds the threads, decides which messages and lines the import writes, and gives each its id, in the order of time. From
 * here on an interrupted run continues with the same ids.
 *
 * A thread is a root with at least one reply. Its messages go to a topic of its own; in the channel's general topic stands
 * a line about it. Messages outside of threads go to a topic for each month. Where the source has topics, these are kept.
 */
import { sql } from "kysely";
import type { Tx } from "../../../../platform/db/transaction.ts";
import type { Import } from "./import-context.ts";
import type { UnthreadedRule } from "./plan.ts";

/** What is written: a message, or a line of the Notification Bot. */
export const lineKinds = {
  message: 0,
  /** The first message of a thread whose root is missing. */
  missingRoot: 1,
  /** In the general topic: here is a thread. */
  thread: 2,
  /** In the general topic: a reply that was also sent to the channel. */
  broadcast: 3,
} as const;

export const generalTopic = "channel talk";
/** Names that threads do not take, even if there is no such topic yet. */
export const isGeneralTopic = (name: string): boolean => /^channel talk( · \d{4}-\d\d(-\d\d)?)?$/i.test(name);

const general = (rule: UnthreadedRule, at: string): string => {
  if (rule === "single") return `'${generalTopic}'`;
  const form = rule === "day" ? "YYYY-MM-DD" : "YYYY-MM";
  return `'${generalTopic} · ' || to_char(to_timestamp(${at} / 1000000) at time zone 'UTC', '${form}')`;
};

/** In the map, lines are known by what they are about. */
export const lineKey = (kind: number, sourceId: string): string => `${kind}:${sourceId}`;

export async function putInOrder(tx: Tx, run: Import): Promise<void> {
  // One core for a minute is enough: people keep writing on the others.
  await sql`set local max_parallel_workers_per_gather = 0`.execute(tx);
  await findThreads(tx, run);
  await listLines(tx, run);
  await findTopics(tx, run);
  await assignIds(tx, run);
}

async function findThreads(tx: Tx, { realmId }: Import): Promise<void> {
  await sql`
    insert into import_threads (realm_id, n, channel_id, source_id, root_n, at, name, is_resolved, replies)
    select ${realmId}, row_number() over (order by coalesce(root.at, t.thread_at, first.at), t.first_n), t.place_id, t.thread_id,
      root.n, coalesce(root.at, t.thread_at, first.at), coalesce(root.thread_name, first.thread_name, 'thread'),
      coalesce(root.is_resolved, false), t.replies
    from (
      select place_id, thread_id, count(distinct source_id) as replies, max(thread_at) as thread_at, min(n) as first_n
      from import_messages where realm_id = ${realmId} and not is_direct and thread_id is not null and thread_id <> source_id
      group by place_id, thread_id
    ) as t
    left join lateral (
      select * from import_messages m
      where m.realm_id = ${realmId} and m.source_id = t.thread_id and m.place_id = t.place_id and not m.is_direct
      order by n limit 1
    ) as root on true
    left join lateral (
      select m.at, m.thread_name from import_messages m
      where root.thread_name is null and m.realm_id = ${realmId} and m.thread_id = t.thread_id and m.place_id = t.place_id
        and not m.is_direct
      order by m.thread_name is null, m.at, m.n limit 1
    ) as first on true`.execute(tx);
  await sql`analyze import_threads`.execute(tx);
}

/** Lists what to write, without ids, in a temporary table. */
async function listLines(tx: Tx, { realmId, source, plan }: Import): Promise<void> {
  const isKnown = (kind: string, id: string) =>
    sql.raw(`exists (
    select from import_map k where k.realm_id = ${realmId} and k.source = '${source.name}' and k.kind = '${kind}'
      and k.source_id = ${id})`);
  const generalOf = (at: string) => sql.raw(general(plan.unthreaded, at));
  await sql`
    create temporary table import_lines on commit drop as
    with placed as materialized (
      select m.n, m.source_id, m.place_id, m.is_direct, m.at, m.is_broadcast, t.n as thread_n, exists (
          select from import_people p where p.realm_id = ${realmId} and p.source_id = m.sender_id
            and p.data->'erasedId' is not null) as is_erased,
        case when m.is_direct then null when t.n is not null then null
          else coalesce(m.topic, ${generalOf("m.at")}) end as topic
      from import_messages m
        left join import_threads t on t.realm_id = ${realmId} and not m.is_direct and t.channel_id = m.place_id
          and t.source_id = coalesce(m.thread_id, m.source_id)
      where m.realm_id = ${realmId} and not exists (
        select from import_messages twin
        where twin.realm_id = ${realmId} and twin.source_id = m.source_id and twin.n < m.n)
    )
    select ${sql.lit(lineKinds.message)} as kind, n as message_n, thread_n, place_id, topic, at, 1 as position, n as tie
    from placed where not is_erased and not ${isKnown("message", "placed.source_id")}
    union all
    select ${sql.lit(lineKinds.missingRoot)}, null, n, channel_id, null, at, 0, n
    from import_threads where realm_id = ${realmId} and root_n is null
      and not ${isKnown("line", `'${lineKinds.missingRoot}:' || import_threads.source_id`)}
    union all
    select ${sql.lit(lineKinds.thread)}, null, n, channel_id, ${generalOf("at")}, at, 2, n
    from import_threads where realm_id = ${realmId}
      and not ${isKnown("line", `'${lineKinds.thread}:' || import_threads.source_id`)}
    union all
    select ${sql.lit(lineKinds.broadcast)}, n, thread_n, place_id, ${generalOf("at")}, at, 2, n
    from placed where not is_erased and is_broadcast and thread_n is not null
      and not ${isKnown("line", `'${lineKinds.broadcast}:' || placed.source_id`)}`.execute(tx);
}

/** Topics that are not threads. Names are compared without case, as topics are. */
async function findTopics(tx: Tx, { realmId }: Import): Promise<void> {
  await sql`
    insert into import_topics (realm_id, n, channel_id, name)
    select ${realmId}, row_number() over (order by place_id, min(at), name), place_id, (array_agg(topic order by at))[1]
    from (select place_id, topic, lower(topic) as name, at from import_lines where topic is not null) as named
    group by place_id, name`.execute(tx);
  await sql`analyze import_topics`.execute(tx);
}

async function assignIds(tx: Tx, run: Import): Promise<void> {
  const { realmId } = run;
  const { rows } = await sql<{ count: number }>`select count(*) as count from import_lines`.execute(tx);
  const count = rows[0]?.count ?? 0;
  const first = await takeIds(tx, count);
  const numbered = sql`
    select ${realmId}::bigint, row_number() over (order by l.at, l.position, l.tie) as place, l.kind, l.message_n, l.thread_n, t.n
    from import_lines l left join import_topics t
      on t.realm_id = ${realmId} and t.channel_id = l.place_id and lower(t.name) = lower(l.topic)`;
  if (first !== undefined) {
    await sql`
      insert into import_order (realm_id, id, kind, message_n, thread_n, topic_n)
      select realm_id, ${first - 1}::bigint + place, kind, message_n, thread_n, topic_n
      from (${numbered}) as line (realm_id, place, kind, message_n, thread_n, topic_n)`.execute(tx);
    run.ids = { first, end: first + count };
  } else {
    // Every id is that of a message from now on, so others must see the transaction that took it.
    await sql`
      insert into import_order (realm_id, id, kind, message_n, thread_n, topic_n)
      select realm_id, nextval('messages_id_seq'), kind, message_n, thread_n, topic_n
      from (${numbered} order by 2) as line (realm_id, place, kind, message_n, thread_n, topic_n),
        (select pg_current_xact_id()) as begun`.execute(tx);
    const { rows: taken } = await sql<{ first: number; end: number }>`
      select min(id) as first, max(id) + 1 as end from import_order where realm_id = ${realmId}`.execute(tx);
    const [block] = taken;
    if (block) run.ids = block;
    run.report.remarks.push(
      "This server has no room for messages older than its first one, so imported messages come after all others, " +
        "and count as read.",
    );
  }
  await sql`analyze import_order`.execute(tx);
}

/** A block of ids below those of messages sent here; undefined if there is no room. */
async function takeIds(tx: Tx, count: number): Promise<number | undefined> {
  const { rows } = await sql<{ first: number }>`
    update import_ids set next_id = next_id + ${count} where next_id + ${count} <= end_id
    returning next_id - ${count} as first`.execute(tx);
  return rows[0]?.first;
}

/** Whether its ids are below those of messages sent here. */
export async function isBelowOthers(run: Import): Promise<boolean> {
  const { rows } = await sql<{ end_id: number }>`select end_id from import_ids`.execute(run.db);
  return run.ids.end <= (rows[0]?.end_id ?? 0);
}
