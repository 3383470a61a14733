/** Some topics of the open channel: unread first, then the latest. */
import { addressOf, conversationAddress, place } from "../navigation/router.ts";
import { TopicName } from "../parts/conversation-name.tsx";
import { isSameConversation, topicConversation, type TopicConversation } from "../store/conversations.ts";
import { draftOf } from "../store/drafts.ts";
import { topicList } from "../store/topics.ts";
import { unreadIn } from "../store/unread.ts";
import { isMuted } from "../store/visibility.ts";
import { isResolvedTopic } from "../text/names.ts";
import { t } from "../text/t.ts";
import { SidebarRow } from "./sidebar-row.tsx";

const most = 8;

interface ShownTopic {
  conversation: TopicConversation;
  max_id: number | undefined;
}

export function TopicRows({ channelId }: { channelId: number }) {
  const { value: at } = place;
  const here = at.kind === "conversation" ? at.conversation : undefined;
  const topics = (topicList(channelId).topics.value ?? []).map(({ name, max_id }): ShownTopic => ({
    conversation: topicConversation(channelId, name),
    max_id,
  }));
  const rank = ({ conversation }: ShownTopic): number => {
    if (unreadIn(conversation)) return isMuted(conversation) ? 2 : 0;
    return isResolvedTopic(conversation.topic) ? 3 : 1;
  };
  const ordered = topics.toSorted((a, b) => rank(a) - rank(b));
  const chosen = ordered.slice(0, most);
  // The open topic always has a row: even if others are more recent, and while the list does not have its new name yet.
  if (here?.kind === "topic" && here.channelId === channelId) {
    const known = topics.find(({ conversation }) => isSameConversation(conversation, here));
    if (known === undefined || !chosen.includes(known))
      chosen.splice(most - 1, 1, known ?? { conversation: here, max_id: undefined });
  }
  return (
    <>
      {chosen.map(({ conversation, max_id }) => {
        const unread = unreadIn(conversation);
        return (
          <SidebarRow
            key={conversation.topic}
            isNested
            label={<TopicName topic={conversation.topic} />}
            address={conversationAddress(conversation, max_id)}
            isCurrent={here !== undefined && isSameConversation(here, conversation)}
            count={unread?.ids.length ?? 0}
            isMuted={isMuted(conversation)}
            isLoud={unread?.isMention ?? false}
            hasDraft={draftOf(conversation) !== undefined}
          />
        );
      })}
      {topics.length > chosen.length && (
        <SidebarRow
          isNested
          label={t("channel.allTopics", { count: topics.length })}
          address={addressOf({ kind: "channel", channelId, tab: "topics" })}
        />
      )}
    </>
  );
}
