/** How a thread's topic is named where its name is taken. The readers make the names themselves. */
import { resolvedMark } from "../../../channels/topics/resolved.ts";
import { isGeneralTopic } from "./order.ts";

/** So that the mark of a resolved topic fits. */
const maxLength = 58;

/** Cuts a name at a word, at the latest at `max` characters. */
export function shorten(name: string, max: number): string {
  const characters = Array.from(name);
  if (characters.length <= max) return name;
  const kept = characters.slice(0, max - 1);
  const isCutInWord = !/\s/.test(characters[max - 1] ?? "");
  const blank = kept.lastIndexOf(" ");
  const cut = isCutInWord && blank >= 30 ? kept.slice(0, blank) : kept;
  return `${cut.join("").replace(/[ .,:;\-–—]+$/, "")}…`;
}

const day = (at: number): string => new Date(at / 1000).toISOString().slice(0, 10);
const minute = (at: number): string => new Date(at / 1000).toISOString().slice(0, 16).replace("T", " ");

/** Names within one channel; compared without case and without the mark. */
export class TakenNames {
  readonly #names = new Set<string>();

  take(name: string): void {
    this.#names.add(keyOf(name));
  }

  /** A name that is free, which is then taken. */
  choose({ name, at, isResolved }: { name: string | null; at: number; isResolved: boolean }): string {
    const wanted = shorten(name ?? `thread of ${minute(at)}`, maxLength);
    for (let attempt = 1; ; attempt++) {
      const suffix = attempt === 1 ? "" : attempt === 2 ? ` (${day(at)})` : ` (${day(at)} ${attempt - 1})`;
      const candidate = shorten(name ?? wanted, maxLength - suffix.length) + suffix;
      if (this.#names.has(keyOf(candidate)) || isGeneralTopic(candidate)) continue;
      this.take(candidate);
      return (isResolved ? resolvedMark : "") + candidate;
    }
  }
}

const keyOf = (name: string): string => {
  const lower = name.toLowerCase();
  return lower.startsWith(resolvedMark) ? lower.slice(resolvedMark.length) : lower;
};
