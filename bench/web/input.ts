/** Input with immediate effect: keys, clicks, reactions, stars, sending, typing. */
import { percentile } from "../statistics.ts";
import { inRounds, type Figure } from "./figure.ts";
import { timeToPaint, workOf, type Window } from "./window.ts";

const repetitions = 6;
const typed = "The nightly import ran through this time, and two records were skipped. ";

export interface Conversation {
  /** The address without the #. */
  address: string;
  /** Its newest messages, newest first. */
  ids: number[];
}

export async function open({ page }: Window, { address, ids }: Conversation): Promise<void> {
  await page.evaluate((hash) => {
    location.hash = hash;
  }, address);
  await page.locator(rowOf(ids[0])).waitFor();
}

export const rowOf = (id: number | undefined): string => `[role=feed] article[data-key="${id}"]`;

export async function measureInput(window: Window, conversation: Conversation, rounds: number): Promise<Figure[]> {
  await open(window, conversation);
  const figure = (key: string, what: string, budget: number, values: number[]): Figure => ({
    key,
    what,
    unit: "ms",
    budget,
    rounds: values,
  });
  return [
    figure("key", "A key that moves between messages, to paint", 50, await timesOf(window, conversation, rounds, move)),
    figure("star", "Starring by key, to paint", 50, await timesOf(window, conversation, rounds, star)),
    figure("reaction", "Reacting by key, to paint", 50, await timesOf(window, conversation, rounds, react)),
    figure("click", "A click on a reaction, to paint", 50, await timesOf(window, conversation, rounds, takeBack)),
    figure("typing", "Typing in the composer, work per key, p95", 16, await typing(window, rounds)),
    figure("echo", "Enter to painted echo", 50, await echoes(window, rounds)),
  ];
}

type Action = (window: Window, id: number, above: number) => Promise<number>;

/** The slowest of a few, in each round. */
async function timesOf(window: Window, { ids }: Conversation, rounds: number, action: Action): Promise<number[]> {
  return inRounds(rounds, async (round) => {
    const times: number[] = [];
    for (let turn = 0; turn < repetitions; turn++) {
      const at = (round * repetitions + turn) % (ids.length - 1);
      const [id, above] = [ids[at], ids[at + 1]];
      if (id === undefined || above === undefined) throw new Error("the conversation has too few messages");
      await window.page.locator(rowOf(id)).focus();
      times.push(await action(window, id, above));
    }
    return percentile(times, 0.5);
  });
}

const move: Action = (window, _id, above) =>
  timeToPaint(window, "keydown", { selector: `${rowOf(above)}:focus` }, () => window.page.keyboard.press("k"));

const star: Action = (window, id) =>
  timeToPaint(window, "keydown", { selector: `${rowOf(id)} [aria-label="Starred"]` }, () =>
    window.page.keyboard.press("Control+s"),
  );

const react: Action = (window, id) =>
  timeToPaint(window, "keydown", { selector: `${rowOf(id)} button[aria-pressed=true]` }, () =>
    window.page.keyboard.press("+"),
  );

/** Removes a reaction that was added by key before. */
const takeBack: Action = (window, id) =>
  timeToPaint(window, "click", { selector: `${rowOf(id)}:not(:has(button[aria-pressed=true]))` }, () =>
    window.page.locator(`${rowOf(id)} button[aria-pressed=true]`).click(),
  );

const composer = "main form textarea";

function typing(window: Window, rounds: number): Promise<number[]> {
  const { page } = window;
  return inRounds(rounds, async () => {
    await page.locator(composer).fill("");
    await page.locator(composer).focus();
    const times: number[] = [];
    for (const letter of typed) times.push(await workOf(window, () => page.keyboard.press(letter)));
    return percentile(times, 0.95);
  });
}

function echoes(window: Window, rounds: number): Promise<number[]> {
  const { page } = window;
  return inRounds(rounds, async (round) => {
    const times: number[] = [];
    for (let turn = 0; turn < repetitions; turn++) {
      const text = `echo ${round} ${turn}`;
      await page.locator(composer).fill(text);
      const wanted = { selector: "[role=feed] article:last-child", text };
      times.push(await timeToPaint(window, "keydown", wanted, () => page.keyboard.press("Control+Enter")));
    }
    return percentile(times, 0.5);
  });
}
