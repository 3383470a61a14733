/** Who may change what about a message, and for how long. */
import { roles } from "@skein/api/users.ts";
import { sql } from "kysely";
import { ApiError } from "../../errors.ts";
import type { Realm, User } from "../../http/sessions.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { hasContentAccess, holdsPermission, invalidChannelId, type Channel } from "../channels/access.ts";
import type { MessageRow, SeenMessage } from "../messages/in-hand.ts";
import { heldRealmPermissions } from "../permissions/held-permissions.ts";
import { isResolution } from "../topics/resolved.ts";
import { maxTextEdits } from "./history.ts";
import type { Wish } from "./wish.ts";

/** Who began to edit within the limit may take so long to finish. */
const graceSeconds = 20;

/** What a message has said before, Markdown and HTML: it is all read for its history, and kept in one piece when deleted. */
const maxEditedBytes = 5_000_000;

interface TextEdits {
  edits: number;
  bytes: number;
  is_widget: boolean;
}

/** Only the sender changes what a message says, and not endlessly. The message is locked, so nobody edits it meanwhile. */
export async function accessContent(tx: Tx, user: User, message: MessageRow): Promise<void> {
  const { allow_message_editing, message_content_edit_limit_seconds: limit } = user.realm;
  if (!allow_message_editing) throw new ApiError("Your organization has turned off message editing");
  if (message.sender_id !== user.id) throw new ApiError("You don't have permission to edit this message");
  if (isOver(limit, message.age_seconds)) throw new ApiError("The time limit for editing this message has past");
  const { rows } = await sql<TextEdits>`
    select count(*) as edits, coalesce(sum(octet_length(prev_content) + octet_length(prev_rendered_content)), 0) as bytes,
      exists (select from submessages where message_id = ${message.id}) as is_widget
    from message_edits where message_id = ${message.id} and prev_content is not null`.execute(tx);
  const { edits = 0, bytes = 0, is_widget = false } = rows[0] ?? {};
  if (is_widget) throw new ApiError("Widgets cannot be edited.");
  if (edits >= maxTextEdits || bytes >= maxEditedBytes)
    throw new ApiError("This message has been edited too many times.");
}

/** The channel it goes to, if that is another one, for a user who may move this message there. */
export async function accessMove(tx: Tx, user: User, message: SeenMessage, wish: Wish): Promise<Channel | undefined> {
  await demandMove(tx, user, message, wish);
  return wish.channelId === undefined ? undefined : accessTargetChannel(tx, user, wish.channelId);
}

/**
 * Refuses unless the user may move this message; the channel it goes to has a rule of its own. To resolve a topic is a
 * right of its own, which no limit of time ends.
 */
async function demandMove(tx: Tx, user: User, message: SeenMessage, wish: Wish): Promise<void> {
  const held = await heldRealmPermissions(tx, user, [
    "can_move_messages_between_topics_group",
    "can_move_messages_between_channels_group",
    "can_resolve_topics_group",
  ]);
  const limits = limitsFor(user);
  if (isResolving(message, wish)) {
    if (!held.has("can_resolve_topics_group")) throw new ApiError("You don't have permission to resolve topics.");
  } else if (wish.topic !== undefined) {
    if (!held.has("can_move_messages_between_topics_group"))
      throw new ApiError("You don't have permission to edit this message");
    if (isOver(limits.topic, message.age_seconds))
      throw new ApiError("The time limit for editing this message's topic has passed.");
  }
  if (wish.channelId !== undefined) {
    if (!held.has("can_move_messages_between_channels_group"))
      throw new ApiError("You don't have permission to move this message");
    if (isOver(limits.channel, message.age_seconds))
      throw new ApiError("The time limit for editing this message's channel has passed");
  }
}

/** The channel, for a user who may read it and write there. */
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

const isResolving = (message: SeenMessage, wish: Wish): boolean =>
  message.topic !== null && wish.topic !== undefined && isResolution(message.topic, wish.topic);

/** After how many seconds a message stays where it is; null: never. */
export function moveLimit(user: User, message: SeenMessage, wish: Wish): number | null {
  const { topic, channel } = limitsFor(user);
  const isRenaming = wish.topic !== undefined && !isResolving(message, wish);
  const limits = [isRenaming ? topic : null, wish.channelId === undefined ? null : channel];
  const set = limits.filter((limit) => limit !== null);
  return set.length === 0 ? null : Math.min(...set) + graceSeconds;
}

/** Moderators and those above them take as long as they like. */
function limitsFor({ role, realm }: { role: number; realm: Realm }): { topic: number | null; channel: number | null } {
  if (role <= roles.moderator) return { topic: null, channel: null };
  return {
    topic: realm.move_messages_within_stream_limit_seconds,
    channel: realm.move_messages_between_streams_limit_seconds,
  };
}

const isOver = (limit: number | null, ageSeconds: number): boolean =>
  limit !== null && ageSeconds > limit + graceSeconds;

interface InTime {
  first: number | null;
  total: number;
  allowed: number;
}

/** For a whole topic of which a part is too old to be moved. */
export const movesTooMuch = ({ first, total, allowed }: InTime): ApiError =>
  new ApiError(`You only have permission to move the ${allowed}/${total} most recent messages in this topic.`, {
    code: "MOVE_MESSAGES_TIME_LIMIT_EXCEEDED",
    data: {
      first_message_id_allowed_to_move: first,
      total_messages_in_topic: total,
      total_messages_allowed_to_move: allowed,
    },
  });
