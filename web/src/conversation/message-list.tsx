/**
 * A list of messages that may be of any length. Some of its rows are in the page, in normal flow (flow-window.ts); the
 * page is kept still under the reader by scroll-keeper.ts; what is seen is noted by seen.ts.
 */
import { signal, useSignal, type ReadonlySignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { conversationAddress, remember } from "../app/router.ts";
import { conversationOf } from "../store/conversations.ts";
import { fetchPage, hold, type MessageList as List } from "../store/lists.ts";
import { findMessage, rowKeyOf } from "../store/messages.ts";
import type { Outgoing } from "../store/outbox.ts";
import { newestRun, runAround, type Run } from "../store/runs.ts";
import { ownId } from "../store/state.ts";
import { generation } from "../store/sync.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { Failure } from "../app/failure.tsx";
import {
  boundsOf,
  maxRows,
  movedDown,
  movedUp,
  sliceAround,
  sliceAtEnd,
  sliceOf,
  step,
  type Bounds,
} from "./flow-window.ts";
import { ConversationBar } from "./conversation-bar.tsx";
import styles from "./message-list.module.css";
import { MessageRow } from "./message-row.tsx";
import { MessageViewContext } from "./message-view.ts";
import { hasMessage, leftAt, startAnew, startAt, startInMemory, wantedBy, type Opened, type Start } from "./opening.ts";
import { Rows, type Row } from "./rows.ts";
import { ScrollKeeper, type Position } from "./scroll-keeper.ts";
import { Seen } from "./seen.ts";
import { listControls, selectedKey } from "./selection.ts";

interface MessageListProps extends Opened {
  label: string;
  echoes: readonly Outgoing[];
  /** Called with what the server had, before it is shown. */
  onOpened?: ((newestId: number | undefined) => void) | undefined;
  /** Undefined where scrolling marks nothing as read. */
  onSeen?: ((ids: number[]) => void) | undefined;
  /** One went to the end, past whatever lay between. */
  onSkipped?: (() => void) | undefined;
  /** What stands where there are no messages. */
  empty: ComponentChildren;
  /** Below the last message. */
  ending?: ComponentChildren;
}

const edge = 1500;
/** Until the first frame is painted less will do. */
const openingEdge = 50;
const pageSize = 100;
/** So many rows from a run's end its next page is fetched. */
const fetchAhead = 60;

/** Which rows are there. */
interface View {
  bounds: Bounds;
  /** An id of the run that is shown. */
  at: number;
}

/** Where the reader is to be put, once the rows of that view are there. */
interface Aim {
  position: Position | "end";
  view: View;
}

/** One list for as long as it is mounted: for another it is given another key. */
export function MessageList(props: MessageListProps) {
  const { list, label, opening, echoes, isMixed, withId, onOpened, onSeen, onSkipped, empty, ending } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const keeper = useRef<ScrollKeeper | undefined>(undefined);
  // What is in memory is there with the first rendering.
  const begun = useMemo(() => {
    const start = startInMemory(props);
    return start && { start, aim: aimAt(list, echoes, start) };
  }, []);
  const aim = useRef(begun?.aim);
  /** Undefined until it is known where the list opens. */
  const view = useMemo(() => signal(begun?.aim.view), []);
  const newFromId = useSignal(begun && markedBy(begun.start, "new"));
  const targetId = useSignal(begun && markedBy(begun.start, "target"));
  const isAway = useSignal(false);
  const topId = useSignal<number | undefined>(undefined);

  const runs = list.runs.value;
  const committed = view.value;
  const run = committed && (committed.at === Infinity ? newestRun(runs) : runAround(runs, committed.at));
  const rows = useMemo(() => new Rows(run, echoes), [run, echoes]);
  const latest = useRef({ rows, run });
  // What one scrolled since is not to be taken back by what is about to change.
  if (keeper.current?.hasMoved && view.peek()) keeper.current.note(reachesEnd(latest.current, view.peek()));
  latest.current = { rows, run };
  const slice = committed ? sliceOf(rows, committed.bounds) : { start: 0, end: 0 };
  const shown = rows.slice(slice.start, slice.end);

  const show = (start: Start): void => {
    aim.current = aimAt(list, echoes, start);
    view.value = aim.current.view;
  };

  const open = async (): Promise<void> => {
    const left = leftAt(list);
    if (left && !hasMessage(list, left.id)) await fetchPage(list, { anchor: left.id, before: 60, after: 150 });
    // It may have been deleted meanwhile; then the list opens as it would anew.
    const start = left && hasMessage(list, left.id) ? left : (startAnew(props) ?? startAt(props, await fetchOpening()));
    newFromId.value = markedBy(start, "new") ?? newFromId.peek();
    targetId.value = markedBy(start, "target") ?? targetId.peek();
    show(start);
  };

  /** Fetches what is around the place where the list opens; the message it opens at, if it is one. */
  const fetchOpening = async (): Promise<number | undefined> => {
    const wanted = wantedBy(opening);
    const anchor = wanted ?? (opening.at === "first unread" ? "first_unread" : "newest");
    const page = await fetchPage(list, {
      anchor,
      before: anchor === "newest" ? pageSize : 60,
      after: anchor === "newest" ? 0 : 150,
      with: withId,
    });
    onOpened?.(page.ids.at(-1));
    return opening.at === "newest" ? undefined : (page.anchor ?? nearest(page.ids, wanted));
  };

  const openOrFail = (): void => {
    // The failure is shown in the list's place, with a way to try again.
    open().catch(() => undefined);
  };

  useLayoutEffect(() => {
    const release = hold(list);
    if (!view.peek()) openOrFail();
    return release;
  }, []);

  const askedFor = opening.at === "message" ? opening.id : undefined;
  const openedAt = useRef(askedFor);
  useEffect(() => {
    if (askedFor !== undefined && askedFor !== openedAt.current) openOrFail();
    openedAt.current = askedFor;
  }, [askedFor]);

  // Fetched anew after the queue was replaced: nobody told of what came meanwhile.
  useEffect(() => {
    const last = latest.current.run?.ids.at(-1);
    if (generation.value > 1 && last !== undefined)
      fetchPage(list, { anchor: last, before: 30, after: pageSize }).catch(() => undefined);
  }, [generation.value]);

  useLayoutEffect(() => {
    if (!scroller.current || !content.current) return undefined;
    const kept = new ScrollKeeper(scroller.current, content.current);
    keeper.current = kept;
    const observer = new ResizeObserver(() => {
      kept.restore();
      adjust();
    });
    observer.observe(content.current);
    observer.observe(scroller.current);
    return () => observer.disconnect();
  }, []);

  const seen = useMemo(() => onSeen && new Seen(scroller, onSeen), [onSeen === undefined]);
  useLayoutEffect(() => seen && (() => seen.disconnect()), [seen]);

  // After every commit the reader is put back, or where the list is to open.
  useLayoutEffect(() => {
    const kept = keeper.current;
    // What is on the page may still be the list that was here before.
    if (!kept || (aim.current && aim.current.view !== committed)) return;
    const { position } = aim.current ?? {};
    if (position === "end") kept.placeAtEnd();
    else if (position === undefined) kept.restore();
    else if (!kept.place(position)) return;
    if (position !== undefined) {
      aim.current = undefined;
      note();
      widenAfterPaint();
    }
    adjust();
  });

  const widening = useRef<{ frame: number } | undefined>(undefined);
  const widenAfterPaint = (): void => {
    if (widening.current) cancelAnimationFrame(widening.current.frame);
    const frame = requestAnimationFrame(() => setTimeout(widen));
    const own = { frame };
    const widen = (): void => {
      if (widening.current !== own) return;
      widening.current = undefined;
      adjust();
    };
    widening.current = own;
  };
  useLayoutEffect(
    () => () => {
      widening.current = undefined;
    },
    [],
  );

  const note = (): void => {
    const kept = keeper.current;
    const { rows: all } = latest.current;
    if (!kept || !view.peek() || aim.current) return;
    const isEndShown = reachesEnd(latest.current, view.peek());
    kept.note(isEndShown);
    isAway.value = !isEndShown || kept.roomBelow > 400;
    const { position } = kept;
    const id = position && idOfKey(all, position.key);
    // While nothing is above, the bar of the first message is in view.
    topId.value = kept.roomAbove > 0 ? id : undefined;
    if (kept.isAtEnd) remember(list.key, undefined);
    else if (position && id !== undefined && id < Infinity) remember(list.key, { id, offset: position.offset });
    follow(kept.isAtEnd);
  };

  /** At the end the window goes along with what comes; elsewhere it stays. */
  const follow = (isAtEnd: boolean): void => {
    const current = view.peek();
    if (!current) return;
    const { rows: all } = latest.current;
    const last = isAtEnd ? Infinity : current.bounds.last === Infinity ? all.idAt(all.length - 1) : current.bounds.last;
    if (last !== current.bounds.last) view.value = { ...current, bounds: { ...current.bounds, last } };
  };

  /** Moves the window when the view comes near one of its edges, and fetches ahead. */
  const adjust = (): void => {
    const kept = keeper.current;
    const current = view.peek();
    if (!kept || !current || aim.current) return;
    const { rows: all, run: there } = latest.current;
    const now = sliceOf(all, current.bounds);
    const near = widening.current ? openingEdge : edge;
    let next = now;
    if (kept.roomAbove < near && now.start > 0) next = movedUp(now);
    else if (kept.roomBelow < near && now.end < all.length) next = movedDown(all, now);
    else if (kept.isAtEnd && now.end - now.start > maxRows + step) next = sliceAtEnd(all, maxRows);
    if (next.start !== now.start || next.end !== now.end) {
      const isFollowing = kept.isAtEnd && (there?.hasNewest ?? false);
      view.value = { ...current, at: middleId(all, next), bounds: boundsOf(all, next, isFollowing) };
    }
    if (there) fetchBeyond(there, next.start, all.length - next.end);
  };

  const fetchBeyond = (there: Run, rowsAbove: number, rowsBelow: number): void => {
    if (list.failure.peek() !== undefined) return;
    const [oldest] = there.ids;
    const newest = there.ids.at(-1);
    const quietly = (): void => undefined; // list.failure tells
    if (!there.hasOldest && rowsAbove < fetchAhead && oldest !== undefined)
      fetchPage(list, { anchor: oldest, before: pageSize, after: 0 }).catch(quietly);
    if (!there.hasNewest && rowsBelow < fetchAhead && newest !== undefined)
      fetchPage(list, { anchor: newest, before: 0, after: pageSize }).catch(quietly);
  };

  const jumpToEnd = (): void => {
    if (newestRun(list.runs.peek())) show("end");
    else
      fetchPage(list, { anchor: "newest", before: pageSize, after: 0 })
        .then(() => show("end"))
        .catch(() => undefined);
  };

  // What one writes oneself is where one looks next.
  const echoCount = echoes.length;
  const hadEchoes = useRef(echoCount);
  useLayoutEffect(() => {
    if (echoCount > hadEchoes.current) jumpToEnd();
    hadEchoes.current = echoCount;
  }, [echoCount]);

  useLayoutEffect(() => {
    const focusRow = (row: Row | undefined): void => {
      const element = row && keeper.current?.rowOf(row.key);
      element?.focus({ preventScroll: true });
      element?.scrollIntoView({ block: "nearest" });
    };
    const selected = (): number => {
      const { rows: all } = latest.current;
      const index = all.indexOfKey(selectedKey.peek() ?? "");
      return index >= 0 ? index : sliceOf(all, view.peek()?.bounds ?? nothing).end;
    };
    listControls.value = {
      move: (by) => {
        const { rows: all } = latest.current;
        focusRow(all.at(Math.max(0, Math.min(all.length - 1, selected() + by))));
      },
      moveToStart: () => focusRow(latest.current.rows.at(0)),
      moveToEnd: () => {
        jumpToEnd();
        onSkipped?.();
        focusRow(latest.current.rows.at(latest.current.rows.length - 1));
      },
      focus: () => {
        const { rows: all } = latest.current;
        focusRow(all.at(Math.min(all.length - 1, selected())));
      },
      page: (by) => scroller.current?.scrollBy({ top: by * scroller.current.clientHeight * 0.85 }),
    };
    return () => {
      listControls.value = undefined;
      selectedKey.value = undefined;
    };
  }, []);

  const { failure } = list;
  const tabStop = shown.some(({ key }) => key === selectedKey.value) ? selectedKey.value : shown.at(-1)?.key;
  return (
    <div class={styles["frame"]}>
      {isMixed && <FloatingBar topId={topId} />}
      <div
        ref={scroller}
        class={styles["scroller"]}
        onScroll={() => {
          note();
          adjust();
        }}
      >
        {!isMixed && <div class={styles["filler"]} />}
        {run?.hasOldest === false && slice.start === 0 && failure.value === undefined && (
          <div class={styles["more"]}>{t("ui.loading")}</div>
        )}
        <MessageViewContext.Provider
          value={useMemo(
            () => ({
              isMixed,
              newFromId: newFromId.value,
              targetId: targetId.value,
              matches: list.matches.value,
              seen,
            }),
            [isMixed, newFromId.value, targetId.value, list.matches.value, seen],
          )}
        >
          <div
            ref={content}
            class={styles["content"]}
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
        {failure.value !== undefined && <Failure error={failure.value} onRetry={openOrFail} />}
        {committed && rows.length === 0 && failure.value === undefined && <div class={styles["empty"]}>{empty}</div>}
        {!committed && failure.value === undefined && <Skeleton rows={8} height={56} hasAvatar />}
        {run?.hasNewest && slice.end >= rows.length && ending}
      </div>
      {isAway.value && rows.length > 0 && (
        <Button
          class={styles["jump"]}
          onClick={() => {
            jumpToEnd();
            onSkipped?.();
          }}
        >
          <Icon name="arrow-down" /> {t("message.jumpToLatest")}
        </Button>
      )}
    </div>
  );
}

/** In a mixed list, the conversation one is reading, whose own bar may be far above. */
function FloatingBar({ topId }: { topId: ReadonlySignal<number | undefined> }) {
  const id = topId.value;
  const message = id === undefined ? undefined : findMessage(id)?.value;
  if (id === undefined || !message) return null;
  const conversation = conversationOf(message, ownId.value);
  return (
    <div class={styles["floating"]}>
      <ConversationBar conversation={conversation} address={conversationAddress(conversation, id)} />
    </div>
  );
}

/** So many rows are enough for the first frame of most screens; the others come right after it. */
const openingRows = (): number => Math.max(16, Math.ceil(innerHeight / 40));

/** The rows around a place, and the place. */
function aimAt(list: List, echoes: readonly Outgoing[], start: Start): Aim {
  const runs = list.runs.peek();
  const rows = new Rows(start === "end" ? newestRun(runs) : runAround(runs, start.id), echoes);
  if (start === "end")
    return { position: "end", view: { at: Infinity, bounds: boundsOf(rows, sliceAtEnd(rows, openingRows()), true) } };
  const slice = sliceAround(rows, rows.indexOfId(start.id), openingRows());
  return {
    position: { key: rowKeyOf(start.id), offset: start.offset },
    view: { at: start.id, bounds: boundsOf(rows, slice, false) },
  };
}

const markedBy = (start: Start, mark: "new" | "target"): number | undefined =>
  start !== "end" && start.mark === mark ? start.id : undefined;

const nothing: Bounds = { first: Infinity, last: -Infinity };

/** Whether the newest message is among the rows on the page. */
const reachesEnd = ({ rows, run }: { rows: Rows; run: Run | undefined }, view: View | undefined): boolean =>
  (run?.hasNewest ?? false) && sliceOf(rows, view?.bounds ?? nothing).end >= rows.length;

const nearest = (ids: readonly number[], id: number | undefined): number | undefined =>
  id === undefined ? undefined : (ids.find((each) => each >= id) ?? ids.at(-1));

const middleId = (rows: Rows, { start, end }: { start: number; end: number }): number => rows.idAt((start + end) >>> 1);

const idOfKey = (rows: Rows, key: string): number | undefined => rows.at(rows.indexOfKey(key))?.id;
