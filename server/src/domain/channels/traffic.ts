/**
 * How busy channels are: messages a week, a rough figure for people to choose by. It counts whole days, so that it stays
 * the same from one midnight (UTC) to the next, and each process works it out once a day for an organization.
 */
import { sql } from "kysely";
import type { Db } from "../../platform/db/connect.ts";

const dayLength = 24 * 60 * 60 * 1000;
const daysCounted = 28;
const daysUntilKnown = 7;

interface Counts {
  midnight: number;
  /** Messages of the days counted, for channels old enough; a channel without any is absent. */
  byChannel: ReadonlyMap<number, number>;
}

const countsOfRealms = new Map<number, Counts>();

/** Tells of a channel how many messages a week it has, or null while it is too young to say. */
export async function weeklyTraffic(
  db: Db,
  realmId: number,
): Promise<(channel: { id: number; date_created: Date }) => number | null> {
  const midnight = Math.floor(Date.now() / dayLength) * dayLength;
  const counts = await messageCounts(db, realmId, midnight);
  return ({ id, date_created }) => estimate(counts.get(id) ?? 0, (midnight - date_created.getTime()) / dayLength);
}

export function estimate(messages: number, ageInDays: number): number | null {
  if (ageInDays < daysUntilKnown) return null;
  const weeks = Math.min(Math.floor(ageInDays), daysCounted) / 7;
  const perWeek = messages / weeks;
  if (perWeek === 0) return 0;
  return Number(Math.max(1, perWeek).toPrecision(2));
}

async function messageCounts(db: Db, realmId: number, midnight: number): Promise<Counts["byChannel"]> {
  const known = countsOfRealms.get(realmId);
  if (known?.midnight === midnight) return known.byChannel;
  const since = new Date(midnight - daysCounted * dayLength);
  const until = new Date(midnight);
  const oldEnough = new Date(midnight - daysUntilKnown * dayLength);
  const { rows } = await sql<{ id: number; messages: number }>`
    with recursive bounds as (
      select ${firstMessageSince(since)} as first, ${firstMessageSince(until)} as end
    )
    select c.id, count(*) as messages
    from bounds b, channels c join messages m on m.conversation_id = c.id
    where c.realm_id = ${realmId} and c.date_created <= ${oldEnough} and m.id >= b.first and m.id < b.end
    group by c.id`.execute(db);
  const byChannel = new Map(rows.map((row) => [row.id, row.messages]));
  countsOfRealms.set(realmId, { midnight, byChannel });
  return byChannel;
}

/** Ids grow with time, so a moment is found among them by halving; there is no need for an index on time. */
const firstMessageSince = (moment: Date) => sql`(
  with recursive search (low, high) as (
    select coalesce(min(id), 0), coalesce(max(id), -1) + 1 from messages
    union all
    select
      case when middle.date_sent < ${moment} then middle.id + 1 else s.low end,
      case when middle.date_sent < ${moment} then s.high else (s.low + s.high) / 2 end
    from search s cross join lateral (
      select id, date_sent from messages where id >= (s.low + s.high) / 2 order by id limit 1
    ) middle
    where s.low < s.high
  )
  select low from search where low >= high limit 1)`;
