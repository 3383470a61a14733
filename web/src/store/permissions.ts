/**
 * What the reader may do, by the organization's settings and the time that has passed. The server has the last word: this
 * decides what is offered.
 */
import type { GroupSettingValue } from "@skein/api/group-setting.ts";
import { isIn } from "@skein/api/state/own-permissions.ts";
import { findChannel } from "./channels.ts";
import type { Message } from "./messages.ts";
import { findPerson, self } from "./people.ts";
import { ownId, part } from "./state.ts";

const moderator = 300;

type RealmPermission =
  | "realm_can_delete_any_message_group"
  | "realm_can_delete_own_message_group"
  | "realm_can_mention_many_users_group"
  | "realm_can_move_messages_between_channels_group"
  | "realm_can_move_messages_between_topics_group"
  | "realm_can_resolve_topics_group";

const isMeant = (value: GroupSettingValue | undefined): boolean =>
  value !== undefined &&
  isIn({ user_id: ownId.value, realm_user_groups: part("realm_user_groups").value ?? [] }, value);

const holds = (permission: RealmPermission): boolean => isMeant(part(permission).value);

const now = (): number => Date.now() / 1000;

/** Null: without end. */
const endOf = ({ timestamp }: Message, limit: number | null | undefined): number =>
  limit === null || limit === undefined ? Infinity : timestamp + limit;

/** Until when the reader may change what a message says, in seconds; Infinity for ever, undefined not at all. */
export function editableUntil(message: Message): number | undefined {
  if (message.sender_id !== ownId.value || message.submessages.length > 0) return undefined;
  if (part("realm_allow_message_editing").value === false) return undefined;
  return endOf(message, part("realm_message_content_edit_limit_seconds").value);
}

export const mayEdit = (message: Message): boolean => now() < (editableUntil(message) ?? 0);

/** Moderators and those above them take as long as they like. */
const isInTimeToMove = (message: Message, limit: number | null | undefined): boolean =>
  self.value.role <= moderator || now() < endOf(message, limit);

export const mayMoveToTopic = (message: Message): boolean =>
  message.stream_id !== undefined &&
  holds("realm_can_move_messages_between_topics_group") &&
  isInTimeToMove(message, part("realm_move_messages_within_stream_limit_seconds").value);

export const mayMoveToChannel = (message: Message): boolean =>
  message.stream_id !== undefined &&
  holds("realm_can_move_messages_between_channels_group") &&
  isInTimeToMove(message, part("realm_move_messages_between_streams_limit_seconds").value);

export const mayMove = (message: Message): boolean => mayMoveToTopic(message) || mayMoveToChannel(message);

export const mayResolve = (): boolean => holds("realm_can_resolve_topics_group");

export const mayMentionMany = (): boolean => holds("realm_can_mention_many_users_group");

/** What one's bots say is one's own. */
const isOwn = ({ sender_id }: Message): boolean =>
  sender_id === ownId.value || findPerson(sender_id).bot_owner_id === ownId.value;

export function mayDelete(message: Message): boolean {
  if (holds("realm_can_delete_any_message_group")) return true;
  if (!holds("realm_can_delete_own_message_group") || !isOwn(message)) return false;
  return now() < endOf(message, part("realm_message_content_delete_limit_seconds").value);
}

export const mayWriteIn = (channelId: number): boolean => {
  const channel = findChannel(channelId);
  return channel !== undefined && !channel.is_archived && isMeant(channel.can_send_message_group);
};

export function maySeeHistory({ last_edit_timestamp, last_moved_timestamp }: Message): boolean {
  const policy = part("realm_message_edit_history_visibility_policy").value ?? "all";
  if (policy === "none") return false;
  return last_moved_timestamp !== undefined || (policy === "all" && last_edit_timestamp !== undefined);
}

export const maySeeReceipts = (): boolean => part("realm_enable_read_receipts").value ?? false;
