/** Scheduled messages. */
import { deleteScheduledMessage } from "@skein/api/routes.ts";
import type { ScheduledMessage } from "@skein/api/scheduled-messages.ts";
import { call } from "../api/call.ts";
import { conversationAddress } from "../navigation/router.ts";
import { ConversationName } from "../parts/conversation-name.tsx";
import { directConversation, topicConversation, type Conversation } from "../store/conversations.ts";
import { perform } from "../store/operations.ts";
import { ownId, part } from "../store/state.ts";
import { t } from "../text/t.ts";
import { fullTime, writtenTime } from "../text/time.ts";
import { IconButton } from "../ui/button.tsx";
import { tip } from "../ui/tooltip.tsx";
import styles from "./drafts-page.module.css";

const conversationOf = (message: ScheduledMessage): Conversation =>
  message.type === "stream"
    ? topicConversation(message.to, message.topic)
    : directConversation(message.to, ownId.value);

function cancel({ scheduled_message_id }: ScheduledMessage): void {
  perform({
    key: `scheduled ${scheduled_message_id}`,
    event: { type: "scheduled_messages", op: "remove", scheduled_message_id },
    request: () => call(deleteScheduledMessage, { scheduled_message_id }),
  });
}

export function ScheduledList() {
  const messages = part("scheduled_messages").value ?? [];
  if (messages.length === 0) return null;
  return (
    <section>
      <h2 class={styles.heading}>{t("scheduled.title")}</h2>
      <ul class={styles.list}>
        {messages.map((message) => {
          const { scheduled_message_id: id, content, scheduled_delivery_timestamp: at } = message;
          const conversation = conversationOf(message);
          return (
            <li key={id} class={styles.row}>
              <a class={styles.link} href={conversationAddress(conversation)}>
                <span class={styles.name}>
                  <ConversationName conversation={conversation} />
                </span>
                <span class={styles.text}>{content}</span>
              </a>
              <time class={styles.time} {...tip(fullTime(at))}>
                {writtenTime(at)}
              </time>
              <IconButton icon="trash-2" size={16} label={t("scheduled.cancel")} onClick={() => cancel(message)} />
            </li>
          );
        })}
      </ul>
    </section>
  );
}
