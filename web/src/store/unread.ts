/** Unread messages, by conversation and by channel, as the sidebar and the Inbox show them. */
import { computed } from "@preact/signals";
import { channelsById } from "./channels.ts";
import {
  conversationKey,
  directConversation,
  topicConversation,
  type Conversation,
  type TopicConversation,
} from "./conversations.ts";
import { byFolder, inboxFolders } from "./folders.ts";
import { ownId, part } from "./state.ts";
import { isFollowed, isMuted } from "./visibility.ts";

export interface UnreadConversation {
  conversation: Conversation;
  key: string;
  /** Ascending. */
  ids: readonly number[];
  /** Whether one of them mentions the reader. */
  isMention: boolean;
}

export const unreadConversations = computed((): readonly UnreadConversation[] => {
  const unread = part("unread_msgs").value;
  if (!unread) return [];
  const mentions = new Set(unread.mentions);
  const entry = (conversation: Conversation, ids: readonly number[]): UnreadConversation => ({
    conversation,
    key: conversationKey(conversation),
    ids,
    isMention: mentions.size > 0 && ids.some((id) => mentions.has(id)),
  });
  return [
    ...unread.pms.map((each) => entry(directConversation([each.other_user_id], ownId.value), each.unread_message_ids)),
    ...unread.huddles.map((each) =>
      entry(directConversation(each.user_ids_string.split(",").map(Number), ownId.value), each.unread_message_ids),
    ),
    ...unread.streams.map((each) => entry(topicConversation(each.stream_id, each.topic), each.unread_message_ids)),
  ];
});

const unreadByKey = computed(
  (): ReadonlyMap<string, UnreadConversation> => new Map(unreadConversations.value.map((each) => [each.key, each])),
);

export const unreadIn = (conversation: Conversation): UnreadConversation | undefined =>
  unreadByKey.value.get(conversationKey(conversation));

export const firstUnreadIn = (conversation: Conversation): number | undefined => unreadIn(conversation)?.ids[0];

export interface ChannelUnread {
  /** In topics that are not muted. */
  count: number;
  mutedCount: number;
  isMention: boolean;
}

export const unreadByChannel = computed((): ReadonlyMap<number, ChannelUnread> => {
  const channels = new Map<number, ChannelUnread>();
  for (const { conversation, ids, isMention } of unreadConversations.value) {
    if (conversation.kind !== "topic") continue;
    const sum = channels.get(conversation.channelId) ?? { count: 0, mutedCount: 0, isMention: false };
    if (isMuted(conversation)) sum.mutedCount += ids.length;
    else sum.count += ids.length;
    sum.isMention ||= isMention;
    channels.set(conversation.channelId, sum);
  }
  return channels;
});

/** A muted conversation counts only if it mentions the reader. */
const isCounted = ({ conversation, isMention }: UnreadConversation): boolean =>
  conversation.kind === "direct" || isMention || !isMuted(conversation);

export const unreadCount = computed(() =>
  unreadConversations.value.filter(isCounted).reduce((sum, { ids }) => sum + ids.length, 0),
);

/** This many of the newest messages are worth reading in any case. */
const newestKept = 100;

export interface Backlog {
  /** The oldest message that is not part of it. */
  sinceId: number;
  /** Older messages in channels that do not mention the reader personally. */
  ids: readonly number[];
}

/** Unread messages the reader may want to dismiss after a long absence. */
export const backlog = computed((): Backlog | undefined => {
  const mentions = new Set(part("unread_msgs").value?.mentions);
  const ids = unreadConversations.value
    .flatMap((each) => (each.conversation.kind === "topic" ? each.ids : []))
    .filter((id) => !mentions.has(id))
    .toSorted((a, b) => b - a);
  const sinceId = ids[newestKept - 1];
  return sinceId === undefined ? undefined : { sinceId, ids: ids.slice(newestKept) };
});

export const mentionCount = computed(() => part("unread_msgs").value?.mentions.length ?? 0);

/** The count on the page's icon, by the reader's setting. */
export const iconCount = computed(() => {
  const choice = part("user_settings").value?.desktop_icon_count_display ?? 1;
  if (choice === 1) return unreadCount.value;
  if (choice === 4) return 0;
  const counts = ({ conversation, isMention }: UnreadConversation): boolean =>
    conversation.kind === "direct" || isMention || (choice === 2 && isFollowed(conversation));
  return unreadConversations.value.filter(counts).reduce((sum, { ids }) => sum + ids.length, 0);
});

export interface InboxChannel {
  channelId: number;
  topics: UnreadConversation[];
}

export interface InboxGroups {
  mentions: UnreadConversation[];
  direct: UnreadConversation[];
  followed: UnreadConversation[];
  channels: InboxChannel[];
}

const newestFirst = (a: UnreadConversation, b: UnreadConversation): number => (b.ids.at(-1) ?? 0) - (a.ids.at(-1) ?? 0);

/** The order of the Inbox, also used for going to the next unread conversation. */
export const inboxGroups = computed((): InboxGroups => {
  const rest: (UnreadConversation & { conversation: TopicConversation })[] = [];
  const groups: InboxGroups = { mentions: [], direct: [], followed: [], channels: [] };
  for (const each of unreadConversations.value.filter(isCounted).toSorted(newestFirst)) {
    const { conversation } = each;
    if (each.isMention) groups.mentions.push(each);
    else if (conversation.kind === "direct") groups.direct.push(each);
    else if (isFollowed(conversation)) groups.followed.push(each);
    else rest.push({ ...each, conversation });
  }
  const byChannel = Map.groupBy(rest, ({ conversation }) => conversation.channelId);
  const channels = channelsById.value;
  const nameOf = (id: number): string => channels.get(id)?.name ?? "";
  const isPinned = (id: number): number => Number(channels.get(id)?.pin_to_top ?? false);
  groups.channels = [...byChannel]
    .map(([channelId, topics]) => ({ channelId, topics }))
    .toSorted(
      (a, b) =>
        isPinned(b.channelId) - isPinned(a.channelId) ||
        // The folder of a pinned channel does not matter.
        (isPinned(a.channelId)
          ? 0
          : byFolder(inboxFolders.value, channels.get(a.channelId), channels.get(b.channelId))) ||
        nameOf(a.channelId).localeCompare(nameOf(b.channelId)),
    );
  return groups;
});

/** The whole Inbox, top to bottom. */
export const inboxOrder = computed((): readonly UnreadConversation[] => {
  const { mentions, direct, followed, channels } = inboxGroups.value;
  return [...mentions, ...direct, ...followed, ...channels.flatMap(({ topics }) => topics)];
});
