/**
 * Limits the work that linkifiers do for one rendered message, or for the topics of one page of messages.
 *
 * A search takes time linear in text and pattern, but it cannot be interrupted, and it blocks every other request on the
 * node. So each search gets a piece of text small enough for the size of its pattern, and between searches the CPU time
 * spent so far decides whether to go on. Typical patterns take a hundredth of the worst case and are never cut short.
 * CPU time does not pass while the process waits for a core, so a busy machine loses no links.
 */
import type { LinkifierBudget } from "../../../markdown/linkifier.ts";

/** Instructions times characters in one search: about 10 ms at worst. */
const unitsPerSearch = 200_000;
/** Below this many units the CPU time is not measured at all. */
const unitsUnmeasured = 100_000;
export const maxMicroseconds = 40_000;

/** How many characters a pattern of this many instructions may search at once. */
export const maxSearchLength = (instructions: number): number => Math.max(1, Math.floor(unitsPerSearch / instructions));

export class ProcessorBudget implements LinkifierBudget {
  #units = 0;
  #start: NodeJS.CpuUsage | undefined;
  #isSpent = false;

  get isSpent(): boolean {
    return this.#isSpent;
  }

  allows(units: number): boolean {
    if (this.#isSpent) return false;
    this.#units += units;
    if (this.#units <= unitsUnmeasured) return true;
    if (this.#start === undefined) this.#start = process.threadCpuUsage();
    else {
      const { user, system } = process.threadCpuUsage(this.#start);
      this.#isSpent = user + system > maxMicroseconds;
    }
    return !this.#isSpent;
  }
}
