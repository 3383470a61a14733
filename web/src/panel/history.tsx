/** A message's edit history, newest first, with additions and deletions marked. */
import "../text/chunks/panel.ts";
import type { Snapshot } from "@skein/api/edits.ts";
import { getMessageHistory } from "@skein/api/routes/edits.ts";
import { call } from "../api/call.ts";
import { Failure } from "../ui/failure.tsx";
import { MessageContent } from "../content/message-content.tsx";
import { emptyTopicName, findChannel } from "../store/channels.ts";
import { findPerson } from "../store/people.ts";
import { t } from "../text/t.ts";
import { writtenTime } from "../text/time.ts";
import { Skeleton } from "../ui/skeleton.tsx";
import styles from "./history.module.css";
import lists from "./lists.module.css";
import { useFetched } from "../parts/use-fetched.ts";

export function History({ messageId }: { messageId: number }) {
  const [fetched, retry] = useFetched(
    () => call(getMessageHistory, { message_id: messageId, allow_empty_topic_name: true }),
    messageId,
  );
  if (fetched.state === "loading") return <Skeleton rows={4} height={72} />;
  if (fetched.state === "failed") return <Failure error={fetched.error} onRetry={retry} />;
  return (
    <div class={lists.scroller}>
      <ol class={lists.list}>
        {fetched.value.message_history.toReversed().map((snapshot, index, all) => (
          <li key={`${snapshot.timestamp} ${index}`} class={styles.step}>
            <p class={styles.head}>
              {t(index === all.length - 1 ? "history.sent" : "history.changed", {
                name: (snapshot.user_id === null ? "" : findPerson(snapshot.user_id).full_name) || t("person.unknown"),
                time: writtenTime(snapshot.timestamp),
              })}
            </p>
            <Moved snapshot={snapshot} />
            {(snapshot.prev_content !== undefined || index === all.length - 1) && (
              <MessageContent html={snapshot.content_html_diff ?? snapshot.rendered_content} />
            )}
          </li>
        ))}
      </ol>
    </div>
  );
}

function Moved({ snapshot: { prev_topic, prev_stream, topic, stream } }: { snapshot: Snapshot }) {
  const nameOf = (name: string): string => name || emptyTopicName.value;
  const channel = (id: number | undefined): string =>
    (id === undefined ? undefined : findChannel(id)?.name) ?? t("channel.unknown");
  return (
    <>
      {prev_stream !== undefined && (
        <p class={styles.moved}>
          {t("history.moved", { from: `#${channel(prev_stream)}`, to: `#${channel(stream)}` })}
        </p>
      )}
      {prev_topic !== undefined && (
        <p class={styles.moved}>{t("history.moved", { from: nameOf(prev_topic), to: nameOf(topic) })}</p>
      )}
    </>
  );
}
