import { visibilityPolicies } from "@skein/api/user-topics.ts";

/** SQL: whether a topic is unmuted for a reader. A policy for the topic takes precedence over the channel's mute. */
export const isUnmutedTopic = (reader: { id: string }, topicId: string, isChannelMuted: string): string => `coalesce(
      (select chosen.visibility_policy <> ${visibilityPolicies.muted} from user_topics chosen
        where chosen.user_id = ${reader.id} and chosen.topic_id = ${topicId}), not ${isChannelMuted})`;
