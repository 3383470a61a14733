/**
 * Captures keys typed after a dialog was requested, while its chunk is loading. They are neither shortcuts nor text for the
 * field that had focus: they are kept and typed into the dialog.
 */

/** A character, or a key pressed for its action. */
export type BufferedKey = { text: string } | { key: string };

const doing = new Set(["Enter", "ArrowDown", "ArrowUp"]);

export class KeyBuffer {
  #kept: BufferedKey[] = [];
  #stop: (() => void) | undefined;
  readonly #onEscape: () => void;

  constructor(onEscape: () => void) {
    this.#onEscape = onEscape;
  }

  start(): void {
    if (this.#stop) return;
    const keep = (event: KeyboardEvent): void => this.#keep(event);
    // Capture phase: before anything else on the page handles it.
    addEventListener("keydown", keep, true);
    this.#stop = () => removeEventListener("keydown", keep, true);
  }

  /** Returns the captured keys; from now on the dialog gets them. */
  take(): BufferedKey[] {
    this.#stop?.();
    this.#stop = undefined;
    return this.#kept.splice(0);
  }

  #keep(event: KeyboardEvent): void {
    event.stopImmediatePropagation();
    // Input method or browser keys.
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") this.#onEscape();
    else if (event.key === "Backspace") this.#eraseLast();
    else if (event.key.length === 1) this.#kept.push({ text: event.key });
    else if (doing.has(event.key)) this.#kept.push({ key: event.key });
    else if (event.key !== "Tab") return;
    event.preventDefault();
  }

  #eraseLast(): void {
    const last = this.#kept.at(-1);
    if (last && "text" in last) this.#kept.pop();
  }
}

const nextFrame = (): Promise<unknown> => new Promise((resume) => requestAnimationFrame(resume));

const isTextField = (element: Element | null): element is HTMLInputElement | HTMLTextAreaElement =>
  element instanceof HTMLTextAreaElement ||
  (element instanceof HTMLInputElement && /^(?:text|search|email)$/.test(element.type));

/** Types them into the focused field. */
export async function replayKeys(kept: readonly BufferedKey[]): Promise<void> {
  for (let at = 0; at < kept.length; at++) {
    const field = document.activeElement;
    if (!isTextField(field)) return;
    let text = "";
    for (let next = kept[at]; next && "text" in next; next = kept[++at]) text += next.text;
    if (text !== "") {
      field.setRangeText(text, field.selectionStart ?? 0, field.selectionEnd ?? 0, "end");
      field.dispatchEvent(new InputEvent("input", { bubbles: true, inputType: "insertText", data: text }));
      // The next key chooses from the results of this text.
      await nextFrame();
    }
    const pressed = kept[at];
    if (!pressed || !("key" in pressed)) continue;
    field.dispatchEvent(new KeyboardEvent("keydown", { key: pressed.key, bubbles: true, cancelable: true }));
    await nextFrame();
  }
}
