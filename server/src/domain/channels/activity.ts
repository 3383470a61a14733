/**
 * Updates what changes in channels with time alone: their weekly traffic, and whether they were active recently. (Sending
 * a message marks its channel as active at once.) Runs after each midnight, UTC.
 */
import { sql } from "kysely";
import type { Context } from "../../context.ts";
import { emit } from "../../events/emit.ts";
import type { Db } from "../../platform/db/connect.ts";
import { transaction, type Tx } from "../../platform/db/transaction.ts";
import type { Channel } from "./access.ts";
import { metadataAudiences } from "./audience.ts";
import { lockChannelsForSubscriptionChange } from "./lock.ts";
import { daysCounted, weeklyTraffic } from "./traffic.ts";

export const dayLength = 24 * 60 * 60 * 1000;
const daysUntilQuiet = 180;
/** Above all ids: a message may have been sent since the highest one was looked up. */
const endOfIds = sql.lit(Number.MAX_SAFE_INTEGER);
/** Each channel takes a lock, and a transaction can hold only so many. */
const maxChannelsPerTransaction = 200;

/** `now` is a time in milliseconds. Idempotent. */
export async function refreshActivity(ctx: Pick<Context, "db">, realmId: number, now: number): Promise<void> {
  const midnight = Math.floor(now / dayLength) * dayLength;
  const { firstRecent, due } = await listDue(ctx.db, realmId, midnight);
  for (let start = 0; start < due.length; start += maxChannelsPerTransaction) {
    const some = due.slice(start, start + maxChannelsPerTransaction);
    await transaction(ctx.db, "refresh channel activity", (tx) => refresh(tx, realmId, some, firstRecent));
  }
}

interface Due {
  id: number;
  weekly_traffic: number | null;
  isQuiet: boolean;
}

interface CountedChannel {
  id: number;
  date_created: Date;
  weekly_traffic: number | null;
  is_recently_active: boolean;
  first_recent: number;
  is_silent: boolean;
  messages: number;
}

/**
 * Ids of the organization's messages that are in the order of time: imported messages have ids below all that were sent
 * here, and are in order only within one import.
 */
const stretchesOf = (realmId: number) => sql`
      select i.end_id as low, greatest(i.end_id, coalesce((select max(id) from messages), -1) + 1) as high, true as is_ours
      from import_ids i
      union all
      select i.first_id, i.end_id, false from imports i join import_ids all_ids on i.end_id <= all_ids.end_id
      where i.realm_id = ${realmId} and i.first_id < i.end_id`;

/** The channels that may have to change, and the first message sent here that counts as recent. */
async function listDue(db: Db, realmId: number, midnight: number): Promise<{ firstRecent: number; due: Due[] }> {
  const { rows } = await sql<CountedChannel>`
    with stretches as materialized (${stretchesOf(realmId)}
    ),
    bounds as materialized (
      select s.is_ours, case when s.is_ours then ${endOfIds} else s.high end as high, ${firstMessageSince(midnight - daysCounted * dayLength)} as first,
        ${firstMessageSince(midnight)} as end, ${firstMessageSince(midnight - daysUntilQuiet * dayLength)} as first_recent
      from stretches s
    )
    select c.id, c.date_created, c.weekly_traffic, c.is_recently_active,
      (select b.first_recent from bounds b where b.is_ours) as first_recent,
      -- One look at the index for each channel and stretch, whatever the planner believes of their number.
      not exists (
        select from bounds b cross join lateral (
          select from messages m where m.conversation_id = c.id and m.id >= b.first_recent and m.id < b.high limit 1) as found
      ) as is_silent,
      (select coalesce(sum(counted.messages), 0)::bigint from bounds b cross join lateral (
        select count(*) as messages from messages m
        where m.conversation_id = c.id and m.id >= b.first and m.id < b.end) as counted) as messages
    from channels c where c.realm_id = ${realmId} order by c.id`.execute(db);
  const due = rows.flatMap((row) => {
    const age = (midnight - row.date_created.getTime()) / dayLength;
    const weekly_traffic = weeklyTraffic(row.messages, age);
    const isQuiet = age >= daysUntilQuiet && row.is_silent;
    const isDue = weekly_traffic !== row.weekly_traffic || (isQuiet && row.is_recently_active);
    return isDue ? [{ id: row.id, weekly_traffic, isQuiet }] : [];
  });
  return { firstRecent: rows[0]?.first_recent ?? 0, due };
}

/** In a stretch `s`, ids grow with time, so a binary search finds a moment without an index on the time. */
const firstMessageSince = (moment: number) => sql`(
  with recursive search (low, high) as (
    select s.low, s.high
    union all
    select
      case when middle.date_sent < ${new Date(moment)} then middle.id + 1 else b.low end,
      case when middle.date_sent < ${new Date(moment)} then b.high else (b.low + b.high) / 2 end
    from search b cross join lateral (
      select coalesce(found.id, b.high) as id, found.date_sent
      from (select) as one left join lateral (
        select id, date_sent from messages where id >= (b.low + b.high) / 2 and id < b.high order by id limit 1) as found on true
    ) middle
    where b.low < b.high
  )
  select low from search where low >= high limit 1)`;

/** Transactions that run at once may take ids in another order than they began. */
const maxDisorder = 60_000;

/** An id below which no message of the organization was sent at this time or later. */
export async function firstIdSince(db: Db, realmId: number, moment: Date): Promise<number> {
  const { rows } = await sql<{ id: number | null }>`
    with stretches as materialized (${stretchesOf(realmId)})
    select coalesce(min(found.id) filter (where found.id < found.high), max(found.high)) as id from (
      select s.high, ${firstMessageSince(moment.getTime() - maxDisorder)} as id from stretches s) as found`.execute(db);
  return rows[0]?.id ?? 0;
}

/** A message may have been sent since the channels were listed, so quiet channels are checked again under the lock. */
async function refresh(tx: Tx, realmId: number, due: readonly Due[], firstRecent: number): Promise<void> {
  const ids = due.map(({ id }) => id);
  const boundary = await lockChannelsForSubscriptionChange(tx, ids);
  const before = await tx
    .selectFrom("channels")
    .selectAll()
    .where("id", "in", ids)
    .orderBy("id")
    .forNoKeyUpdate()
    .execute();
  const { rows } = await sql<Channel>`
    update channels c set weekly_traffic = d.weekly_traffic,
      is_recently_active = c.is_recently_active and not (d.is_quiet and not exists (
        select from messages m where m.conversation_id = c.id and m.id >= ${firstRecent}))
    from unnest(${ids}::bigint[], ${due.map((one) => one.weekly_traffic)}::integer[],
      ${due.map((one) => one.isQuiet)}::boolean[]) as d (id, weekly_traffic, is_quiet)
    where c.id = d.id
    returning c.*`.execute(tx);
  const after = new Map(rows.map((row) => [row.id, row]));
  const audiences = await metadataAudiences(tx, rows, boundary);
  for (const old of before) {
    const channel = after.get(old.id);
    if (!channel) throw new Error("every locked channel was updated");
    const emitUpdate = (property: string, value: unknown) => {
      const event = { type: "stream", op: "update", stream_id: channel.id, name: channel.name, property, value };
      for (const audience of audiences(channel)) emit(tx, realmId, audience, event);
    };
    if (old.weekly_traffic !== channel.weekly_traffic) emitUpdate("stream_weekly_traffic", channel.weekly_traffic);
    if (old.is_recently_active !== channel.is_recently_active)
      emitUpdate("is_recently_active", channel.is_recently_active);
  }
}
