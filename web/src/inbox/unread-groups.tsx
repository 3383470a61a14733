/**
 * Unread conversations under headings, of which only those near the view exist: heights are fixed, so positions are known
 * without the rows. The row with focus always exists, wherever the view is scrolled to.
 */
import type { ComponentChildren, RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { ConversationRow } from "../parts/conversation-row.tsx";
import { useMessages } from "../parts/use-messages.ts";
import { findMessage } from "../store/messages.ts";
import type { UnreadConversation } from "../store/unread.ts";
import styles from "./inbox.module.css";

export interface UnreadGroup {
  readonly key: string | number;
  readonly heading: ComponentChildren;
  readonly conversations: readonly UnreadConversation[];
  readonly showsChannel: boolean;
}

/** In pixels at the default text size. */
const rowHeight = 56;
const headingHeight = 44;
const messagesForFaces = 6;

/** The part of the list that exists, in pixels from its start. */
interface Extent {
  readonly start: number;
  readonly end: number;
}

const textScale = (): number => Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16 || 1;

/** Half a screen beyond each edge of the view. Changes in steps, so that most scroll events change nothing. */
function useExtent(list: RefObject<HTMLElement | null>): Extent {
  const [extent, setExtent] = useState<Extent>(() => ({ start: 0, end: 1.5 * innerHeight }));
  useLayoutEffect(() => {
    const scroller = list.current?.parentElement;
    if (!scroller) return undefined;
    const look = (): void => {
      const height = scroller.clientHeight || innerHeight;
      const passed = scroller.getBoundingClientRect().top - (list.current?.getBoundingClientRect().top ?? 0);
      const step = height / 2;
      const at = Math.floor(passed / step);
      const [start, end] = [(at - 1) * step, (at + 4) * step];
      setExtent((old) => (old.start === start && old.end === end ? old : { start, end }));
    };
    look();
    scroller.addEventListener("scroll", look, { passive: true });
    const observer = new ResizeObserver(look);
    observer.observe(scroller);
    return () => {
      scroller.removeEventListener("scroll", look);
      observer.disconnect();
    };
  }, []);
  return extent;
}

export function UnreadGroups({ groups }: { groups: readonly UnreadGroup[] }) {
  const list = useRef<HTMLDivElement>(null);
  const { start, end } = useExtent(list);
  const [kept, setKept] = useState<string>();
  const scale = textScale();
  const height = rowHeight * scale;
  const wanted: number[] = [];
  const sections: ComponentChildren[] = [];
  let top = 0;
  for (const { key, heading, conversations, showsChannel } of groups) {
    const above = top;
    const rowsTop = above + headingHeight * scale;
    top = rowsTop + conversations.length * height;
    const rows = conversations.flatMap((each, index) => {
      const rowTop = rowsTop + index * height;
      const isNear = rowTop + height > start && rowTop < end;
      if (!isNear && each.key !== kept) return [];
      wanted.push(...each.ids.slice(-messagesForFaces));
      return (
        <ConversationRow
          key={each.key}
          conversation={each.conversation}
          lastId={each.ids.at(-1)}
          senderIds={sendersOf(each.ids)}
          showsChannel={showsChannel}
          attributes={{
            "data-key": each.key,
            "aria-posinset": index + 1,
            "aria-setsize": conversations.length,
            style: { blockSize: `${height}px`, transform: `translateY(${index * height}px)` },
          }}
        />
      );
    });
    if (rows.length === 0 && (top < start || above > end)) continue;
    sections.push(
      <section key={key} class={styles.group} style={{ insetBlockStart: `${above}px` }}>
        {heading}
        <ul class={styles.rows} style={{ blockSize: `${top - rowsTop}px` }}>
          {rows}
        </ul>
      </section>,
    );
  }
  // The last messages of all rows, in one request.
  useMessages(wanted);
  return (
    <div
      ref={list}
      class={styles.groups}
      style={{ blockSize: `${top}px` }}
      onFocusIn={({ target }) => setKept((target as HTMLElement).closest("li")?.dataset["key"])} // focus is on elements
      onFocusOut={() => setKept(undefined)}
    >
      {sections}
    </div>
  );
}

const sendersOf = (ids: readonly number[]): number[] => [
  ...new Set(
    ids
      .slice(-messagesForFaces)
      .toReversed()
      .flatMap((id) => findMessage(id)?.value.sender_id ?? []),
  ),
];
