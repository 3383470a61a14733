/**
 * Archiving and unarchiving a channel. An archived channel keeps its name, its messages and its subscribers, but nobody can
 * write in it or join it, and nothing in it is unread. Queues that do not show archived channels receive events as if the
 * channel were deleted, and later created again with its subscribers.
 */
import { sql } from "kysely";
import type { TxContext } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import { toEveryone } from "../../../events/audience.ts";
import { emit } from "../../../events/emit.ts";
import type { Realm } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { movedAwayFrom, markMovedAsRead } from "../../messages/flags/moved-messages.ts";
import { lockDefaultChannels } from "../../channels/default-channels/access.ts";
import { setDefault } from "../../channels/default-channels/actions.ts";
import { removeFromGroups } from "../../channels/default-channels/groups.ts";
import { emitUnarchived } from "../subscriptions/unarchive.ts";
import { noteShownTopics } from "../../channels/user-topics/shown-topics.ts";
import type { Channel } from "../../channels/access.ts";
import { lockChannelsForSubscriptionChange } from "../../channels/lock.ts";
import { metadataAudiences } from "../../channels/audience.ts";
import { forQueues } from "../../channels/event-shapes.ts";
import { sendChannelNotice, type Actor } from "./notices.ts";
import { toChannelObjects, withoutSubscribers } from "../../channels/queries.ts";

/** The organization and the channel must be locked; `boundary` is the result of the channel's lock. */
export async function archiveChannel(
  tx: Tx,
  ctx: TxContext,
  actor: Actor,
  channel: Channel,
  boundary: number,
): Promise<void> {
  if (channel.is_archived) throw new ApiError("Channel is already deactivated");
  await sendChannelNotice(tx, ctx, actor, channel, "archived this channel.");
  await setDefault(tx, channel, false);
  await removeFromGroups(tx, channel);
  await clearAnnouncementSettings(tx, channel);
  const emitTopicChanges = await noteShownTopics(tx, channel.realm_id, { channelIds: [channel.id] });
  await tx.updateTable("channels").set({ is_archived: true }).where("id", "=", channel.id).execute();
  await readAll(tx, channel);
  const audiences = (await metadataAudiences(tx, [channel], boundary))(channel);
  const [stream_id, name] = [channel.id, channel.name];
  for (const audience of audiences) {
    const update = { type: "stream", op: "update", stream_id, name, property: "is_archived", value: true };
    emit(tx, channel.realm_id, audience, forQueues("shown archived channels", update));
    const deletion = { type: "stream", op: "delete", stream_ids: [stream_id], streams: [{ stream_id }] };
    emit(tx, channel.realm_id, audience, forQueues("not shown archived channels", deletion));
  }
  await emitTopicChanges();
}

export async function unarchiveChannel(
  tx: Tx,
  ctx: TxContext,
  actor: Actor,
  archived: Channel,
  boundary: number,
): Promise<void> {
  if (archived.invite_only && !(await hasSubscribers(tx, archived)))
    throw new ApiError("Channel is private and have no subscribers");
  const emitTopicChanges = await noteShownTopics(tx, archived.realm_id, { channelIds: [archived.id] });
  const channel = await tx
    .updateTable("channels")
    .set({ is_archived: false })
    .where("id", "=", archived.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  const [object] = (await toChannelObjects(tx, channel.realm_id, [channel])).map(withoutSubscribers);
  if (!object) throw new Error("one channel is shaped into one object");
  const audiences = (await metadataAudiences(tx, [channel], boundary))(channel);
  const [stream_id, name] = [channel.id, channel.name];
  for (const audience of audiences) {
    const update = { type: "stream", op: "update", stream_id, name, property: "is_archived", value: false };
    emit(tx, channel.realm_id, audience, forQueues("shown archived channels", update));
    const creation = { type: "stream", op: "create", streams: [object] };
    emit(tx, channel.realm_id, audience, forQueues("not shown archived channels", creation));
  }
  await emitUnarchived(tx, channel, object, audiences);
  await emitTopicChanges();
  await sendChannelNotice(tx, ctx, actor, channel, "unarchived this channel.");
}

/** By the operator. Returns whether that changed anything. */
export async function setArchived(
  tx: Tx,
  ctx: TxContext,
  realm: Realm,
  id: number,
  isArchived: boolean,
): Promise<boolean> {
  await lockDefaultChannels(tx, realm.id);
  const boundary = await lockChannelsForSubscriptionChange(tx, [id]);
  const channel = await tx
    .selectFrom("channels")
    .selectAll()
    .where("realm_id", "=", realm.id)
    .where("id", "=", id)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
  if (channel.is_archived === isArchived) return false;
  await (isArchived ? archiveChannel : unarchiveChannel)(tx, ctx, { realm }, channel, boundary);
  return true;
}

const announcementColumns = [
  "moderation_request_channel_id",
  "new_stream_announcements_stream_id",
  "signup_announcements_stream_id",
  "zulip_update_announcements_stream_id",
] as const;

/** An archived channel cannot be used for announcements. */
async function clearAnnouncementSettings(tx: Tx, { id, realm_id }: Channel): Promise<void> {
  const realm = await tx
    .selectFrom("realms")
    .select(announcementColumns)
    .where("id", "=", realm_id)
    .executeTakeFirstOrThrow();
  const affected = announcementColumns.filter((column) => realm[column] === id);
  if (affected.length === 0) return;
  const noChannel = -1;
  await tx
    .updateTable("realms")
    .set(Object.fromEntries(affected.map((column) => [column, null])))
    .where("id", "=", realm_id)
    .execute();
  const data = Object.fromEntries(affected.map((column) => [column, noChannel]));
  emit(tx, realm_id, toEveryone, { type: "realm", op: "update_dict", property: "default", data });
}

/** Marks all messages in the channel as read. The sequence's next value separates them from later messages. */
async function readAll(tx: Tx, channel: Channel): Promise<void> {
  await sql`
    with sent as (select int8multirange(int8range(null, nextval('messages_id_seq'))) as ids)
    update subscriptions s set read = s.read + (s.received * sent.ids - ${movedAwayFrom("s.channel_id")}) from sent
    where s.channel_id = ${channel.id} and s.active`.execute(tx);
  await markMovedAsRead(tx, [channel.id]);
}

async function hasSubscribers(tx: Tx, channel: Channel): Promise<boolean> {
  const row = await tx
    .selectFrom("subscriptions")
    .select("user_id")
    .where("channel_id", "=", channel.id)
    .where("active", "=", true)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
