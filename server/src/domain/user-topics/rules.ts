import { visibilityPolicies } from "@skein/api/user-topics.ts";

/** SQL: whether a reader has what stands in a topic unmuted. A choice for the topic goes before one for its channel. */
export const isUnmutedTopic = (reader: { id: string }, topicId: string, isChannelMuted: string): string => `coalesce(
      (select chosen.visibility_policy <> ${visibilityPolicies.muted} from user_topics chosen
        where chosen.user_id = ${reader.id} and chosen.topic_id = ${topicId}), not ${isChannelMuted})`;
