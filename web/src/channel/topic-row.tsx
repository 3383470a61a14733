/** A topic in its channel's list. */
import { ConversationRow } from "../parts/conversation-row.tsx";
import { topicConversation } from "../store/conversations.ts";
import { findMessage } from "../store/messages.ts";
import type { Topic } from "../store/topics.ts";

export function TopicRow({ channelId, topic }: { channelId: number; topic: Topic }) {
  const sender = findMessage(topic.max_id)?.value.sender_id;
  return (
    <ConversationRow
      conversation={topicConversation(channelId, topic.name)}
      lastId={topic.max_id}
      senderIds={sender === undefined ? [] : [sender]}
      showsChannel={false}
    />
  );
}
