/** What was begun and not sent. Opening one goes on where one stopped. */
import { PageHeader } from "../app/page-header.tsx";
import { conversationAddress } from "../app/router.ts";
import { ConversationName } from "../conversation/conversation-name.tsx";
import { drafts, keepDraft, type Draft } from "../store/drafts.ts";
import { t } from "../text/t.ts";
import { fullTime, listTime } from "../text/time.ts";
import { IconButton } from "../ui/button.tsx";
import { toast } from "../ui/toast.tsx";
import { tip } from "../ui/tooltip.tsx";
import styles from "./drafts-page.module.css";

function discard({ conversation, text }: Draft): void {
  keepDraft(conversation, "");
  toast(t("drafts.discarded"), { undo: () => keepDraft(conversation, text) });
}

export default function DraftsPage() {
  return (
    <div class={styles["page"]}>
      <PageHeader title={<h1>{t("drafts.title")}</h1>} />
      {drafts.value.length === 0 && <p class={styles["empty"]}>{t("drafts.none")}</p>}
      <ul class={styles["rows"]}>
        {drafts.value.map((draft) => (
          <li key={draft.key} class={styles["row"]}>
            <a class={styles["link"]} href={conversationAddress(draft.conversation)}>
              <span class={styles["name"]}>
                <ConversationName conversation={draft.conversation} />
              </span>
              <span class={styles["text"]}>{draft.text}</span>
            </a>
            <time class={styles["time"]} {...tip(fullTime(draft.changedAt))}>
              {listTime(draft.changedAt)}
            </time>
            <IconButton icon="trash-2" size={16} label={t("drafts.discard")} onClick={() => discard(draft)} />
          </li>
        ))}
      </ul>
    </div>
  );
}
