/**
 * What the reader may do, by the organization's settings and time limits. The server has the last word: this only decides
 * what is offered.
 */
import type { GroupSettingValue } from "@skein/api/group-setting.ts";
import { isIn } from "@skein/api/state/own-permissions.ts";
import { t } from "../text/t.ts";
import { findChannel } from "./channels.ts";
import type { Conversation, TopicConversation } from "./conversations.ts";
import type { Message } from "./messages.ts";
import { findPerson, self } from "./people.ts";
import { ownId, part } from "./state.ts";

const administrator = 200;
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

type ChannelPermission =
  | "can_administer_channel_group"
  | "can_delete_any_message_group"
  | "can_delete_own_message_group"
  | "can_move_messages_out_of_channel_group"
  | "can_move_messages_within_channel_group"
  | "can_resolve_topics_group";

/** By the settings of a channel, which permit more than the organization does. */
const holdsIn = (channelId: number | undefined, permission: ChannelPermission): boolean =>
  isMeant(findChannel(channelId ?? 0)?.[permission]);

/** Those who administer a channel may move its messages. */
const mayMoveIn = (channelId: number, permission: ChannelPermission): boolean =>
  self.value.role <= administrator ||
  holdsIn(channelId, permission) ||
  holdsIn(channelId, "can_administer_channel_group");

const now = (): number => Date.now() / 1000;

/** Null: no limit. */
const endOf = ({ timestamp }: Message, limit: number | null | undefined): number =>
  limit === null || limit === undefined ? Infinity : timestamp + limit;

/** Until when the reader may edit a message's text, in seconds; Infinity if there is no limit, undefined if never. */
export function editableUntil(message: Message): number | undefined {
  if (message.sender_id !== ownId.value || message.submessages.length > 0) return undefined;
  if (part("realm_allow_message_editing").value === false) return undefined;
  return endOf(message, part("realm_message_content_edit_limit_seconds").value);
}

export const mayEdit = (message: Message): boolean => now() < (editableUntil(message) ?? 0);

/** Time limits do not apply to moderators and above. */
const isInTimeToMove = (message: Message, limit: number | null | undefined): boolean =>
  self.value.role <= moderator || now() < endOf(message, limit);

export const mayMoveToTopic = (message: Message): boolean =>
  message.stream_id !== undefined &&
  (holds("realm_can_move_messages_between_topics_group") ||
    mayMoveIn(message.stream_id, "can_move_messages_within_channel_group")) &&
  isInTimeToMove(message, part("realm_move_messages_within_stream_limit_seconds").value);

export const mayMoveToChannel = (message: Message): boolean =>
  message.stream_id !== undefined &&
  (holds("realm_can_move_messages_between_channels_group") ||
    mayMoveIn(message.stream_id, "can_move_messages_out_of_channel_group")) &&
  isInTimeToMove(message, part("realm_move_messages_between_streams_limit_seconds").value);

export const mayMove = (message: Message): boolean => mayMoveToTopic(message) || mayMoveToChannel(message);

export const mayResolve = (channelId: number): boolean =>
  holds("realm_can_resolve_topics_group") || holdsIn(channelId, "can_resolve_topics_group");

export const mayMentionMany = (): boolean => holds("realm_can_mention_many_users_group");

/** Messages of a user's bots count as the user's own. */
const isOwn = ({ sender_id }: Message): boolean =>
  sender_id === ownId.value || findPerson(sender_id).bot_owner_id === ownId.value;

export function mayDelete(message: Message): boolean {
  const { stream_id } = message;
  if (holds("realm_can_delete_any_message_group") || holdsIn(stream_id, "can_delete_any_message_group")) return true;
  if (!isOwn(message)) return false;
  if (!holds("realm_can_delete_own_message_group") && !holdsIn(stream_id, "can_delete_own_message_group")) return false;
  return now() < endOf(message, part("realm_message_content_delete_limit_seconds").value);
}

export const mayWriteIn = (channelId: number): boolean => {
  const channel = findChannel(channelId);
  return channel !== undefined && !channel.is_archived && isMeant(channel.can_send_message_group);
};

/** What is wrong with a topic in its channel, if anything: it needs a name, or may not have one. */
export function topicProblem({ channelId, topic }: TopicConversation): "topicNeeded" | "noTopics" | undefined {
  const policy = findChannel(channelId)?.topics_policy ?? "inherit";
  if (topic !== "") return policy === "empty_topic_only" ? "noTopics" : undefined;
  const isNeeded =
    policy === "disable_empty_topic" || (policy === "inherit" && part("realm_mandatory_topics").value === true);
  return isNeeded ? "topicNeeded" : undefined;
}

/** Whether these people, including the reader, may write to each other. Bots can always be written to. */
const mayWriteDirectly = (userIds: readonly number[]): boolean => {
  const allowed = part("realm_direct_message_permission_group").value;
  if (allowed === undefined || userIds.every((id) => findPerson(id).is_bot)) return true;
  const realm_user_groups = part("realm_user_groups").value ?? [];
  return [ownId.value, ...userIds].some((user_id) => isIn({ user_id, realm_user_groups }, allowed));
};

/** Why the reader may not write there at all; undefined if a composer is offered. */
export function reasonNotToWrite(conversation: Conversation): string | undefined {
  if (conversation.kind === "topic") {
    const channel = findChannel(conversation.channelId);
    if (channel?.is_archived) return t("noPosting.archived");
    return mayWriteIn(conversation.channelId) ? undefined : t("noPosting.channel");
  }
  const gone = conversation.userIds.map(findPerson).find(({ isActive, full_name }) => !isActive && full_name !== "");
  if (gone) return t("noPosting.deactivated", { name: gone.full_name });
  return mayWriteDirectly(conversation.userIds) ? undefined : t("noPosting.direct");
}

export function maySeeHistory({ last_edit_timestamp, last_moved_timestamp }: Message): boolean {
  const policy = part("realm_message_edit_history_visibility_policy").value ?? "all";
  if (policy === "none") return false;
  return last_moved_timestamp !== undefined || (policy === "all" && last_edit_timestamp !== undefined);
}

export const maySeeReceipts = (): boolean => part("realm_enable_read_receipts").value ?? false;
