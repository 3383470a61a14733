/**
 * The window over a list of messages: which rows are in the page, and where it is scrolled. It decides where the list opens,
 * follows the end while the reader is there, moves and fetches ahead as the reader scrolls, and otherwise keeps what is in
 * view in place. It sees the page only through a `Scroller`.
 *
 * **Invariant:** every render goes through `render()` before the page changes and `committed()` after it. Positions are
 * measured in the rows rendered last, which may be older than the list.
 */
import { effect, signal, untracked, type Signal } from "@preact/signals";
import { listControls, selectedKey, type ListControls } from "../commands/selection.ts";
import { remember } from "../navigation/router.ts";
import { fetchPage, hold, type MessageList } from "../store/lists.ts";
import { rowKeyOf } from "../store/messages.ts";
import type { Outgoing } from "../store/outbox.ts";
import { newestRun, runAround, type Run } from "../store/runs.ts";
import { generation } from "../store/sync.ts";
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
  type Slice,
} from "./flow-window.ts";
import { fetchStart, pageSize, startInMemory, type Opened, type Start } from "./opening.ts";
import { Rows } from "./rows.ts";
import type { Position, ScrollKeeper } from "./scroll-keeper.ts";

/** The rows in the page and their scroll container. */
export type Scroller = Pick<ScrollKeeper, keyof ScrollKeeper>;

export interface WindowProps extends Opened {
  echoes: readonly Outgoing[];
  /** Called with the newest message fetched for the opening, before any is shown. */
  onOpened?: ((newestId: number) => void) | undefined;
  /** The reader jumped to the end, past everything in between. */
  onSkipped?: (() => void) | undefined;
}

/** What to show. */
export interface Rendered {
  /** False until it is known where the list opens. */
  readonly isOpen: boolean;
  readonly run: Run | undefined;
  readonly rows: Rows;
  /** The rows in the page. */
  readonly slice: Slice;
}

/** The window moves when fewer pixels than this are left before one of its edges. */
const edge = 1500;
/** Fewer rows are enough until the first frame is painted. */
const openingEdge = 50;
/** The next page is fetched when this many rows or fewer are left before a run's end. */
const fetchAhead = 60;
/** The reader is offered a way back to the end from this many pixels on. */
const awayFrom = 400;

interface View {
  readonly bounds: Bounds;
  /** An id of the run that is shown. */
  readonly at: number;
}

/** Where to scroll once the rows of that view are rendered. */
interface ScrollTarget {
  readonly position: Position | "end";
  readonly view: View;
}

export class MessageWindow {
  readonly #list: MessageList;
  #props: WindowProps;
  /** Undefined until it is known where the list opens. */
  readonly #view: Signal<View | undefined>;
  #scrollTarget: ScrollTarget | undefined;
  #rendered: Rendered & { view: View | undefined; echoes: readonly Outgoing[] };
  #scroller: Scroller | undefined;
  /** Undefined once the rows around those of the first frame may be added. */
  #cancelWidening: (() => void) | undefined;
  /** Incremented by everything that decides anew where the list is to be scrolled. */
  #attempts = 0;
  /** Repeats the last opening or jump, if it failed. */
  #failed: (() => void) | undefined;
  /** The row to focus once the jump that is under way has arrived. */
  #focusNext: "first" | "last" | undefined;
  #askedFor: number | undefined;
  #echoCount: number;
  #releases: (() => void)[] = [];
  #isDisposed = false;

  /** The first unread message at the time the list was opened. */
  readonly newFromId = signal<number | undefined>(undefined);
  /** The message that the address asks for. */
  readonly targetId = signal<number | undefined>(undefined);
  /** Whether the end is far below the view. */
  readonly isAway = signal(false);
  /** The message at the top of the view; undefined where nothing is above it. */
  readonly topId = signal<number | undefined>(undefined);

  /** Messages in memory are there with the first render. */
  constructor(props: WindowProps) {
    this.#list = props.list;
    this.#props = props;
    this.#askedFor = askedForBy(props);
    this.#echoCount = props.echoes.length;
    const start = startInMemory(props);
    if (start) {
      this.#mark(start);
      this.#scrollTarget = scrollTargetFor(props, start);
    }
    this.#view = signal(this.#scrollTarget?.view);
    const rows = new Rows(undefined, props.echoes);
    this.#rendered = { isOpen: false, view: undefined, run: undefined, echoes: props.echoes, rows, slice: nothing };
  }

