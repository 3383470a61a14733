/**
 * A list of messages of any length. Only some of its rows are in the page, in normal flow: message-window.ts decides which,
 * and where the page is scrolled; scroll-keeper.ts measures and scrolls; seen.ts records which messages were seen.
 */
import type { ReadonlySignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { selectedKey } from "../commands/selection.ts";
import { conversationAddress } from "../navigation/router.ts";
import { conversationOf } from "../store/conversations.ts";
import { findMessage } from "../store/messages.ts";
import { ownId } from "../store/state.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { Failure } from "../ui/failure.tsx";
import { Icon } from "../ui/icon.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { ConversationBar } from "./conversation-bar.tsx";
import styles from "./message-list.module.css";
import { MessageRow } from "./message-row.tsx";
import { MessageViewContext } from "./message-view.ts";
import { MessageWindow, type WindowProps } from "./message-window.ts";
import { ScrollKeeper } from "./scroll-keeper.ts";
import { Seen } from "./seen.ts";

interface MessageListProps extends WindowProps {
  label: string;
  /** The first message that is new to the reader, if it is not the one that was unread when the list was opened. */
  newFromId?: number | undefined;
  /** Whether times have dates. */
  showsDates?: boolean;
  /** Undefined where scrolling marks nothing as read. */
  onSeen?: ((ids: number[]) => void) | undefined;
  /** Shown when there are no messages. */
  empty: ComponentChildren;
  /** Shown below the last message. */
  ending?: ComponentChildren;
}

/** Shows one list for as long as it is mounted; another list gets another key. */
export function MessageList(props: MessageListProps) {
  const { list, label, isMixed, showsDates = false, onSeen, empty, ending } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const messages = useMemo(() => new MessageWindow(props), []);
  const { isOpen, run, rows, slice } = messages.render(props);
  const shown = rows.slice(slice.start, slice.end);

  useLayoutEffect(() => {
    if (!scroller.current || !content.current) return undefined;
    messages.connect(new ScrollKeeper(scroller.current, content.current));
    const observer = new ResizeObserver(() => messages.resized());
    observer.observe(content.current);
    observer.observe(scroller.current);
    return () => {
      observer.disconnect();
      messages.dispose();
    };
  }, []);
  useLayoutEffect(() => messages.committed());

  const seen = useMemo(() => onSeen && new Seen(scroller, onSeen), [onSeen === undefined]);
  useLayoutEffect(() => seen && (() => seen.disconnect()), [seen]);

  const { newFromId, targetId, isAway, topId } = messages;
  const newFrom = props.newFromId ?? newFromId.value;
  const { failure } = list;
  const tabStop = shown.some(({ key }) => key === selectedKey.value) ? selectedKey.value : shown.at(-1)?.key;
  return (
    <div class={styles.frame}>
      {isMixed && <FloatingBar topId={topId} />}
      <div ref={scroller} class={styles.scroller} onScroll={() => messages.scrolled()}>
        {!isMixed && <div class={styles.filler} />}
        {run?.hasOldest === false && slice.start === 0 && failure.value === undefined && (
          <div class={styles.more}>{t("ui.loading")}</div>
        )}
        <MessageViewContext.Provider
          value={useMemo(
            () => ({
              isMixed,
              newFromId: newFrom,
              targetId: targetId.value,
              matches: list.matches.value,
              showsDates,
              seen,
            }),
            [isMixed, newFrom, targetId.value, list.matches.value, showsDates, seen],
          )}
        >
          <div
            ref={content}
            class={styles.content}
            {...(shown.length > 0 && { role: "feed", "aria-label": label, "aria-busy": list.fetches.size > 0 })}
          >
            {shown.map((row, index) => {
              const before = index === 0 ? rows.at(slice.start - 1) : shown[index - 1];
              return (
                <MessageRow
                  key={row.key}
                  rowKey={row.key}
                  id={row.id}
                  echo={row.echo}
                  beforeId={before?.id}
                  beforeEcho={before?.echo}
                  isTabStop={row.key === tabStop}
                />
              );
            })}
          </div>
        </MessageViewContext.Provider>
        {failure.value !== undefined && <Failure error={failure.value} onRetry={() => messages.retry()} />}
        {isOpen && rows.length === 0 && failure.value === undefined && <div class={styles.empty}>{empty}</div>}
        {!isOpen && failure.value === undefined && <Skeleton rows={8} height={56} hasAvatar />}
        {run?.hasNewest && slice.end >= rows.length && ending}
      </div>
      {isAway.value && rows.length > 0 && (
        <Button class={styles.jump} onClick={() => messages.skipToEnd()}>
          <Icon name="arrow-down" /> {t("message.jumpToLatest")}
        </Button>
      )}
    </div>
  );
}

/** In a mixed list, the conversation being read, whose own bar may be far above. */
function FloatingBar({ topId }: { topId: ReadonlySignal<number | undefined> }) {
  const id = topId.value;
  const message = id === undefined ? undefined : findMessage(id)?.value;
  if (id === undefined || !message) return null;
  const conversation = conversationOf(message, ownId.value);
  return (
    <div class={styles.floating}>
      <ConversationBar conversation={conversation} address={conversationAddress(conversation, id)} />
    </div>
  );
}
