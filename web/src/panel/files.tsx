/** Files shared in a conversation, newest first. */
import "../text/chunks/panel.ts";
import { getMessages } from "@skein/api/routes/fetch-messages.ts";
import { call } from "../api/call.ts";
import { Failure } from "../ui/failure.tsx";
import { narrowOf } from "../store/conversations.ts";
import type { Message } from "../store/messages.ts";
import { ownId } from "../store/state.ts";
import { t } from "../text/t.ts";
import { listTime } from "../text/time.ts";
import { Icon } from "../ui/icon.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import type { Subject } from "./details.tsx";
import styles from "./details.module.css";
import { filesIn } from "./files-in.ts";
import lists from "./lists.module.css";
import { useFetched } from "../parts/use-fetched.ts";

/** How many messages are searched for files. */
const most = 100;

async function messagesWithFiles(subject: Subject): Promise<Message[]> {
  const where =
    subject.kind === "channel"
      ? [{ operator: "channel", operand: subject.channelId }]
      : [...narrowOf(subject, ownId.peek())];
  const { messages } = await call(getMessages, {
    narrow: [...where, { operator: "has", operand: "attachment" }],
    anchor: "newest",
    num_before: most,
    num_after: 0,
    client_gravatar: false,
    allow_empty_topic_name: true,
  });
  return messages;
}

export function Files({ subject }: { subject: Subject }) {
  const [fetched, retry] = useFetched(() => messagesWithFiles(subject), JSON.stringify(subject));
  if (fetched.state === "loading") return <Skeleton rows={5} height={48} />;
  if (fetched.state === "failed") return <Failure error={fetched.error} onRetry={retry} />;
  const files = fetched.value
    .toReversed()
    .flatMap((message) => filesIn(message.content).map((file) => ({ ...file, message })));
  if (files.length === 0) return <p class={lists.summary}>{t("details.noFiles")}</p>;
  return (
    <div class={lists.scroller}>
      <ul class={lists.list}>
        {files.map(({ address, name, thumbnail, message }) => (
          <li key={`${message.id} ${address}`}>
            <a class={styles.file} href={address} target="_blank" rel="noopener noreferrer">
              {thumbnail === undefined ? (
                <Icon name="file" size={24} />
              ) : (
                <img class={styles.picture} src={thumbnail} alt="" loading="lazy" />
              )}
              <span class={styles.fileText}>
                <span class={styles.fileName} dir="auto">
                  {name}
                </span>
                <span class={styles.fileBy}>
                  {message.sender_full_name} · {listTime(message.timestamp)}
                </span>
              </span>
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}
