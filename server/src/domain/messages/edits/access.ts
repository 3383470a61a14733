/** Who may edit or move a message, and for how long. */
import { roles } from "@skein/api/users.ts";
import { sql } from "kysely";
import { ApiError } from "../../../errors.ts";
import type { Realm, User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import {
  hasContentAccess,
  holdsPermission,
  invalidChannelId,
  isAdministrator,
  type Channel,
} from "../../channels/access.ts";
import type { MessageRow, SeenMessage } from "../send/locked-message.ts";
import { heldRealmPermissions } from "../../organization/permissions/held-permissions.ts";
import { accessTopic } from "../../channels/topics/policy.ts";
import { isResolution } from "../../channels/topics/resolved.ts";
import { accessNewTopic } from "../send/send-access.ts";
import { maxTextEdits } from "./history.ts";
import type { EditRequest } from "./edit-request.ts";

/** Extra time for a user who started to edit within the limit. */
const graceSeconds = 20;

/**
 * Limits the total size of a message's earlier texts, Markdown and HTML: all of them are read for its history, and kept
 * together when it is deleted.
 */
const maxEditedBytes = 5_000_000;

interface TextEdits {
  edits: number;
  bytes: number;
  is_widget: boolean;
}

/**
 * Only the sender may change a message's text, and only so many times. The message is locked, so nobody else can edit
 * it meanwhile.
 */
export async function accessContent(tx: Tx, user: User, message: MessageRow): Promise<void> {
  const { allow_message_editing, message_content_edit_limit_seconds: limit } = user.realm;
  if (!allow_message_editing) throw new ApiError("Your organization has turned off message editing");
  if (message.sender_id !== user.id) throw new ApiError("You don't have permission to edit this message");
  if (isExpired(limit, message.age_seconds)) throw new ApiError("The time limit for editing this message has past");
  const { rows } = await sql<TextEdits>`
    select count(*) as edits, coalesce(sum(octet_length(prev_content) + octet_length(prev_rendered_content)), 0) as bytes,
      exists (select from submessages where message_id = ${message.id}) as is_widget
    from message_edits where message_id = ${message.id} and prev_content is not null`.execute(tx);
  const { edits = 0, bytes = 0, is_widget = false } = rows[0] ?? {};
  if (is_widget) throw new ApiError("Widgets cannot be edited.");
  if (edits >= maxTextEdits || bytes >= maxEditedBytes)
    throw new ApiError("This message has been edited too many times.");
}

/** The target channel, if it is another one, for a user who may move this message there. */
export async function accessMove(
  tx: Tx,
  user: User,
  message: SeenMessage,
  request: EditRequest,
): Promise<Channel | undefined> {
  await checkMoveAllowed(tx, user, message, request);
  return request.channelId === undefined ? undefined : accessTargetChannel(tx, user, request.channelId);
}

/**
 * Refuses unless the user may move this message; the target channel is checked separately. Resolving a topic is a
 * permission of its own, without a time limit. Channels can grant more than the organization does.
 */
async function checkMoveAllowed(tx: Tx, user: User, message: SeenMessage, request: EditRequest): Promise<void> {
  const held = await heldRealmPermissions(tx, user, [
    "can_move_messages_between_topics_group",
    "can_move_messages_between_channels_group",
    "can_resolve_topics_group",
  ]);
  const limits = limitsFor(user);
  // Most moves need only the organization's permissions.
  const ofChannels = () => rightsInChannels(tx, user, message.conversation_id, request.channelId);
  if (isResolving(message, request)) {
    if (!held.has("can_resolve_topics_group") && !(await ofChannels()).mayResolve)
      throw new ApiError("You don't have permission to resolve topics.");
  } else if (request.topic !== undefined) {
    if (!held.has("can_move_messages_between_topics_group") && !(await ofChannels()).mayMoveWithin)
      throw new ApiError("You don't have permission to edit this message");
    if (isExpired(limits.topic, message.age_seconds))
      throw new ApiError("The time limit for editing this message's topic has passed.");
  }
  if (request.channelId !== undefined) {
    if (!held.has("can_move_messages_between_channels_group") && !(await ofChannels()).mayMoveOut)
      throw new ApiError("You don't have permission to move this message");
    if (isExpired(limits.channel, message.age_seconds))
      throw new ApiError("The time limit for editing this message's channel has passed");
  }
}

interface MoveRights {
  mayMoveOut: boolean;
  mayMoveWithin: boolean;
  mayResolve: boolean;
}

/**
 * What the channels themselves permit, to somebody who can read the message: out of the old one; to another topic, and to
 * resolve it, in either. Administering a channel includes moving, not resolving.
 */
async function rightsInChannels(tx: Tx, user: User, from: number, to: number | undefined): Promise<MoveRights> {
  const administers = isAdministrator(user) ? sql`true` : holdsPermission(user, "can_administer_channel_group", "c");
  const { rows } = await sql<MoveRights>`
    select bool_or(c.id = ${from} and (
        ${administers} or ${holdsPermission(user, "can_move_messages_out_of_channel_group", "c")})) as "mayMoveOut",
      bool_or(${administers} or ${holdsPermission(user, "can_move_messages_within_channel_group", "c")})
        as "mayMoveWithin",
      bool_or(${holdsPermission(user, "can_resolve_topics_group", "c")}) as "mayResolve"
    from channels c left join subscriptions s on s.channel_id = c.id and s.user_id = ${user.id}
    where c.realm_id = ${user.realm_id} and c.id = any(${[from, to ?? from]}::bigint[])
      and ${hasContentAccess(user, "c", "s")}`.execute(tx);
  return rows[0] ?? { mayMoveOut: false, mayMoveWithin: false, mayResolve: false };
}

/** Refuses unless the user may write to this topic, to which messages would go. Resolving starts no topic. */
export async function accessTargetTopic(
  tx: Tx,
  user: User,
  message: SeenMessage,
  channel: Channel,
  request: EditRequest,
): Promise<void> {
  const topic = request.topic ?? message.topic ?? "";
  accessTopic(user.realm, channel, topic);
  if (isResolving(message, request) && request.channelId === undefined) return;
  await accessNewTopic(tx, user, channel, topic);
}

/** The channel, for a user who may read it and post there. */
async function accessTargetChannel(tx: Tx, user: User, id: number): Promise<Channel> {
  const { rows } = await sql<Channel & { may_send: boolean }>`
    select c.*, ${holdsPermission(user, "can_send_message_group", "c")} as may_send
    from channels c left join subscriptions s on s.channel_id = c.id and s.user_id = ${user.id}
    where c.realm_id = ${user.realm_id} and c.id = ${id} and not c.is_archived
      and ${hasContentAccess(user, "c", "s")}`.execute(tx);
  const [row] = rows;
  if (!row) throw invalidChannelId();
  const { may_send, ...channel } = row;
  if (!may_send) throw new ApiError("You do not have permission to post in this channel.");
  return channel;
}

const isResolving = (message: SeenMessage, request: EditRequest): boolean =>
  message.topic !== null && request.topic !== undefined && isResolution(message.topic, request.topic);

/** The age in seconds after which a message can no longer be moved; null: no limit. */
export function moveLimit(user: User, message: SeenMessage, request: EditRequest): number | null {
  const { topic, channel } = limitsFor(user);
  const isRenaming = request.topic !== undefined && !isResolving(message, request);
  const limits = [isRenaming ? topic : null, request.channelId === undefined ? null : channel];
  const set = limits.filter((limit) => limit !== null);
  return set.length === 0 ? null : Math.min(...set) + graceSeconds;
}

/** Moderators and above have no time limit. */
function limitsFor({ role, realm }: { role: number; realm: Realm }): { topic: number | null; channel: number | null } {
  if (role <= roles.moderator) return { topic: null, channel: null };
  return {
    topic: realm.move_messages_within_stream_limit_seconds,
    channel: realm.move_messages_between_streams_limit_seconds,
  };
}

const isExpired = (limit: number | null, ageSeconds: number): boolean =>
  limit !== null && ageSeconds > limit + graceSeconds;

interface InTime {
  first: number | null;
  total: number;
  allowed: number;
}

/** For moving a whole topic when some of its messages are too old to be moved. */
export const moveLimitExceeded = ({ first, total, allowed }: InTime): ApiError =>
  new ApiError(`You only have permission to move the ${allowed}/${total} most recent messages in this topic.`, {
    code: "MOVE_MESSAGES_TIME_LIMIT_EXCEEDED",
    data: {
      first_message_id_allowed_to_move: first,
      total_messages_in_topic: total,
      total_messages_allowed_to_move: allowed,
    },
  });
