/**
 * Scrolls through a long topic from its end to its beginning. At five depths it scrolls as fast as a wheel turns, which the
 * budget is about: in every painted frame the rows must cover the view, and what is in view must be where it was scrolled
 * to. Between them it scrolls much faster, to pass the whole topic; there it sometimes reaches the end of what has been
 * fetched.
 */
import { sum } from "../statistics.ts";
import type { Browser } from "playwright-core";
import { inRounds, type Figure } from "./figure.ts";
import { open, type Conversation } from "./input.ts";
import { heapSize, openWindow, threadTime, type Window } from "./window.ts";

/** One notch of a wheel per frame. */
const wheelStep = 120;
const wheelFrames = 180;
const fastStep = 800;

export interface LongTopic extends Conversation {
  messages: number;
  /** The number of stretches. */
  depths: number;
  /** Where the heap is measured, in messages passed. */
  heapAt: number;
}

interface Passed {
  frames: number;
  blank: number;
  shift: number;
  /** The message in the middle of the view. */
  at: number;
}

export async function measureScrolling(
  browser: Browser,
  window: Window,
  topic: LongTopic,
  say: (text: string) => void,
): Promise<Figure[]> {
  await open(window, topic);
  const [newest = 0] = topic.ids;
  const wheel: number[] = [];
  const fast: number[] = [];
  const byWheel: Passed[] = [];
  const passed: Passed[] = [];
  let heap: number | undefined;
  for (let depth = 1; depth <= topic.depths; depth++) {
    const end = newest - Math.floor((topic.messages * depth) / topic.depths);
    const before = await threadTime(window);
    const stretch = await window.page.evaluate(scrollUp, { step: fastStep, frames: 100_000, end });
    fast.push(((await threadTime(window)) - before) / stretch.frames);
    passed.push(stretch);
    if (heap === undefined && newest - stretch.at >= topic.heapAt) heap = await heapSize(window);
    await window.page.evaluate(scrollUp, { step: -fastStep, frames: 60, end: 0 });
    const begun = await threadTime(window);
    const slow = await window.page.evaluate(scrollUp, { step: wheelStep, frames: wheelFrames, end: 0 });
    wheel.push(((await threadTime(window)) - begun) / slow.frames);
    byWheel.push(slow);
    say(`scrolled to ${newest - slow.at} messages from the end`);
  }
  return [
    { key: "scroll", what: "Scrolling by wheel, work per frame", unit: "ms", budget: 6, rounds: wheel },
    {
      key: "scroll-fast",
      what: `The same ${Math.floor(fastStep / wheelStep)} times as fast`,
      unit: "ms",
      rounds: fast,
    },
    {
      key: "scroll-bare",
      what: "The same in a bare list of paragraphs",
      unit: "ms",
      rounds: await bareWork(browser),
    },
    ...still(byWheel, { blank: "Blank frames", shift: "Largest shift of the row in view" }, { blank: 0, shift: 1 }),
    ...still(passed, { blank: "Blank frames at that speed", shift: "Shift at that speed" }),
    ...(heap === undefined
      ? []
      : [{ key: "heap", what: "Heap after all of that", unit: "MB" as const, budget: 120, rounds: [heap] }]),
  ];
}

const still = (
  passed: readonly Passed[],
  what: { blank: string; shift: string },
  budgets?: { blank: number; shift: number },
): Figure[] => {
  const suffix = budgets ? "" : "-fast";
  const blank = sum(passed.map((each) => each.blank));
  const shift = Math.max(...passed.map((each) => each.shift));
  return [
    {
      key: `blank${suffix}`,
      what: what.blank,
      unit: "frames",
      ...(budgets && { budget: budgets.blank }),
      rounds: [blank],
    },
    { key: `shift${suffix}`, what: what.shift, unit: "px", ...(budgets && { budget: budgets.shift }), rounds: [shift] },
  ];
};

/** The cost of scrolling a bare list: the minimum for any list on this machine. */
export async function bareWork(browser: Browser, count = 3): Promise<number[]> {
  const window = await openWindow(browser);
  await window.page.evaluate(putBareList);
  const rounds = await inRounds(count, async () => {
    const before = await threadTime(window);
    const { frames } = await window.page.evaluate(scrollUp, { step: wheelStep, frames: wheelFrames, end: -1 });
    return ((await threadTime(window)) - before) / frames;
  });
  await window.close();
  return rounds;
}

/** Runs in an empty page. */
function putBareList(): void {
  const scroller = document.createElement("div");
  scroller.style.cssText = "position: fixed; inset: 0; overflow-y: auto; background: white";
  const feed = document.createElement("div");
  feed.setAttribute("role", "feed");
  scroller.append(feed);
  for (let index = 0; index < 4000; index++) {
    const row = document.createElement("article");
    row.dataset["key"] = String(index);
    const text = document.createElement("p");
    text.dataset["message"] = "";
    text.textContent = `Row ${index} says what rows say: not much, but in a sentence or two, as people do when they talk.`;
    row.append(text);
    feed.append(row);
  }
  document.body.append(scroller);
  scroller.scrollTop = scroller.scrollHeight;
}

/**
 * Runs in the page: scrolls by a step in each frame until a message is passed, a number of frames was reached, or scrolling
 * has had no effect for several frames.
 */
export async function scrollUp(how: { step: number; frames: number; end: number; patience?: number }): Promise<Passed> {
  const feed = document.querySelector("[role=feed]");
  const scroller = feed?.parentElement;
  if (!feed || !scroller) throw new Error("there is no list of messages");
  const painted = (): Promise<void> =>
    new Promise((resume) => {
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        // The listener keeps both ports: otherwise they may be garbage-collected with the pending message.
        port1.addEventListener("message", () => {
          port2.close();
          resume();
        });
        port1.start();
        port2.postMessage(undefined);
      });
    });
  const view = scroller.getBoundingClientRect();
  const middle = (): HTMLElement | undefined =>
    document
      .elementFromPoint(view.left + view.width / 2, view.top + view.height / 2)
      ?.closest("article")
      ?.querySelector<HTMLElement>("[data-message]") ?? undefined;
  const keyOf = (message: HTMLElement): number => Number(message.closest("article")?.dataset["key"]);
  const passed = { frames: 0, blank: 0, shift: 0, at: Infinity };
  const { patience = 120 } = how;
  let idle = 0;
  while (passed.frames < how.frames && passed.at > how.end && idle < patience) {
    const watched = middle();
    const before = watched?.getBoundingClientRect().top ?? 0;
    const room = how.step > 0 ? scroller.scrollTop : scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop;
    const by = Math.sign(how.step) * Math.min(Math.abs(how.step), Math.floor(room));
    idle = by === 0 ? idle + 1 : 0;
    scroller.scrollTop -= by;
    await painted();
    passed.frames++;
    if (watched?.isConnected) {
      passed.at = keyOf(watched);
      passed.shift = Math.max(passed.shift, Math.abs(watched.getBoundingClientRect().top - before - by));
    }
    const rows = feed.getBoundingClientRect();
    // Below the last message is the list's footer.
    const isEnd = scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop < 2;
    if (rows.top > view.top + 1 || (rows.bottom < view.bottom - 1 && !isEnd)) passed.blank++;
  }
  return passed;
}
