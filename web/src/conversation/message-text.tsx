/** A message's content: its text, a poll or a task list; collapsed if the reader wants it so. */
import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useContext, useLayoutEffect, useRef } from "preact/hooks";
import { Lazy } from "../ui/lazy.tsx";
import { act } from "../commands/selected-message.ts";
import { listControls } from "../commands/selection.ts";
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
        <Condensed id={message.id} html={message.content}>
          <div class={message.is_me_message ? styles.doing : undefined}>
            <MessageContent
              html={shownText(matches?.get(message.id)?.content ?? message.content, message.is_me_message)}
            />
          </div>
        </Condensed>
      )}
      {message.last_edit_timestamp !== undefined && <Edited message={message} at={message.last_edit_timestamp} />}
    </>
  );
}

/** Long messages that the reader has opened. */
const opened = signal<ReadonlySet<number>>(new Set());

/** Measuring costs a layout, so only messages that could fill a screen are measured. */
const mayBeLong = (html: string): boolean => html.length > 1200 || (html.match(/\n|<img/g)?.length ?? 0) > 15;

interface CondensedProps {
  id: number;
  html: string;
  children: ComponentChildren;
}

/** A message longer than a screen shows its beginning until the reader wants all of it. */
function Condensed({ id, html, children }: CondensedProps) {
  const box = useRef<HTMLDivElement>(null);
  const isOpen = opened.value.has(id);
  const isCandidate = mayBeLong(html);
  // Before anything is painted, and before the list puts what is in view back in place.
  useLayoutEffect(() => {
    const content = box.current?.firstElementChild;
    if (content) box.current?.toggleAttribute("data-long", content.scrollHeight > innerHeight);
  });
  if (!isCandidate) return <>{children}</>;
  const open = (isWanted: boolean): void => {
    listControls.peek()?.stay?.();
    const next = new Set(opened.peek());
    if (isWanted) next.add(id);
    else next.delete(id);
    opened.value = next;
    if (!isWanted) requestAnimationFrame(() => box.current?.scrollIntoView({ block: "nearest" }));
  };
  return (
    <div ref={box} class={styles.long} data-open={isOpen}>
      {/* A link in the part that is cut off would scroll it into view. */}
      <div id={`long-${id}`} class={styles.cut} onFocusIn={() => box.current?.hasAttribute("data-long") && open(true)}>
        {children}
      </div>
      <button
        type="button"
        class={styles.toggle}
        aria-expanded={isOpen}
        aria-controls={`long-${id}`}
        onClick={() => open(!isOpen)}
      >
        {t(isOpen ? "message.showLess" : "message.showMore")}
      </button>
    </div>
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
