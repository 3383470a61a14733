/**
 * Keeps the page still under the reader. It records the first visible row and the position of its message; after any change
 * of rows or heights it moves that message back, in the same frame. It corrects only what it measures, so where the browser
 * anchors scrolling by itself there is nothing left to do.
 *
 * **Invariant:** "at the end" means within 4 px of it, and only then does the view follow the end.
 */
const endTolerance = 4;

export interface Position {
  key: string;
  /** Distance of the message from the top of the view, in pixels. */
  offset: number;
}

export class ScrollKeeper {
  readonly #scroller: HTMLElement;
  readonly #content: HTMLElement;
  #position: Position | undefined;
  /** The scroll position when the message's position was recorded. */
  #scrollTop = 0;
  isAtEnd = false;

  constructor(scroller: HTMLElement, content: HTMLElement) {
    this.#scroller = scroller;
    this.#content = content;
  }

  get position(): Position | undefined {
    return this.#position;
  }

  get roomAbove(): number {
    return this.#scroller.scrollTop;
  }

  get roomBelow(): number {
    const { scrollHeight, scrollTop, clientHeight } = this.#scroller;
    return scrollHeight - scrollTop - clientHeight;
  }

  /** Whether the reader has scrolled since; the browser reports that only with the next frame. */
  get hasMoved(): boolean {
    return this.#scroller.scrollTop !== this.#scrollTop;
  }

  /** Records the position to keep, after the reader scrolled or was moved. */
  note(canFollow: boolean): void {
    this.isAtEnd = canFollow && this.roomBelow <= endTolerance;
    this.#keep();
  }

  #keep(): void {
    this.#position = this.#find();
    this.#scrollTop = this.#scroller.scrollTop;
  }

  /** Restores the recorded position after a change. */
  restore(): void {
    if (this.isAtEnd) {
      this.#scroller.scrollTop = this.#scroller.scrollHeight;
      this.#keep();
      return;
    }
    const { key, offset } = this.#position ?? {};
    const row = key === undefined ? undefined : this.#rowOf(key);
    if (!row || offset === undefined) return;
    const moved = this.#offsetOf(row) - offset;
    if (Math.abs(moved) >= 0.5) this.#scroller.scrollTop += moved;
    this.#scrollTop = this.#scroller.scrollTop;
  }

  /** Scrolls a row's message to this distance below the top of the view; false if there is no such row. */
  place({ key, offset }: Position): boolean {
    const row = this.#rowOf(key);
    if (!row) return false;
    this.#scroller.scrollTop += this.#offsetOf(row) - offset;
    return true;
  }

  placeAtEnd(): void {
    this.#scroller.scrollTop = this.#scroller.scrollHeight;
  }

  focusRow(key: string): void {
    const row = this.#rowOf(key);
    row?.focus({ preventScroll: true });
    row?.scrollIntoView({ block: "nearest" });
  }

  /** Scrolls by most of a screen, so that some rows stay in view. */
  page(by: 1 | -1): void {
    this.#scroller.scrollBy({ top: by * this.#scroller.clientHeight * 0.85 });
  }

  #rowOf(key: string): HTMLElement | undefined {
    for (const row of this.#content.children) {
      if (row instanceof HTMLElement && row.dataset["key"] === key) return row;
    }
    return undefined;
  }

  #find(): Position | undefined {
    const rows = this.#content.children;
    const top = this.#scroller.getBoundingClientRect().top;
    // Rows are in order: binary search for the first one that reaches into the view.
    let low = 0;
    let high = rows.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const bottom = rows[middle]?.getBoundingClientRect().bottom ?? Infinity;
      if (bottom <= top) low = middle + 1;
      else high = middle;
    }
    const row = rows[low];
    if (!(row instanceof HTMLElement) || row.dataset["key"] === undefined) return undefined;
    return { key: row.dataset["key"], offset: this.#offsetOf(row) };
  }

  /** The top of the message itself: a date line may come and go above it. */
  #offsetOf(row: HTMLElement): number {
    const message = row.querySelector("[data-message]") ?? row;
    return message.getBoundingClientRect().top - this.#scroller.getBoundingClientRect().top;
  }
}
