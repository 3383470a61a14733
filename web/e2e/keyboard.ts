/** A user with only a keyboard. */
import type { Page } from "playwright-core";
import { vi } from "vitest";

/** More tab stops than any screen has. */
const maxStops = 150;
const maxWait = 25_000;

export class Keyboard {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  async press(...keys: string[]): Promise<void> {
    for (const key of keys) await this.#page.keyboard.press(key);
  }

  async type(text: string): Promise<void> {
    await this.#page.keyboard.type(text);
  }

  /** Tabs until an element with this name has focus. */
  async tabTo(name: RegExp, key: "Tab" | "Shift+Tab" = "Tab"): Promise<void> {
    const passed: string[] = [];
    for (let stop = 0; stop < maxStops; stop++) {
      await this.press(key);
      const now = await this.focused();
      if (name.test(now)) return;
      passed.push(now);
    }
    throw new Error(`nothing called ${String(name)} can be reached: ${passed.join(" | ")}`);
  }

  /** The accessible name of the focused element. */
  focused(): Promise<string> {
    return this.#page.evaluate<string>(`(() => {
      const element = document.activeElement;
      const label = element.getAttribute("aria-label") ?? element.labels?.[0]?.innerText;
      const labelled = document.getElementById(element.getAttribute("aria-labelledby") ?? "")?.innerText;
      return (label ?? labelled ?? element.innerText ?? "").trim();
    })()`);
  }

  /** Waits until an element with this name has focus. */
  async untilFocusOn(name: RegExp): Promise<void> {
    await vi.waitFor(
      async () => {
        const now = await this.focused();
        if (!name.test(now)) throw new Error(`focus is on “${now}”, not on ${String(name)}`);
      },
      { timeout: maxWait },
    );
  }
}
