/** A message's content: its text, a poll or a task list; collapsed if the reader wants it so. */
import { useContext } from "preact/hooks";
import { Lazy } from "../ui/lazy.tsx";
import { act } from "../commands/selected-message.ts";
import { MessageContent } from "../content/message-content.tsx";
import { toggleCollapsed } from "../store/marks.ts";
import type { Message } from "../store/messages.ts";
import { isHidden, showHidden } from "../store/muted-people.ts";
import { maySeeHistory } from "../store/permissions.ts";
import { t } from "../text/t.ts";
import { fullTime } from "../text/time.ts";
import { tip } from "../ui/tooltip.tsx";
import styles from "./message-text.module.css";
import { MessageViewContext } from "./message-view.ts";

const widget = () => import("./message-widget.tsx");

export function MessageText({ message }: { message: Message }) {
  const { matches } = useContext(MessageViewContext);
  if (isHidden(message))
    return (
      <button type="button" class={styles.folded} onClick={() => showHidden(message.id)}>
        {t("message.hidden")}
      </button>
    );
  if (message.flags.includes("collapsed"))
    return (
      <button type="button" class={styles.folded} onClick={() => toggleCollapsed(message)}>
        {t("message.folded")}
      </button>
    );
  return (
    <>
      {message.submessages.length > 0 ? (
        <Lazy load={widget} props={{ message }} />
      ) : (
        <div class={message.is_me_message ? styles.doing : undefined}>
          <MessageContent html={shownText(matches?.get(message.id) ?? message.content, message.is_me_message)} />
        </div>
      )}
      {message.last_edit_timestamp !== undefined && <Edited message={message} at={message.last_edit_timestamp} />}
    </>
  );
}

/** A /me message is shown below the sender's name, which is its subject. */
const shownText = (html: string, isDoing: boolean): string => (isDoing ? html.replace(/^<p>\/me /, "<p>") : html);

function Edited({ message, at }: { message: Message; at: number }) {
  if (!maySeeHistory(message))
    return (
      <span class={styles.edited} {...tip(fullTime(at))}>
        {t("message.edited")}
      </span>
    );
  return (
    <button type="button" class={styles.edited} {...tip(fullTime(at))} onClick={() => act("history", message)}>
      {t("message.edited")}
    </button>
  );
}
