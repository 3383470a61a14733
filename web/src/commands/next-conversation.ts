/** Navigation from one conversation to another by key. */
import { conversationKey, topicConversation, type Conversation } from "../store/conversations.ts";
import { directConversations } from "../store/direct.ts";
import { topicList } from "../store/topics.ts";
import { subscribedChannels } from "../store/channels.ts";
import { inboxOrder, unreadIn } from "../store/unread.ts";
import { isFollowed, isMuted } from "../store/visibility.ts";
import { t } from "../text/t.ts";
import { announce } from "../store/announcements.ts";
import { conversationAddress, go, place } from "../navigation/router.ts";

type Kind = "any" | "direct" | "followed";

const isOfKind = (conversation: Conversation, kind: Kind): boolean => {
  if (kind === "any") return true;
  if (kind === "direct") return conversation.kind === "direct";
  return conversation.kind === "topic" && isFollowed(conversation);
};

/** The next unread conversation in Inbox order, wrapping around at the end. */
export function goToNext(kind: Kind): void {
  const here = keyHere();
  const order = inboxOrder.peek();
  const at = order.findIndex(({ key }) => key === here);
  const after = [...order.slice(at + 1), ...order.slice(0, Math.max(0, at))];
  const next = after.find(({ conversation }) => isOfKind(conversation, kind));
  if (next) go(conversationAddress(next.conversation, next.ids[0]));
  else announce(t("unread.none"));
}

const keyHere = (): string | undefined => {
  const at = place.peek();
  return at.kind === "conversation" ? conversationKey(at.conversation) : undefined;
};

/** The sidebar's conversations from top to bottom, as far as they are known. */
function sidebarOrder(): Conversation[] {
  const { pinned, active, inactive } = subscribedChannels.peek();
  const at = place.peek();
  const open =
    at.kind === "conversation" && at.conversation.kind === "topic"
      ? at.conversation.channelId
      : at.kind === "channel"
        ? at.channelId
        : undefined;
  const topics = [...pinned, ...active, ...inactive].flatMap(({ stream_id }) => {
    const unread = inboxOrder
      .peek()
      .flatMap(({ conversation }) =>
        conversation.kind === "topic" && conversation.channelId === stream_id ? [conversation] : [],
      );
    if (stream_id !== open) return unread;
    return (topicList(stream_id).topics.peek() ?? [])
      .map(({ name }) => topicConversation(stream_id, name))
      .filter((topic) => !isMuted(topic));
  });
  return [...directConversations.peek(), ...topics];
}

export function goToConversationBeside(by: 1 | -1, { isUnread = false } = {}): void {
  const here = keyHere();
  const order = sidebarOrder();
  const at = order.findIndex((conversation) => conversationKey(conversation) === here);
  const after = by === 1 ? order.slice(at + 1) : order.slice(0, Math.max(0, at)).toReversed();
  const next = isUnread ? after.find((conversation) => unreadIn(conversation)) : after[0];
  if (next) go(conversationAddress(next));
}
