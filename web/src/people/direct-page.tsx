/** All direct conversations, latest first. */
import "../text/chunks/people.ts";
import { useRef } from "preact/hooks";
import { openDialog } from "../navigation/dialogs.ts";
import { Empty } from "../ui/empty.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import page from "../parts/page.module.css";
import { useRowKeys } from "../commands/row-keys.ts";
import { ConversationRow } from "../parts/conversation-row.tsx";
import { conversationKey } from "../store/conversations.ts";
import { directConversations } from "../store/direct.ts";
import { isWithMutedPerson } from "../store/muted-people.ts";
import { ownId, part } from "../store/state.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { useLastMessages } from "../parts/use-last-messages.ts";

export default function DirectPage() {
  const recent = part("recent_private_conversations").value ?? [];
  useLastMessages(recent.map(({ max_message_id }) => ({ name: "", max_id: max_message_id })));
  const list = useRef<HTMLUListElement>(null);
  useRowKeys(list);
  return (
    <div class={page.page}>
      <PageHeader
        isMain
        title={<h1>{t("sidebar.direct")}</h1>}
        actions={
          <Button icon="plus" class={page.action} onClick={() => openDialog("new-direct")}>
            {t("direct.new")}
          </Button>
        }
      />
      {recent.length === 0 && (
        <Empty icon="message-circle" title={t("direct.none")}>
          <p>{t("direct.noneHint")}</p>
        </Empty>
      )}
      <ul ref={list} class={page.rows}>
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
