/** Some topics of the open channel: unread first, then the latest. */
import { addressOf, conversationAddress, place } from "../navigation/router.ts";
import { TopicName } from "../parts/conversation-name.tsx";
import { isSameConversation, topicConversation } from "../store/conversations.ts";
import { draftOf } from "../store/drafts.ts";
import { topicList } from "../store/topics.ts";
import { unreadIn } from "../store/unread.ts";
import { isMuted } from "../store/visibility.ts";
import { isResolvedTopic } from "../text/names.ts";
import { t } from "../text/t.ts";
import { SidebarRow } from "./sidebar-row.tsx";

const most = 8;

export function TopicRows({ channelId }: { channelId: number }) {
  const { value: at } = place;
  const here = at.kind === "conversation" ? at.conversation : undefined;
  const topics = (topicList(channelId).topics.value ?? []).map(({ name, max_id }) => ({
    conversation: topicConversation(channelId, name),
    max_id,
  }));
  const rank = ({ conversation }: (typeof topics)[number]): number => {
    if (unreadIn(conversation)) return isMuted(conversation) ? 2 : 0;
    return isResolvedTopic(conversation.topic) ? 3 : 1;
  };
  const ordered = topics.toSorted((a, b) => rank(a) - rank(b));
  const chosen = ordered.slice(0, most);
  const current = topics.find(({ conversation }) => here && isSameConversation(conversation, here));
  // The current topic always has a row, even if others are more recent.
  if (current && !chosen.includes(current)) chosen.splice(-1, 1, current);
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
