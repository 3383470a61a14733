/** Reminders that were not sent yet: of which message, and when. */
import "../text/chunks/fields.ts";
import "../text/chunks/drafts.ts";
import { deleteReminder } from "@skein/api/routes/reminders.ts";
import { call } from "../api/call.ts";
import { reasonOf } from "../store/reasons.ts";
import { ownZone } from "../store/scheduled.ts";
import { part } from "../store/state.ts";
import { toast } from "../store/toasts.ts";
import { plainMarkdown } from "../text/plain-markdown.ts";
import { t } from "../text/t.ts";
import { writtenTime } from "../text/time.ts";
import { IconButton } from "../ui/button.tsx";
import { tip } from "../ui/tooltip.tsx";
import styles from "./drafts-page.module.css";

/** The server's event removes it from the list. */
function remove(reminder_id: number): void {
  call(deleteReminder, { reminder_id }).catch((error: unknown) => toast(reasonOf(error), { kind: "danger" }));
}

/** The text links to the message; its first line says only that it is a reminder. */
const addressIn = (content: string): string => /#narrow\/[^\s)]+/.exec(content)?.[0] ?? "#inbox";
const withoutFirstLine = (content: string): string => content.slice(content.indexOf("\n") + 1);

export function RemindersList() {
  const reminders = part("reminders").value ?? [];
  const zone = ownZone();
  if (reminders.length === 0) return null;
  return (
    <section>
      <h2 class={styles.heading}>{t("reminders.title")}</h2>
      <ul class={styles.list}>
        {reminders.map(({ reminder_id, content, scheduled_delivery_timestamp: at }) => (
          <li key={reminder_id} class={styles.row}>
            <a class={styles.link} href={addressIn(content)}>
              <span class={styles.text}>{plainMarkdown(withoutFirstLine(content))}</span>
            </a>
            <time class={styles.time} {...tip(t("scheduled.zone", { zone }))}>
              {writtenTime(at, zone)}
            </time>
            <IconButton icon="trash-2" size={16} label={t("reminders.delete")} onClick={() => remove(reminder_id)} />
          </li>
        ))}
      </ul>
    </section>
  );
}
