/** All direct conversations, the latest first. */
import { openDialog } from "../app/dialogs.tsx";
import { PageHeader } from "../app/page-header.tsx";
import { ConversationRow } from "../inbox/conversation-row.tsx";
import { conversationKey } from "../store/conversations.ts";
import { directConversations } from "../store/direct.ts";
import { ownId, part } from "../store/state.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { useLastMessages } from "../channel/use-last-messages.ts";
import styles from "./direct-page.module.css";

export default function DirectPage() {
  const recent = part("recent_private_conversations").value ?? [];
  useLastMessages(recent.map(({ max_message_id }) => ({ name: "", max_id: max_message_id })));
  return (
    <div class={styles["page"]}>
      <PageHeader
        isMain
        title={<h1>{t("sidebar.direct")}</h1>}
        actions={
          <Button icon="plus" onClick={() => openDialog("new-direct")}>
            {t("direct.new")}
          </Button>
        }
      />
      <ul class={styles["rows"]}>
        {directConversations.value.map((conversation, index) => (
          <ConversationRow
            key={conversationKey(conversation)}
            conversation={conversation}
            lastId={recent[index]?.max_message_id}
            senderIds={conversation.userIds.length === 0 ? [ownId.value] : conversation.userIds}
            showsChannel={false}
          />
        ))}
      </ul>
      {recent.length === 0 && <p class={styles["empty"]}>{t("direct.none")}</p>}
    </div>
  );
}
