/** Drafts, scheduled messages and reminders. Opening a draft resumes writing. */
import "../text/chunks/drafts.ts";
import { Empty } from "../ui/empty.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import page from "../parts/page.module.css";
import { conversationAddress } from "../navigation/router.ts";
import { ConversationName } from "../parts/conversation-name.tsx";
import { drafts, keepDraft, type Draft } from "../store/drafts.ts";
import { part } from "../store/state.ts";
import { plainMarkdown } from "../text/plain-markdown.ts";
import { t } from "../text/t.ts";
import { fullTime, listTime } from "../text/time.ts";
import { IconButton } from "../ui/button.tsx";
import { toast } from "../store/toasts.ts";
import { tip } from "../ui/tooltip.tsx";
import styles from "./drafts-page.module.css";
import { RemindersList } from "./reminders-list.tsx";
import { ScheduledList } from "./scheduled-list.tsx";

function discard({ conversation, text }: Draft): void {
  keepDraft(conversation, "");
  toast(t("drafts.discarded"), { undo: () => keepDraft(conversation, text) });
}

export default function DraftsPage() {
  const scheduled = part("scheduled_messages").value ?? [];
  const reminders = part("reminders").value ?? [];
  return (
    <div class={page.page}>
      <PageHeader title={<h1>{t("drafts.title")}</h1>} />
      <div class={page.rows}>
        {drafts.value.length + scheduled.length + reminders.length === 0 && (
          <Empty icon="pencil" title={t("drafts.none")}>
            <p>{t("drafts.noneHint")}</p>
          </Empty>
        )}
        <ScheduledList />
        <RemindersList />
        {scheduled.length + reminders.length > 0 && drafts.value.length > 0 && (
          <h2 class={styles.heading}>{t("drafts.heading")}</h2>
        )}
        <ul class={styles.list}>
          {drafts.value.map((draft) => (
            <li key={draft.key} class={styles.row}>
              <a class={styles.link} href={conversationAddress(draft.conversation)}>
                <span class={styles.name}>
                  <ConversationName conversation={draft.conversation} />
                </span>
                <span class={styles.text}>{plainMarkdown(draft.text)}</span>
              </a>
              <time class={styles.time} {...tip(fullTime(draft.changedAt))}>
                {listTime(draft.changedAt)}
              </time>
              <IconButton icon="trash-2" size={16} label={t("drafts.discard")} onClick={() => discard(draft)} />
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}
