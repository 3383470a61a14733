import { roles } from "@skein/api/users.ts";
import { sql } from "kysely";
import { toUser } from "../../../events/audience.ts";
import { emit } from "../../../events/emit.ts";
import type { EmittedEvent } from "../../../events/log-format.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { hasMetadataAccess, type Channel } from "../../channels/access.ts";
import { inChunks } from "../../base/chunks.ts";
import { forQueues } from "../../channels/event-shapes.ts";
import { toChannelObjects, withoutSubscribers } from "../../channels/queries.ts";
import { listDefaultChannelGroups, listDefaultChannels } from "../../channels/default-channels/queries.ts";
import { listSubscribers } from "../../channels/subscriptions/subscribers.ts";

interface RankedUser {
  id: number;
  realm_id: number;
  role: number;
  rank: number;
}

/** Emits the channels that appear and disappear for a user whose role or rank has changed. */
export async function emitChannelVisibility(tx: Tx, before: RankedUser, after: RankedUser): Promise<void> {
  const { id, realm_id } = after;
  const { rows } = await sql<Channel & { is_known: boolean }>`
    select * from (
      select c.*, ${hasMetadataAccess(before, "c", "s")} as was_known, ${hasMetadataAccess(after, "c", "s")} as is_known
      from channels c left join subscriptions s on s.channel_id = c.id and s.user_id = ${id}
      where c.realm_id = ${realm_id}) as judged
    where was_known <> is_known order by id`.execute(tx);
  const gained = rows.filter((channel) => channel.is_known);
  const lost = rows.filter((channel) => !channel.is_known);
  if (gained.length > 0) await emitGained(tx, after, gained);
  for (const [isArchived, channels] of Map.groupBy(lost, (channel) => channel.is_archived)) {
    const streams = channels.map((channel) => ({ stream_id: channel.id }));
    const event = { type: "stream", op: "delete", stream_ids: channels.map((channel) => channel.id), streams };
    emit(tx, realm_id, toUser(id), asShown(isArchived, event));
  }
  if ((before.role === roles.guest) !== (after.role === roles.guest)) await emitDefaultChannels(tx, after);
}

/** Events about archived channels go only to queues that show them. */
const asShown = (isArchived: boolean, event: EmittedEvent): EmittedEvent =>
  isArchived ? forQueues("shown archived channels", event) : event;

async function emitGained(tx: Tx, { id, realm_id }: RankedUser, channels: readonly Channel[]): Promise<void> {
  const streams = (await toChannelObjects(tx, realm_id, channels)).map(withoutSubscribers);
  emit(tx, realm_id, toUser(id), { type: "stream", op: "create", streams });
  const subscribers = await listSubscribers(tx, channels);
  for (const channel of channels) {
    for (const user_ids of inChunks(subscribers.get(channel.id) ?? [])) {
      const event = { type: "subscription", op: "peer_add", stream_ids: [channel.id], user_ids };
      emit(tx, realm_id, toUser(id), asShown(channel.is_archived, event));
    }
  }
}

/** Guests see no default channels. */
async function emitDefaultChannels(tx: Tx, { id, realm_id, role }: RankedUser): Promise<void> {
  const isGuest = role === roles.guest;
  const channels = isGuest ? [] : await listDefaultChannels(tx, realm_id);
  const default_streams = channels.map((channel) => channel.id);
  emit(tx, realm_id, toUser(id), { type: "default_streams", default_streams });
  const default_stream_groups = isGuest ? [] : await listDefaultChannelGroups(tx, realm_id);
  emit(tx, realm_id, toUser(id), { type: "default_stream_groups", default_stream_groups });
}
