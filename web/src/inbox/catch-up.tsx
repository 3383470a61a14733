/** For a reader who returns to a large backlog: one button marks everything old as read. */
import "../text/chunks/inbox.ts";
import { signal } from "@preact/signals";
import { useMessages } from "../parts/use-messages.ts";
import { findMessage } from "../store/messages.ts";
import { markAllRead } from "../store/reading.ts";
import { backlog, unreadCount } from "../store/unread.ts";
import { t } from "../text/t.ts";
import { shortTime } from "../text/time.ts";
import { Button } from "../ui/button.tsx";
import styles from "./catch-up.module.css";

/** Dismissing it once is enough. */
const isDismissed = signal(false);

export default function CatchUp() {
  const { sinceId, ids } = backlog.value ?? {};
  const since = sinceId === undefined ? undefined : findMessage(sinceId)?.value;
  // Until the message's time is known, the card is not shown.
  useMessages(sinceId === undefined ? [] : [sinceId]);
  if (isDismissed.value || !since || !ids || ids.length === 0) return null;
  return (
    <section class={styles.card} aria-labelledby="catch-up">
      <h2 id="catch-up">{t("catchUp.title", { count: unreadCount.value })}</h2>
      <p>{t("catchUp.text")}</p>
      <div class={styles.actions}>
        <Button kind="primary" icon="check-check" onClick={() => markAllRead(ids)}>
          {t("catchUp.mark", { time: shortTime(since.timestamp) })}
        </Button>
        <Button
          kind="quiet"
          onClick={() => {
            isDismissed.value = true;
          }}
        >
          {t("catchUp.dismiss")}
        </Button>
      </div>
    </section>
  );
}
