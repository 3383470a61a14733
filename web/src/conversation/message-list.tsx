/**
 * A list of messages that may be of any length. Some of its rows are in the page, in normal flow (flow-window.ts); the
 * page is kept still under the reader by scroll-keeper.ts; what is seen is noted by seen.ts.
 */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { conversationAddress, recall, remember } from "../app/router.ts";
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
import { Rows, type Row } from "./rows.ts";
import { ScrollKeeper, type Position } from "./scroll-keeper.ts";
import { Seen } from "./seen.ts";
import { listControls, selectedKey } from "./selection.ts";

/** Where a list opens. */
export type Opening =
  | { at: "newest" }
  | { at: "first unread"; id?: number | undefined }
  | { at: "message"; id: number };

interface MessageListProps {
  list: List;
  label: string;
  opening: Opening;
  echoes: readonly Outgoing[];
  isMixed: boolean;
  /** Resolves a renamed topic at the first fetch. */
  withId?: number | undefined;
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
const openingEdge = 200;
const pageSize = 100;
/** So many rows from a run's end its next page is fetched. */
const fetchAhead = 60;
/** Where the message one comes to stands: below the line that says what is new, and in mixed lists below two bars. */
const openingOffset = { single: 96, mixed: 144 };

/** Until the list knows where it opens, no row is shown. */
interface View {
  list: List;
  bounds: Bounds;
  /** An id of the run that is shown. */
  at: number;
}

/** Where the reader is to be put, once the rows of that view are there. */
interface Aim {
  position: Position | "end";
  view: View;
}

export function MessageList(props: MessageListProps) {
  const { list, label, opening, echoes, isMixed, withId, onOpened, onSeen, onSkipped, empty, ending } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const keeper = useRef<ScrollKeeper | undefined>(undefined);
  const view = useSignal<View | undefined>(undefined);
  const isAway = useSignal(false);
  const topId = useSignal<number | undefined>(undefined);
  const newFromId = useSignal<number | undefined>(undefined);
  const targetId = useSignal<number | undefined>(undefined);
  const seen = useSignal<Seen | undefined>(undefined);
  const aim = useRef<Aim | undefined>(undefined);

  const runs = list.runs.value;
  // The view of the list that was here before says nothing about this one.
  const committed = view.value?.list === list ? view.value : undefined;
  const run = committed && (committed.at === Infinity ? newestRun(runs) : runAround(runs, committed.at));
  const rows = useMemo(() => new Rows(run, echoes), [run, echoes]);
  const latest = useRef({ rows, run });
  // What one scrolled since is not to be taken back by what is about to change.
  if (keeper.current?.hasMoved && view.peek()) keeper.current.note(reachesEnd(latest.current, view.peek()));
  latest.current = { rows, run };
  const slice = committed ? sliceOf(rows, committed.bounds) : { start: 0, end: 0 };
  const shown = rows.slice(slice.start, slice.end);

  const show = (next: View, position: Position | "end"): void => {
    aim.current = { position, view: next };
    view.value = next;
  };

  /** Shows the run that has a message, with its row where it is wanted. */
  const showAt = (id: number, position: Position): void => {
    const there = runAround(list.runs.peek(), id);
    const all = new Rows(there, echoes);
    show({ list, at: id, bounds: boundsOf(all, sliceAround(all, all.indexOfId(id)), false) }, position);
  };

  const showEnd = (): void => {
    const there = newestRun(list.runs.peek());
    const all = new Rows(there, echoes);
    show({ list, at: Infinity, bounds: boundsOf(all, sliceAtEnd(all), true) }, "end");
  };

  const open = async (): Promise<void> => {
    const left = recall(list.key) as { id: number; offset: number } | undefined; // left below, by note()
    if (left !== undefined) {
      if (!hasMessage(list, left.id)) await fetchPage(list, { anchor: left.id, before: 60, after: 150 });
      // It may have been deleted meanwhile; then the list opens as it would anew.
      if (hasMessage(list, left.id)) {
        showAt(left.id, { key: rowKeyOf(left.id), offset: left.offset });
        return;
      }
    }
    const wanted = opening.at === "newest" ? undefined : opening.id;
    // A message that is known to be here was not moved with a renamed topic.
    if (withId === undefined || wanted !== undefined || hasMessage(list, withId)) {
      if (wanted !== undefined && hasMessage(list, wanted)) return showOpening(wanted);
      if (opening.at === "newest" && newestRun(list.runs.peek())) return showOpening(undefined);
    }
    const anchor = wanted ?? (opening.at === "first unread" ? "first_unread" : "newest");
    const page = await fetchPage(list, {
      anchor,
      before: anchor === "newest" ? pageSize : 60,
      after: anchor === "newest" ? 0 : 150,
      with: withId,
    });
    onOpened?.(page.ids.at(-1));
    showOpening(opening.at === "newest" ? undefined : (page.anchor ?? nearest(page.ids, wanted)));
  };

  const showOpening = (id: number | undefined): void => {
    if (id === undefined || !hasMessage(list, id)) {
      showEnd();
      return;
    }
    if (opening.at === "message") targetId.value = id;
    else if (!findMessage(id)?.peek().flags.includes("read")) newFromId.value = id;
    showAt(id, { key: rowKeyOf(id), offset: isMixed ? openingOffset.mixed : openingOffset.single });
  };

  const openOrFail = (): void => {
    // The failure is shown in the list's place, with a way to try again.
    open().catch(() => undefined);
  };

  useLayoutEffect(() => {
    const release = hold(list);
    view.value = undefined;
    newFromId.value = undefined;
    targetId.value = undefined;
    openOrFail();
    return release;
  }, [list]);

  useEffect(() => {
    if (opening.at === "message" && view.peek()) openOrFail();
  }, [opening.at === "message" ? opening.id : undefined]);

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

  useLayoutEffect(() => {
    if (!onSeen || !scroller.current) return undefined;
    const watching = new Seen(scroller.current, onSeen);
    seen.value = watching;
    return () => {
      seen.value = undefined;
      watching.disconnect();
    };
  }, [onSeen === undefined, list]);

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
    [list],
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
    if (newestRun(list.runs.peek())) showEnd();
    else
      fetchPage(list, { anchor: "newest", before: pageSize, after: 0 })
        .then(showEnd)
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
  }, [list]);

  const { failure } = list;
  const tabStop = shown.some(({ key }) => key === selectedKey.value) ? selectedKey.value : shown.at(-1)?.key;
  return (
    <div class={styles["frame"]}>
      {isMixed && topId.value !== undefined && <FloatingBar id={topId.value} />}
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
              seen: seen.value,
            }),
            [isMixed, newFromId.value, targetId.value, list.matches.value, seen.value],
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
        {!view.value && failure.value === undefined && <Skeleton rows={8} height={56} hasAvatar />}
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
function FloatingBar({ id }: { id: number }) {
  const message = findMessage(id)?.value;
  if (!message) return null;
  const conversation = conversationOf(message, ownId.value);
  return (
    <div class={styles["floating"]}>
      <ConversationBar conversation={conversation} address={conversationAddress(conversation, id)} />
    </div>
  );
}

const nothing: Bounds = { first: Infinity, last: -Infinity };

/** Whether the newest message is among the rows on the page. */
const reachesEnd = ({ rows, run }: { rows: Rows; run: Run | undefined }, view: View | undefined): boolean =>
  (run?.hasNewest ?? false) && sliceOf(rows, view?.bounds ?? nothing).end >= rows.length;

const hasMessage = (list: List, id: number): boolean => list.runs.peek().some((run) => run.ids.includes(id));

const nearest = (ids: readonly number[], id: number | undefined): number | undefined =>
  id === undefined ? undefined : (ids.find((each) => each >= id) ?? ids.at(-1));

const middleId = (rows: Rows, { start, end }: { start: number; end: number }): number => rows.idAt((start + end) >>> 1);

const idOfKey = (rows: Rows, key: string): number | undefined => rows.at(rows.indexOfKey(key))?.id;
