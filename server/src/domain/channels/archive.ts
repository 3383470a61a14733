/**
 * Archiving a channel and opening it again. An archived channel keeps its name, what was written in it and who is
 * subscribed to it; nobody writes in it, it is offered to nobody, and nothing in it is unread. Queues that are not shown
 * archived channels hear that it is gone, and later that it is there again, with all that belongs to it.
 */
import { sql } from "kysely";
import type { Context } from "../../context.ts";
import { ApiError } from "../../errors.ts";
import { toEveryone } from "../../events/audience.ts";
import { emit } from "../../events/emit.ts";
import type { User } from "../../http/sessions.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { movedAwayFrom, readMovedTo } from "../flags/moved-messages.ts";
import { setDefault } from "../default-channels/actions.ts";
import { removeFromGroups } from "../default-channels/groups.ts";
import { emitReopened } from "../subscriptions/reopen.ts";
import { noteShownTopics } from "../user-topics/in-sight.ts";
import type { Channel } from "./access.ts";
import { metadataAudiences } from "./audience.ts";
import { forQueues } from "./event-shapes.ts";
import { sendChannelNotice } from "./notices.ts";
import { toChannelObjects } from "./queries.ts";

/** The organization and the channel are locked; `boundary` is what the channel's lock gave. */
export async function archiveChannel(
  tx: Tx,
  ctx: Context,
  actor: User,
  channel: Channel,
  boundary: number,
): Promise<void> {
  if (channel.is_archived) throw new ApiError("Channel is already deactivated");
  await sendChannelNotice(tx, ctx, actor, channel, "archived this channel.");
  await setDefault(tx, channel, false);
  await removeFromGroups(tx, channel);
  await giveUpAnnouncements(tx, channel);
  const tellOfTopics = await noteShownTopics(tx, channel.realm_id, { channelIds: [channel.id] });
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
  await tellOfTopics();
}

export async function reopenChannel(
  tx: Tx,
  ctx: Context,
  actor: User,
  archived: Channel,
  boundary: number,
): Promise<void> {
  if (archived.invite_only && !(await hasSubscribers(tx, archived)))
    throw new ApiError("Channel is private and have no subscribers");
  const tellOfTopics = await noteShownTopics(tx, archived.realm_id, { channelIds: [archived.id] });
  const channel = await tx
    .updateTable("channels")
    .set({ is_archived: false })
    .where("id", "=", archived.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  const [object] = await toChannelObjects(tx, channel.realm_id, [channel]);
  if (!object) throw new Error("one channel is shaped into one object");
  const audiences = (await metadataAudiences(tx, [channel], boundary))(channel);
  const [stream_id, name] = [channel.id, channel.name];
  for (const audience of audiences) {
    const update = { type: "stream", op: "update", stream_id, name, property: "is_archived", value: false };
    emit(tx, channel.realm_id, audience, forQueues("shown archived channels", update));
    emit(tx, channel.realm_id, audience, { type: "stream", op: "create", streams: [object] });
  }
  await emitReopened(tx, channel, object, audiences);
  await tellOfTopics();
  await sendChannelNotice(tx, ctx, actor, channel, "opened this channel again.");
}

const announcementColumns = [
  "moderation_request_channel_id",
  "new_stream_announcements_stream_id",
  "signup_announcements_stream_id",
  "zulip_update_announcements_stream_id",
] as const;

/** Nothing is announced in an archived channel. */
async function giveUpAnnouncements(tx: Tx, { id, realm_id }: Channel): Promise<void> {
  const realm = await tx
    .selectFrom("realms")
    .select(announcementColumns)
    .where("id", "=", realm_id)
    .executeTakeFirstOrThrow();
  const given = announcementColumns.filter((column) => realm[column] === id);
  if (given.length === 0) return;
  const noChannel = -1;
  await tx
    .updateTable("realms")
    .set(Object.fromEntries(given.map((column) => [column, null])))
    .where("id", "=", realm_id)
    .execute();
  const data = Object.fromEntries(given.map((column) => [column, noChannel]));
  emit(tx, realm_id, toEveryone, { type: "realm", op: "update_dict", property: "default", data });
}

/** What is sent from now on has a greater id than this. */
async function readAll(tx: Tx, channel: Channel): Promise<void> {
  await sql`
    with sent as (select int8multirange(int8range(null, nextval('messages_id_seq'))) as ids)
    update subscriptions s set read = s.read + (s.received * sent.ids - ${movedAwayFrom("s.channel_id")}) from sent
    where s.channel_id = ${channel.id} and s.active`.execute(tx);
  await readMovedTo(tx, [channel.id]);
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
