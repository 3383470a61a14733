/**
 * Unsubscribing, once it is settled that it may be done. The range of received messages closes and is read, so that
 * nothing unread stays behind; who cannot know of the channel any more hears that it is gone.
 */
import { sql } from "kysely";
import { toUsers, type Audience } from "../../events/audience.ts";
import { emit, emitSubscriptionChange } from "../../events/emit.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import type { Channel } from "../channels/access.ts";
import { metadataAudiences } from "../channels/audience.ts";
import { inChunks } from "../channels/chunks.ts";
import { noteShownTopics } from "../user-topics/in-sight.ts";
import { movedAwayFrom, readMovedTo } from "../flags/moved-messages.ts";
import { sightsOfGuests } from "../users/guest-view.ts";
import { emitPeopleInSight } from "../users/people-in-sight.ts";
import { listStrangers } from "./strangers.ts";
import { toEachOther } from "./to-each-other.ts";

export interface Removed {
  user_id: number;
  channel_id: number;
}

/** The channels are locked for it, and `boundary` is what the lock gave. Tells who has left where. */
export async function removeSubscribers(
  tx: Tx,
  realmId: number,
  boundary: number,
  channels: readonly Channel[],
  userIds: readonly number[],
): Promise<Removed[]> {
  const channelIds = channels.map((channel) => channel.id);
  const sights = await sightsOfGuests(tx, realmId, { userIds, channelIds });
  const tellOfTopics = await noteShownTopics(tx, realmId, { userIds, channelIds });
  const removed = await closeSubscriptions(tx, boundary, channels, userIds);
  if (removed.length === 0) return [];
  const byChannel = Map.groupBy(removed, (row) => row.channel_id);
  const changed = channels.filter((channel) => byChannel.has(channel.id));
  const strangers = await listStrangers(tx, changed, userIds);
  const audiences = await metadataAudiences(tx, changed, boundary);
  for (const channel of changed) {
    const stream_id = channel.id;
    const gone = strangers.get(channel.id) ?? new Set();
    const all = (byChannel.get(channel.id) ?? []).map((row) => row.user_id);
    const tell = (audience: Audience, user_ids: number[]) =>
      emit(tx, realmId, audience, { type: "subscription", op: "peer_remove", stream_ids: [stream_id], user_ids });
    for (const users of inChunks(all)) {
      emitSubscriptionChange(tx, realmId, { channel: channel.id, users, until: boundary });
      const subscriptions = [{ stream_id, name: channel.name }];
      emit(tx, realmId, toUsers(users), { type: "subscription", op: "remove", subscriptions });
      for (const audience of audiences(channel)) tell({ ...audience, except: users }, users);
      // Of those who left together, each who still knows of the channel hears of the others.
      const staying = users.filter((id) => !gone.has(id));
      for (const [listeners, others] of toEachOther(staying, users)) tell(toUsers(listeners), others);
      const losing = users.filter((id) => gone.has(id));
      if (losing.length > 0)
        emit(tx, realmId, toUsers(losing), {
          type: "stream",
          op: "delete",
          stream_ids: [stream_id],
          streams: [{ stream_id }],
        });
    }
  }
  await tellOfTopics();
  await emitPeopleInSight(tx, realmId, sights);
  return removed;
}

async function closeSubscriptions(
  tx: Tx,
  boundary: number,
  channels: readonly Channel[],
  userIds: readonly number[],
): Promise<Removed[]> {
  const before = sql`int8multirange(int8range(null, ${boundary}))`;
  const { rows } = await sql<Removed>`
    update subscriptions set active = false, received = received * ${before},
      read = read + (received * ${before} - ${movedAwayFrom("channel_id")})
    where channel_id = any(${channels.map((channel) => channel.id)}::bigint[])
      and user_id = any(${userIds}::bigint[]) and active
    returning user_id, channel_id`.execute(tx);
  if (rows.length > 0)
    await readMovedTo(
      tx,
      channels.map((channel) => channel.id),
      rows,
    );
  return rows.toSorted((a, b) => a.user_id - b.user_id);
}
