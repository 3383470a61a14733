/** Scheduled messages that could not be sent, where the reader looks first. */
import "../text/chunks/inbox.ts";
import { addressOf } from "../navigation/router.ts";
import { part } from "../store/state.ts";
import { t } from "../text/t.ts";
import { Icon } from "../ui/icon.tsx";
import styles from "./failed-messages.module.css";

export default function FailedMessages() {
  const count = (part("scheduled_messages").value ?? []).filter(({ failed }) => failed).length;
  return count === 0 ? null : (
    <a data-row class={styles.notice} href={addressOf({ kind: "scheduled" })}>
      <Icon name="circle-alert" />
      {t("scheduled.someFailed", { count })}
    </a>
  );
}
