/**
 * Which messages have been read: those whose end was on screen for a moment while the window had focus. Unread rows end in
 * an observed element; no other element is observed.
 */
const readAfter = 400;

export class Seen {
  readonly #scroller: { readonly current: Element | null };
  readonly #onSeen: (ids: number[]) => void;
  readonly #since = new Map<number, number>();
  /** Created with the first row, because rows mount before their scroll container. */
  #observer: IntersectionObserver | undefined;
  readonly #stop = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(scroller: { readonly current: Element | null }, onSeen: (ids: number[]) => void) {
    this.#scroller = scroller;
    this.#onSeen = onSeen;
    const options = { signal: this.#stop.signal };
    // Time away from the window does not count as reading.
    addEventListener("focus", () => this.#restart(), options);
    addEventListener("blur", () => clearTimeout(this.#timer), options);
    document.addEventListener("visibilitychange", () => this.#restart(), options);
  }

  /** A `ref` callback for the element at the end of a row. */
  watch(id: number, element: Element): () => void {
    ids.set(element, id);
    this.#observer ??= new IntersectionObserver((entries) => this.#changed(entries), { root: this.#scroller.current });
    this.#observer.observe(element);
    return () => {
      this.#observer?.unobserve(element);
      this.#since.delete(id);
    };
  }

  disconnect(): void {
    this.#observer?.disconnect();
    this.#stop.abort();
    clearTimeout(this.#timer);
  }

  #changed(entries: IntersectionObserverEntry[]): void {
    const now = performance.now();
    for (const { target, isIntersecting } of entries) {
      const id = ids.get(target);
      if (id === undefined) continue;
      if (isIntersecting) this.#since.set(id, now);
      else this.#since.delete(id);
    }
    this.#plan();
  }

  #restart(): void {
    const now = performance.now();
    for (const id of this.#since.keys()) this.#since.set(id, now);
    this.#plan();
  }

  #plan(): void {
    clearTimeout(this.#timer);
    if (this.#since.size > 0 && isWatched()) this.#timer = setTimeout(() => this.#look(), readAfter);
  }

  #look(): void {
    if (!isWatched()) return;
    const now = performance.now();
    const seen = [...this.#since].filter(([, since]) => now - since >= readAfter - 20).map(([id]) => id);
    for (const id of seen) this.#since.delete(id);
    if (seen.length > 0) this.#onSeen(seen);
    this.#plan();
  }
}

const ids = new WeakMap<Element, number>();

const isWatched = (): boolean => document.visibilityState === "visible" && document.hasFocus();
