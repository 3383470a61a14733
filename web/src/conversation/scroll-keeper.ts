/**
 * Keeps the page still under the reader. It knows the first visible row and where its message stood; after any change of
 * rows or heights it puts that message back where it was, in the same frame. Where the browser anchors by itself there is
 * nothing left to do: what is corrected is what is measured.
 *
 * **Invariant:** at the end means within 4 px of it, and only then the end is followed.
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
  /** Where the view was when the position was noted. */
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

  /** Whether the reader has scrolled since; the browser tells of it only with the next frame. */
  get hasMoved(): boolean {
    return this.#scroller.scrollTop !== this.#scrollTop;
  }

  /** The reader has moved, or was put somewhere: this is what is to be kept. */
  note(canFollow: boolean): void {
    this.isAtEnd = canFollow && this.roomBelow <= endTolerance;
    this.#keep();
  }

  #keep(): void {
    this.#position = this.#find();
    this.#scrollTop = this.#scroller.scrollTop;
  }

  /** Something changed: puts the reader back. */
  restore(): void {
    if (this.isAtEnd) {
      this.#scroller.scrollTop = this.#scroller.scrollHeight;
      this.#keep();
      return;
    }
    const { key, offset } = this.#position ?? {};
    const row = key === undefined ? undefined : this.rowOf(key);
    if (!row || offset === undefined) return;
    const moved = this.#offsetOf(row) - offset;
    if (Math.abs(moved) >= 0.5) this.#scroller.scrollTop += moved;
    this.#scrollTop = this.#scroller.scrollTop;
  }

  /** Puts a row's message so far below the top of the view; false when there is no such row. */
  place({ key, offset }: Position): boolean {
    const row = this.rowOf(key);
    if (!row) return false;
    this.#scroller.scrollTop += this.#offsetOf(row) - offset;
    return true;
  }

  placeAtEnd(): void {
    this.#scroller.scrollTop = this.#scroller.scrollHeight;
  }

  rowOf(key: string): HTMLElement | undefined {
    for (const row of this.#content.children) {
      if (row instanceof HTMLElement && row.dataset["key"] === key) return row;
    }
    return undefined;
  }

  #find(): Position | undefined {
    const rows = this.#content.children;
    const top = this.#scroller.getBoundingClientRect().top;
    // Rows are in order: the first that reaches into the view is found by halving.
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

  /** Of the message itself: a line about the day may come and go above it. */
  #offsetOf(row: HTMLElement): number {
    const message = row.querySelector("[data-message]") ?? row;
    return message.getBoundingClientRect().top - this.#scroller.getBoundingClientRect().top;
  }
}
