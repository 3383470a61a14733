/**
 * Tooltips. Elements with `tip()` have one; a single `TooltipHost` shows it after a short hover, or at once on keyboard
 * focus. It repeats the element's name or adds its shortcut, so screen reader users miss nothing.
 */
import { useEffect, useRef } from "preact/hooks";
import { keyCaps } from "./key-caps.tsx";
import { hideFromTop, showOnTop } from "./top-layer.ts";
import styles from "./tooltip.module.css";

interface Tip {
  "data-tip": string | undefined;
  "data-keys": string | undefined;
}

export const tip = (text: string | undefined, keys?: string): Tip => ({ "data-tip": text, "data-keys": keys });

const delay = 450;
/** Moving to the next tooltip within this time needs no new delay. */
const warm = 300;

const ownerOf = (target: EventTarget | null): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>("[data-tip]") : null;

class TooltipDisplay {
  readonly #box: HTMLElement;
  #owner: HTMLElement | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #hiddenAt = 0;

  constructor(box: HTMLElement) {
    this.#box = box;
  }

  readonly over = (event: PointerEvent): void => {
    if (event.pointerType === "touch" || this.#box.contains(event.target as Node)) return;
    const owner = ownerOf(event.target);
    if (owner === this.#owner) return;
    this.hide();
    if (owner !== null) this.#plan(owner, event.timeStamp - this.#hiddenAt < warm ? 0 : delay);
  };

  readonly focus = (event: FocusEvent): void => {
    const owner = ownerOf(event.target);
    if (owner?.matches(":focus-visible") && owner === event.target) this.#plan(owner, 0);
  };

  readonly key = (event: KeyboardEvent): void => {
    // Escape hides the tooltip and still has its normal effect.
    if (event.key === "Escape" || event.key === "Enter") this.hide();
  };

  readonly hide = (event?: Event): void => {
    clearTimeout(this.#timer);
    if (this.#owner === null) return;
    this.#owner = null;
    this.#hiddenAt = event?.timeStamp ?? performance.now();
    hideFromTop(this.#box);
    this.#box.hidden = true;
  };

  #plan(owner: HTMLElement, wait: number): void {
    this.hide();
    this.#owner = owner;
    this.#timer = setTimeout(() => this.#show(owner), wait);
  }

  #show(owner: HTMLElement): void {
    const { tip: text, keys } = owner.dataset;
    // What the click opened makes the tooltip unnecessary.
    if (!owner.isConnected || text === undefined || text === "" || owner.matches("[aria-expanded=true]")) return;
    this.#box.replaceChildren(text, ...keyCaps(keys, styles.key ?? ""));
    this.#box.hidden = false;
    showOnTop(this.#box, owner);
  }
}

export function TooltipHost() {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const display = new TooltipDisplay(box.current as HTMLDivElement); // rendered below
    const stop = new AbortController();
    const options = { signal: stop.signal, capture: true, passive: true };
    document.addEventListener("pointerover", display.over, options);
    document.addEventListener("pointerdown", display.hide, options);
    document.addEventListener("focusin", display.focus, options);
    document.addEventListener("focusout", display.hide, options);
    document.addEventListener("keydown", display.key, options);
    document.addEventListener("scroll", display.hide, options);
    return () => {
      display.hide();
      stop.abort();
    };
  }, []);
  // The same as the element's own name.
  return <div ref={box} class={styles.tooltip} popover="manual" hidden aria-hidden="true" />;
}
