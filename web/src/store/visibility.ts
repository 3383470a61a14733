/** A topic's visibility for the reader: inherited from the channel, muted, unmuted in a muted channel, or followed. */
import { computed } from "@preact/signals";
import { updateUserTopic } from "@skein/api/routes/user-topics.ts";
import { call } from "../api/call.ts";
import { findChannel } from "./channels.ts";
import { conversationKey, topicConversation, type TopicConversation } from "./conversations.ts";
import { perform } from "./operations.ts";
import { part } from "./state.ts";

export const visibility = { inherit: 0, muted: 1, unmuted: 2, followed: 3 } as const;
export type Visibility = (typeof visibility)[keyof typeof visibility];

const policies = computed(
  (): ReadonlyMap<string, Visibility> =>
    new Map(
      (part("user_topics").value ?? []).map(({ stream_id, topic_name, visibility_policy }) => [
        conversationKey(topicConversation(stream_id, topic_name)),
        visibility_policy,
      ]),
    ),
);

export const visibilityOf = (topic: TopicConversation): Visibility =>
  policies.value.get(conversationKey(topic)) ?? visibility.inherit;

export const isFollowed = (topic: TopicConversation): boolean => visibilityOf(topic) === visibility.followed;

/** Muted itself, or in a muted channel and not unmuted. */
export function isMuted(topic: TopicConversation): boolean {
  const own = visibilityOf(topic);
  if (own !== visibility.inherit) return own === visibility.muted;
  return findChannel(topic.channelId)?.is_muted ?? false;
}

export const followedTopics = computed((): TopicConversation[] =>
  (part("user_topics").value ?? [])
    .filter(({ visibility_policy }) => visibility_policy === visibility.followed)
    .map(({ stream_id, topic_name }) => topicConversation(stream_id, topic_name)),
);

export function setVisibility(conversation: TopicConversation, next: Visibility): void {
  const { channelId: stream_id, topic } = conversation;
  perform({
    key: `visibility ${conversationKey(conversation)}`,
    event: {
      type: "user_topic",
      stream_id,
      topic_name: topic,
      last_updated: Math.floor(Date.now() / 1000),
      visibility_policy: next,
    },
    request: () => call(updateUserTopic, { stream_id, topic, visibility_policy: next }),
  });
}
