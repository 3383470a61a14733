/** At the end of a conversation: a link to the next unread one. */
import { conversationAddress } from "../navigation/router.ts";
import { conversationKey, type Conversation } from "../store/conversations.ts";
import { inboxOrder, unreadIn } from "../store/unread.ts";
import { t } from "../text/t.ts";
import { Icon } from "../ui/icon.tsx";
import { conversationTitle } from "../store/conversation-title.ts";
import styles from "./next-unread.module.css";

export function NextUnread({ conversation }: { conversation: Conversation }) {
  const key = conversationKey(conversation);
  const next = inboxOrder.value.find((each) => each.key !== key);
  if (!next || unreadIn(conversation)) return null;
  return (
    <a class={styles.next} href={conversationAddress(next.conversation, next.ids[0])}>
      {t("conversation.next", { name: conversationTitle(next.conversation), count: next.ids.length })}
      <Icon name="arrow-right" size={14} />
    </a>
  );
}
