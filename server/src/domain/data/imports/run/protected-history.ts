/**
 * Channels with protected history, where people may read only what they received. Elsewhere members have received the whole
 * block of ids; here they receive message by message, and ranges become longer only where no other message is between them.
 */
import { sql } from "kysely";
import { bigintArray } from "../../../../platform/db/binary-array.ts";
import type { Tx } from "../../../../platform/db/transaction.ts";
import type { SourceChannel } from "../source.ts";
import type { Import } from "./import-context.ts";
import { recall } from "./map.ts";
import type { ReadyMessage } from "./messages.ts";
import { isBelowOthers, lineKinds } from "./order.ts";

export interface ProtectedPlace {
  /** Who received everything, if history is protected only here. */
  members: number[] | undefined;
}

/** Channels of the source that became a channel with protected history, by source id. */
export async function listProtectedPlaces(run: Import): Promise<Map<string, ProtectedPlace>> {
  const { rows } = await sql<{ source_id: string; data: SourceChannel }>`
    select p.source_id, p.data from import_places p join channels c on c.id = p.conversation_id
    where p.realm_id = ${run.realmId} and not p.is_direct and not c.history_public_to_subscribers`.execute(run.db);
  const people = await recall(run.db, run, "person");
  return new Map(
    rows.map(({ source_id, data }) => [
      source_id,
      {
        members: data.hasProtectedHistory ? undefined : data.members.flatMap((member) => people.get(member) ?? []),
      },
    ]),
  );
}

/** Where imported messages come after all others, subscribers would receive them like new ones. */
export async function withholdIds(tx: Tx, run: Import, channelId: number, sourceId: string): Promise<void> {
  if (await isBelowOthers(run)) return;
  await sql`
    update subscriptions set received = received - (
      select coalesce(range_agg(int8range(o.id, o.id + 1)), '{}') from import_order o
        join import_messages m on m.realm_id = ${run.realmId} and m.n = o.message_n
      where o.realm_id = ${run.realmId} and o.kind = ${sql.lit(lineKinds.message)} and m.place_id = ${sourceId} and not m.is_direct)
    where channel_id = ${channelId}`.execute(tx);
}

export async function storeReceived(tx: Tx, messages: readonly ReadyMessage[]): Promise<void> {
  const ranges = rangesOf(messages);
  if (ranges.length === 0) return;
  await sql`
    update subscriptions s set received = s.received + given.ids
    from (
      select user_id, channel_id, range_agg(int8range(first, until)) as ids
      from unnest(${bigintArray(ranges.map(({ userId }) => userId))}::bigint[],
        ${bigintArray(ranges.map(({ channelId }) => channelId))}::bigint[],
        ${bigintArray(ranges.map(({ first }) => first))}::bigint[],
        ${bigintArray(ranges.map(({ until }) => until))}::bigint[]) as given (user_id, channel_id, first, until)
      group by user_id, channel_id) as given
    where s.user_id = given.user_id and s.channel_id = given.channel_id`.execute(tx);
}

interface Range {
  userId: number;
  channelId: number;
  first: number;
  until: number;
}

/** For each channel and person, one range for messages that follow each other there. */
function rangesOf(messages: readonly ReadyMessage[]): Range[] {
  const ranges: Range[] = [];
  const inProtected = messages.filter(({ receivedBy }) => receivedBy !== undefined);
  for (const [channelId, ofChannel] of Map.groupBy(inProtected, (message) => message.conversationId)) {
    let open = new Map<number, Range>();
    for (const { id, receivedBy = [] } of ofChannel) {
      const still = new Map<number, Range>();
      for (const userId of receivedBy) {
        const range = open.get(userId) ?? { userId, channelId, first: id, until: id + 1 };
        range.until = id + 1;
        if (!open.has(userId)) ranges.push(range);
        still.set(userId, range);
      }
      open = still;
    }
  }
  return ranges;
}

/** Ids between two received messages are those of other channels, so that one range does instead of many. */
export async function joinRanges(tx: Tx, run: Import, channelIds: readonly number[]): Promise<void> {
  if (!(await isBelowOthers(run))) return;
  const block = sql`int8multirange(int8range(${run.ids.first}, ${run.ids.end}))`;
  await sql`
    update subscriptions s set received = s.received + (
      select coalesce(range_agg(gap), '{}') from unnest(${block} - s.received) as gap
      where not exists (
        select from messages m where m.conversation_id = s.channel_id and m.id >= lower(gap) and m.id < upper(gap)))
    from channels c
    where c.id = s.channel_id and not c.history_public_to_subscribers and c.id = any(${[...channelIds]}::bigint[])
      and s.received && ${block}`.execute(tx);
}
