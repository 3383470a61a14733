/** Switching between conversations: those in memory, and those that have to be fetched first. */
import { median } from "../statistics.ts";
import type { Figure } from "./figure.ts";
import { open, rowOf, type Conversation } from "./input.ts";
import { timeToPaint, type Window } from "./window.ts";

/** All are topics of one channel, so that each has a row in the sidebar. */
export async function measureSwitching(
  window: Window,
  [first, second, ...others]: [Conversation, Conversation, ...Conversation[]],
  rounds: number,
): Promise<Figure[]> {
  await open(window, first);
  await open(window, second);
  const known: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const back = await goTo(window, first);
    known.push(median([back.time, (await goTo(window, second)).time]));
  }
  const unknown: number[] = [];
  for (const other of others.slice(0, rounds)) {
    const { time, waited } = await goTo(window, other);
    unknown.push(time - waited);
  }
  return [
    { key: "switch", what: "Switch to a conversation in memory, to paint", unit: "ms", budget: 50, rounds: known },
    {
      key: "switch-fetched",
      what: "Switch to one that has to be fetched, to paint, without the round trip",
      unit: "ms",
      budget: 150,
      rounds: unknown,
    },
  ];
}

async function goTo(window: Window, { address, ids }: Conversation): Promise<{ time: number; waited: number }> {
  const { page } = window;
  await page.evaluate(() => performance.clearResourceTimings());
  const link = page.locator(`nav a[href^="${address}"]`).first();
  const time = await timeToPaint(window, "click", { selector: rowOf(ids[0]) }, () => link.click());
  const waited = await page.evaluate(() => {
    const requests = performance.getEntriesByType("resource").filter(({ name }) => name.includes("/json/messages?"));
    return requests[0]?.duration ?? 0;
  });
  return { time, waited };
}
