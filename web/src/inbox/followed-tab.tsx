/** Followed topics, those with unread messages first. */
import "../text/chunks/inbox.ts";
import { Empty } from "../ui/empty.tsx";
import { conversationKey } from "../store/conversations.ts";
import { findMessage } from "../store/messages.ts";
import { unreadIn } from "../store/unread.ts";
import { followedTopics } from "../store/visibility.ts";
import { t } from "../text/t.ts";
import { ConversationRow } from "../parts/conversation-row.tsx";
import styles from "./inbox.module.css";
import { useRecent } from "./recent.ts";

export default function FollowedTab() {
  const recent = new Map((useRecent() ?? []).map((each) => [each.key, each]));
  const rows = followedTopics.value
    .map((conversation) => {
      const key = conversationKey(conversation);
      const lastId = unreadIn(conversation)?.ids.at(-1) ?? recent.get(key)?.lastId;
      const lastSender = lastId === undefined ? undefined : findMessage(lastId)?.value.sender_id;
      const senderIds = recent.get(key)?.senderIds ?? (lastSender === undefined ? [] : [lastSender]);
      return { key, conversation, lastId, senderIds, isUnread: unreadIn(conversation) !== undefined };
    })
    .toSorted((a, b) => Number(b.isUnread) - Number(a.isUnread) || (b.lastId ?? 0) - (a.lastId ?? 0));
  if (rows.length === 0)
    return (
      <Empty icon="bookmark" title={t("inbox.noFollowed")}>
        <p>{t("inbox.noFollowedHint")}</p>
      </Empty>
    );
  return (
    <ul class={styles.rows}>
      {rows.map(({ key, conversation, lastId, senderIds }) => (
        <ConversationRow key={key} conversation={conversation} lastId={lastId} senderIds={senderIds} showsChannel />
      ))}
    </ul>
  );
}
