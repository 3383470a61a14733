/**
 * Unsubscribes users, after permissions have been checked. The range of received messages ends and is marked as read, so
 * that nothing stays unread. Users who can no longer see the channel receive an event that it is gone.
 */
import { sql } from "kysely";
import { toUsers, type Audience } from "../../../events/audience.ts";
import { emit, emitSubscriptionChange } from "../../../events/emit.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import type { Channel } from "../../channels/access.ts";
import { metadataAudiences } from "../../channels/audience.ts";
import { inChunks } from "../../base/chunks.ts";
import { noteShownTopics } from "../../channels/user-topics/shown-topics.ts";
import { movedAwayFrom, markMovedAsRead } from "../../messages/flags/moved-messages.ts";
import { usersVisibleToGuests } from "../../people/users/guest-view.ts";
import { emitVisibilityChanges } from "../../people/users/visibility-changes.ts";
import { listUsersWithoutAccess } from "../../channels/subscriptions/without-access.ts";
import { pairsWithoutSelf } from "../../channels/subscriptions/pairs-without-self.ts";

export interface RemovedSubscription {
  user_id: number;
  channel_id: number;
}

/** The channels must be locked; `boundary` is the result of the lock. Returns the ended subscriptions. */
export async function removeSubscribers(
  tx: Tx,
  realmId: number,
  boundary: number,
  channels: readonly Channel[],
  userIds: readonly number[],
): Promise<RemovedSubscription[]> {
  const channelIds = channels.map((channel) => channel.id);
  const visibleBefore = await usersVisibleToGuests(tx, realmId, { userIds, channelIds });
  const emitTopicChanges = await noteShownTopics(tx, realmId, { userIds, channelIds });
  const removed = await closeSubscriptions(tx, boundary, channels, userIds);
  if (removed.length === 0) return [];
  const byChannel = Map.groupBy(removed, (row) => row.channel_id);
  const changed = channels.filter((channel) => byChannel.has(channel.id));
  const strangers = await listUsersWithoutAccess(tx, changed, userIds);
  const audiences = await metadataAudiences(tx, changed, boundary);
  for (const channel of changed) {
    const stream_id = channel.id;
    const gone = strangers.get(channel.id) ?? new Set();
    const all = (byChannel.get(channel.id) ?? []).map((row) => row.user_id);
    const emitPeerRemove = (audience: Audience, user_ids: number[]) =>
      emit(tx, realmId, audience, { type: "subscription", op: "peer_remove", stream_ids: [stream_id], user_ids });
    for (const users of inChunks(all)) {
      emitSubscriptionChange(tx, realmId, { channel: channel.id, users, until: boundary });
      const subscriptions = [{ stream_id, name: channel.name }];
      emit(tx, realmId, toUsers(users), { type: "subscription", op: "remove", subscriptions });
      for (const audience of audiences(channel)) emitPeerRemove({ ...audience, except: users }, users);
      // Users who left together and can still see the channel receive the others' removal.
      const staying = users.filter((id) => !gone.has(id));
      for (const [listeners, others] of pairsWithoutSelf(staying, users)) emitPeerRemove(toUsers(listeners), others);
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
  await emitTopicChanges();
  await emitVisibilityChanges(tx, realmId, visibleBefore);
  return removed;
}

async function closeSubscriptions(
  tx: Tx,
  boundary: number,
  channels: readonly Channel[],
  userIds: readonly number[],
): Promise<RemovedSubscription[]> {
  const before = sql`int8multirange(int8range(null, ${boundary}))`;
  const { rows } = await sql<RemovedSubscription>`
    update subscriptions set active = false, received = received * ${before},
      read = read + (received * ${before} - ${movedAwayFrom("channel_id")})
    where channel_id = any(${channels.map((channel) => channel.id)}::bigint[])
      and user_id = any(${userIds}::bigint[]) and active
    returning user_id, channel_id`.execute(tx);
  if (rows.length > 0)
    await markMovedAsRead(
      tx,
      channels.map((channel) => channel.id),
      rows,
    );
  return rows.toSorted((a, b) => a.user_id - b.user_id);
}
