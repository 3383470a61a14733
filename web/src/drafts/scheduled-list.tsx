/** Scheduled messages: what will be sent and when, and what could not be sent. */
import "../text/chunks/fields.ts";
import "../text/chunks/drafts.ts";
import type { ScheduledMessage } from "@skein/api/scheduled-messages.ts";
import { useState } from "preact/hooks";
import { conversationAddress } from "../navigation/router.ts";
import { ScheduleDialog } from "../conversation/schedule-dialog.tsx";
import { ConversationName } from "../parts/conversation-name.tsx";
import { cancelScheduled, changeScheduled, conversationOf, isAccepted, ownZone, sendNow } from "../store/scheduled.ts";
import { part } from "../store/state.ts";
import { plainMarkdown } from "../text/plain-markdown.ts";
import { t } from "../text/t.ts";
import { writtenTime } from "../text/time.ts";
import { IconButton } from "../ui/button.tsx";
import { classes } from "../ui/classes.ts";
import { Icon } from "../ui/icon.tsx";
import { tip } from "../ui/tooltip.tsx";
import styles from "./drafts-page.module.css";

export function ScheduledList() {
  const messages = part("scheduled_messages").value ?? [];
  const [edited, setEdited] = useState<ScheduledMessage>();
  if (messages.length === 0) return null;
  return (
    <section>
      <h2 class={styles.heading}>{t("scheduled.title")}</h2>
      <ul class={styles.list}>
        {messages.map((message) => (
          <Row key={message.scheduled_message_id} message={message} onEdit={() => setEdited(message)} />
        ))}
      </ul>
      {edited && (
        <ScheduleDialog
          title={t("scheduled.edit")}
          message={{ content: edited.content, at: edited.scheduled_delivery_timestamp }}
          onSave={(at, content) => changeScheduled(edited, content, at)}
          onClose={() => setEdited(undefined)}
        />
      )}
    </section>
  );
}

function Row({ message, onEdit }: { message: ScheduledMessage; onEdit: () => void }) {
  const { content, scheduled_delivery_timestamp: at, failed } = message;
  const conversation = conversationOf(message);
  const zone = ownZone();
  return (
    <li class={styles.row}>
      <a class={styles.link} href={conversationAddress(conversation)}>
        <span class={styles.name}>
          <ConversationName conversation={conversation} />
        </span>
        <span class={styles.text}>{plainMarkdown(content)}</span>
        {failed && (
          <span class={styles.failed}>
            <Icon name="circle-alert" size={14} />
            {t("scheduled.notSent")}
          </span>
        )}
      </a>
      <time class={classes(styles.time, failed && styles.missed)} {...tip(t("scheduled.zone", { zone }))}>
        {writtenTime(at, zone)}
      </time>
      {isAccepted(message) && (
        <span class={styles.actions}>
          <IconButton icon="pencil" size={16} label={t("scheduled.edit")} onClick={onEdit} />
          <IconButton
            icon="send-horizontal"
            size={16}
            label={t("scheduled.sendNow")}
            onClick={() => void sendNow(message)}
          />
          <IconButton
            icon="trash-2"
            size={16}
            label={t("scheduled.cancel")}
            onClick={() => void cancelScheduled(message)}
          />
        </span>
      )}
    </li>
  );
}
