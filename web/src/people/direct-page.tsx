/** All direct conversations, the latest first. */
import { openDialog } from "../app/dialogs.tsx";
import { Empty } from "../app/empty.tsx";
import { PageHeader } from "../app/page-header.tsx";
import page from "../app/page.module.css";
import { ConversationRow } from "../inbox/conversation-row.tsx";
import { conversationKey } from "../store/conversations.ts";
import { directConversations } from "../store/direct.ts";
import { isWithMutedPerson } from "../store/muted-people.ts";
import { ownId, part } from "../store/state.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { useLastMessages } from "../channel/use-last-messages.ts";

export default function DirectPage() {
  const recent = part("recent_private_conversations").value ?? [];
  useLastMessages(recent.map(({ max_message_id }) => ({ name: "", max_id: max_message_id })));
  return (
    <div class={page["page"]}>
      <PageHeader
        isMain
        title={<h1>{t("sidebar.direct")}</h1>}
        actions={
          <Button icon="plus" class={page["action"]} onClick={() => openDialog("new-direct")}>
            {t("direct.new")}
          </Button>
        }
      />
      {recent.length === 0 && (
        <Empty icon="message-circle" title={t("direct.none")}>
          <p>{t("direct.noneHint")}</p>
        </Empty>
      )}
      <ul class={page["rows"]}>
        {directConversations.value.map((conversation, index) =>
          isWithMutedPerson(conversation) ? null : (
            <ConversationRow
              key={conversationKey(conversation)}
              conversation={conversation}
              lastId={recent[index]?.max_message_id}
              senderIds={conversation.userIds.length === 0 ? [ownId.value] : conversation.userIds}
              showsChannel={false}
            />
          ),
        )}
      </ul>
    </div>
  );
}