  /** Returns what to show now. Its caller is notified when that changes, and shows it. */
  render(props: WindowProps): Rendered {
    const runs = this.#list.runs.value;
    const view = this.#view.value;
    // Note the scroll position first, so that the coming change does not undo it.
    if (view && this.#scroller?.hasMoved) this.#scroller.note(this.#reachesEnd(view));
    const run = view && (view.at === Infinity ? (newestRun(runs) ?? runs.at(-1)) : runAround(runs, view.at));
    const { echoes } = props;
    const last = this.#rendered;
    const rows = run === last.run && echoes === last.echoes ? last.rows : new Rows(run, echoes);
    const slice = view ? sliceOf(rows, view.bounds) : nothing;
    this.#props = props;
    this.#rendered = { isOpen: view !== undefined, view, run, echoes, rows, slice };
    return this.#rendered;
  }

  /** Begins when the first render is in the page. */
  connect(scroller: Scroller): void {
    this.#scroller = scroller;
    listControls.value = this.#controls;
    const release = hold(this.#list);
    if (!this.#view.peek()) this.#open();
    const stopRefreshing = effect(() => {
      if (generation.value > 1 && this.#list.isStale) untracked(() => this.#refresh());
    });
    this.#releases = [release, stopRefreshing];
  }

  /** Ends everything, including what is still being fetched. */
  dispose(): void {
    this.#isDisposed = true;
    this.#attempts++;
    this.#cancelWidening?.();
    for (const release of this.#releases) release();
    this.#releases = [];
    this.#scroller = undefined;
    if (listControls.peek() === this.#controls) listControls.value = undefined;
    selectedKey.value = undefined;
  }

  /** Scrolls to where the list should be, or restores the reader's position, once a render is in the page. */
  committed(): void {
    this.#followProps();
    const scroller = this.#scroller;
    const target = this.#scrollTarget;
    // The page may still show the rows of an earlier view.
    if (!scroller || (target && target.view !== this.#rendered.view)) return;
    if (!target) scroller.restore();
    else if (target.position === "end") scroller.placeAtEnd();
    else if (!scroller.place(target.position)) return;
    if (target) {
      this.#scrollTarget = undefined;
      if (this.#focusNext) this.#focus(this.#focusNext === "first" ? 0 : this.#rendered.rows.length - 1);
      this.#focusNext = undefined;
      this.#note();
      this.#widenAfterPaint();
    }
    this.#adjust();
  }

  /** The reader scrolled, or was scrolled. */
  scrolled(): void {
    this.#note();
    this.#adjust();
  }

  /** Rows or the view changed their heights. */
  resized(): void {
    this.#scroller?.restore();
    this.#adjust();
  }

  /** Jumps to the end, past everything in between. */
  skipToEnd(): void {
    this.#jumpToEnd();
    this.#props.onSkipped?.();
  }

  /** Fetches again after a failure. */
  retry(): void {
    if (this.#list.isStale) this.#refresh();
    else if (this.#failed) this.#failed();
    else {
      // A page beyond the view failed, and was not fetched again since.
      this.#list.failure.value = undefined;
      this.#adjust();
    }
  }

  readonly #controls: ListControls = {
    move: (by) => {
      const { rows } = this.#rendered;
      this.#focus(Math.max(0, Math.min(rows.length - 1, this.#selected() + by)));
    },
    moveToStart: () => this.#jumpToStart(),
    moveToEnd: () => {
      this.#jumpToEnd("last");
      this.#props.onSkipped?.();
    },
    focus: () => this.#focus(Math.min(this.#rendered.rows.length - 1, this.#selected())),
    page: (by) => this.#scroller?.page(by),
    stay: () => this.#scroller?.note(false),
  };

  #focus(index: number): void {
    const row = this.#rendered.rows.at(index);
    if (row) this.#scroller?.focusRow(row.key);
  }

  /** The index of the selected row, or the one after those in the page. */
  #selected(): number {
    const index = this.#rendered.rows.indexOfKey(selectedKey.peek() ?? "");
    return index >= 0 ? index : this.#slice().end;
  }

  #newAttempt(focusNext?: "first" | "last"): number {
    this.#focusNext = focusNext;
    return ++this.#attempts;
  }

  #open(): void {
    const attempt = this.#newAttempt();
    const start = startInMemory(this.#props);
    if (start) {
      this.#openAt(start);
      return;
    }
    fetchStart(this.#props)
      .then(({ start: fetched, newestId }) => {
        if (this.#isDisposed) return;
        if (newestId !== undefined) this.#props.onOpened?.(newestId);
        if (attempt === this.#attempts) this.#openAt(fetched);
      })
      .catch(() => this.#fail(attempt, () => this.#open()));
  }

  #openAt(start: Start): void {
    this.#mark(start);
    this.#show(start);
  }

  #mark(start: Start): void {
    if (start === "end") return;
    if (start.mark === "new") this.newFromId.value = start.id;
    if (start.mark === "target") this.targetId.value = start.id;
  }

  /** `list.failure` is shown with a retry button. */
  #fail(attempt: number, again: () => void): void {
    if (attempt === this.#attempts) this.#failed = again;
  }

  #show(start: Start): void {
    this.#failed = undefined;
    this.#scrollTarget = scrollTargetFor(this.#props, start);
    this.#view.value = this.#scrollTarget.view;
  }

  /** After the queue was replaced, events may have been missed. What is in view stays in place. */
  #refresh(): void {
    const view = this.#view.peek();
    const last = this.#rendered.run?.ids.at(-1);
    if (!view || last === undefined) {
      this.#open();
      return;
    }
    const { position, isAtEnd = true } = this.#scroller ?? {};
    const first = this.#idAt(position);
    if (view.at === Infinity) this.#view.value = { ...view, at: last };
    const anchor = isAtEnd || first === undefined || first === Infinity ? last : first;
    this.#fetch({ anchor, before: pageSize, after: pageSize });
  }

  /** The address may ask for another message of this list, and readers want to see their own message next. */
  #followProps(): void {
    const askedFor = askedForBy(this.#props);
    const echoCount = this.#props.echoes.length;
    const isAskedAnew = askedFor !== undefined && askedFor !== this.#askedFor;
    const hasSent = echoCount > this.#echoCount;
    this.#askedFor = askedFor;
    this.#echoCount = echoCount;
    if (isAskedAnew) this.#open();
    if (hasSent) this.#jumpToEnd();
  }

  #jumpToStart(): void {
    const attempt = this.#newAttempt("first");
    const [run] = this.#list.runs.peek();
    const showFirst = (id: number | undefined): void => {
      // As far down as possible: then everything above it is in view.
      if (id !== undefined) this.#show({ id, offset: innerHeight });
    };
    if (run?.hasOldest) {
      showFirst(run.ids[0]);
      return;
    }
    fetchPage(this.#list, { anchor: "oldest", before: 0, after: pageSize })
      .then(({ ids }) => {
        if (attempt === this.#attempts) showFirst(ids[0]);
      })
      .catch(() => this.#fail(attempt, () => this.#jumpToStart()));
  }

  #jumpToEnd(focusNext?: "last"): void {
    const attempt = this.#newAttempt(focusNext);
    if (newestRun(this.#list.runs.peek())) {
      this.#show("end");
      return;
    }
    fetchPage(this.#list, { anchor: "newest", before: pageSize, after: 0 })
      .then(() => {
        if (attempt === this.#attempts) this.#show("end");
      })
      .catch(() => this.#fail(attempt, () => this.#jumpToEnd()));
  }

  #widenAfterPaint(): void {
    this.#cancelWidening?.();
    this.#cancelWidening = afterPaint(() => {
      this.#cancelWidening = undefined;
      this.#adjust();
    });
  }

  /** Records where the reader is. */
  #note(): void {
    const scroller = this.#scroller;
    const view = this.#view.peek();
    if (!scroller || !view || this.#scrollTarget) return;
    const isEndShown = this.#reachesEnd(view);
    scroller.note(isEndShown);
    this.isAway.value = !isEndShown || scroller.roomBelow > awayFrom;
    const { position, isAtEnd } = scroller;
    const id = this.#idAt(position);
    // With nothing above, the first message's own bar is in view.
    this.topId.value = scroller.roomAbove > 0 ? id : undefined;
    if (isAtEnd) remember(this.#list.key, undefined);
    else if (position && id !== undefined && id < Infinity)
      remember(this.#list.key, { id, offset: position.offset } satisfies Start);
    this.#follow(view, isAtEnd);
  }

  /** At the end the window follows new messages; elsewhere it stays. */
  #follow(view: View, isAtEnd: boolean): void {
    const { rows } = this.#rendered;
    const { first, last } = view.bounds;
    const next = isAtEnd ? Infinity : last === Infinity ? rows.idAt(rows.length - 1) : last;
    if (next !== last) this.#view.value = { ...view, bounds: { first, last: next } };
  }

  /** Moves the window when the view comes near one of its edges, and fetches ahead. */
  #adjust(): void {
    const scroller = this.#scroller;
    const view = this.#view.peek();
    if (!scroller || !view || this.#scrollTarget) return;
    const { rows, run } = this.#rendered;
    const now = this.#slice();
    const near = this.#cancelWidening ? openingEdge : edge;
    let next = now;
    if (scroller.roomAbove < near && now.start > 0) next = movedUp(now);
    else if (scroller.roomBelow < near && now.end < rows.length) next = movedDown(rows, now);
    else if (scroller.isAtEnd && now.end - now.start > maxRows + step) next = sliceAtEnd(rows, maxRows);
    if (next.start !== now.start || next.end !== now.end) {
      const isFollowing = scroller.isAtEnd && (run?.hasNewest ?? false);
      const at = rows.idAt((next.start + next.end) >>> 1);
      this.#view.value = { at, bounds: boundsOf(rows, next, isFollowing) };
    }
    if (run) this.#fetchBeyond(run, next.start, rows.length - next.end);
  }

  #fetchBeyond(run: Run, rowsAbove: number, rowsBelow: number): void {
    // The next page replaces a stale list, so it has to be the one around the view.
    if (this.#list.failure.peek() !== undefined || this.#list.isStale) return;
    const [oldest] = run.ids;
    const newest = run.ids.at(-1);
    if (!run.hasOldest && rowsAbove < fetchAhead && oldest !== undefined)
      this.#fetch({ anchor: oldest, before: pageSize, after: 0 });
    if (!run.hasNewest && rowsBelow < fetchAhead && newest !== undefined)
      this.#fetch({ anchor: newest, before: 0, after: pageSize });
  }

  #fetch(range: Parameters<typeof fetchPage>[1]): void {
    fetchPage(this.#list, range).catch(() => undefined); // list.failure shows it
  }

  #slice(): Slice {
    const view = this.#view.peek();
    return view ? sliceOf(this.#rendered.rows, view.bounds) : nothing;
  }

  /** Whether the newest message is among the rows of that view. */
  #reachesEnd({ bounds }: View): boolean {
    const { rows, run } = this.#rendered;
    return (run?.hasNewest ?? false) && sliceOf(rows, bounds).end >= rows.length;
  }

  #idAt(position: Position | undefined): number | undefined {
    const { rows } = this.#rendered;
    return position && rows.at(rows.indexOfKey(position.key))?.id;
  }
}

const nothing: Slice = { start: 0, end: 0 };

/** The message that the address asks for. */
const askedForBy = ({ opening }: Opened): number | undefined => (opening.at === "message" ? opening.id : undefined);

/** Enough rows for the first frame on most screens; the others follow right after it. */
const openingRows = (): number => Math.max(16, Math.ceil(innerHeight / 40));

/** The rows around a position, and the position. */
function scrollTargetFor({ list, echoes }: WindowProps, start: Start): ScrollTarget {
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

/** Runs after the next frame is painted, unless it is cancelled. */
function afterPaint(run: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const frame = requestAnimationFrame(() => {
    timer = setTimeout(run);
  });
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
}
