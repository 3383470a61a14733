/** What a message says: its text, a poll or a task list, folded away where the reader wants it so. */
import { useContext } from "preact/hooks";
import { Lazy } from "../app/lazy.tsx";
import { act } from "../app/selected-message.ts";
import { MessageContent } from "../content/message-content.tsx";
import { toggleCollapsed } from "../store/marks.ts";
import type { Message } from "../store/messages.ts";
import { maySeeHistory } from "../store/permissions.ts";
import { t } from "../text/t.ts";
import { fullTime } from "../text/time.ts";
import { tip } from "../ui/tooltip.tsx";
import styles from "./message-text.module.css";
import { MessageViewContext } from "./message-view.ts";

const widget = () => import("../message-actions/message-widget.tsx");

export function MessageText({ message }: { message: Message }) {
  const { matches } = useContext(MessageViewContext);
  if (message.flags.includes("collapsed"))
    return (
      <button type="button" class={styles["folded"]} onClick={() => toggleCollapsed(message)}>
        {t("message.folded")}
      </button>
    );
  return (
    <>
      {message.submessages.length > 0 ? (
        <Lazy load={widget} props={{ message }} />
      ) : (
        <MessageContent html={matches?.get(message.id) ?? message.content} />
      )}
      {message.last_edit_timestamp !== undefined && <Edited message={message} at={message.last_edit_timestamp} />}
    </>
  );
}

function Edited({ message, at }: { message: Message; at: number }) {
  if (!maySeeHistory(message))
    return (
      <span class={styles["edited"]} {...tip(fullTime(at))}>
        {t("message.edited")}
      </span>
    );
  return (
    <button type="button" class={styles["edited"]} {...tip(fullTime(at))} onClick={() => act("history", message)}>
      {t("message.edited")}
    </button>
  );
}
