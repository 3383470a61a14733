/** Finding names while typing, among all people and channels. */
import { percentile } from "../statistics.ts";
import { inRounds, type Figure } from "./figure.ts";
import { firstNames, lastNames } from "./names.ts";
import { timeToPaint, workOf, type Window } from "./window.ts";

const composer = "main form textarea";

/** The queries typed in a round: people by first, last and both names, letters that occur in most names, channels. */
const queries = (round: number): string[] => [
  `${firstNames[round * 11 + 5]} ${lastNames[round * 31 + 7]?.slice(0, 4)}`.toLowerCase(),
  lastNames[round * 17 + 3]?.toLowerCase() ?? "",
  "a e",
  `channel ${round + 12}`,
];

export async function measureSuggestions(window: Window, rounds: number): Promise<Figure[]> {
  const palette = await inRounds(rounds, (round) => palettes(window, round));
  const typeahead = await inRounds(rounds, (round) => typeaheads(window, round));
  const figure = (key: string, what: string, values: number[], budget = 16): Figure => ({
    key,
    what,
    unit: "ms",
    budget,
    rounds: values,
  });
  const slowest = (rows: number[][]): number[] => rows.map((times) => Math.max(...times));
  const usual = (rows: number[][]): number[] => rows.map((times) => percentile(times, 0.95));
  return [
    figure(
      "palette-open",
      "The palette opens, to paint",
      palette.map(({ opening }) => opening),
      50,
    ),
    figure("palette", "A key in the palette, work, p95", usual(palette.map(({ keys }) => keys))),
    figure("palette-slowest", "A key in the palette, work, slowest", slowest(palette.map(({ keys }) => keys))),
    figure("typeahead", "A key in the typeahead, work, p95", usual(typeahead)),
    figure("typeahead-slowest", "A key in the typeahead, work, slowest", slowest(typeahead)),
  ];
}

async function palettes(window: Window, round: number): Promise<{ opening: number; keys: number[] }> {
  const { page } = window;
  const wanted = { selector: "dialog [role=option]" };
  const opening = await timeToPaint(window, "keydown", wanted, () => page.keyboard.press("Control+k"));
  const keys: number[] = [];
  for (const query of queries(round)) {
    await page.locator("dialog [role=combobox]").fill("");
    for (const letter of query) keys.push(await workOf(window, () => page.keyboard.press(key(letter))));
  }
  await page.keyboard.press("Escape");
  await page.locator("dialog[open]").waitFor({ state: "detached" });
  return { opening, keys };
}

async function typeaheads(window: Window, round: number): Promise<number[]> {
  const { page } = window;
  const times: number[] = [];
  for (const query of queries(round)) {
    await page.locator(composer).fill("");
    await page.locator(composer).focus();
    const sign = query.startsWith("channel") ? "#" : "@";
    for (const letter of sign + query) times.push(await workOf(window, () => page.keyboard.press(key(letter))));
  }
  await page.locator(composer).fill("");
  return times;
}

const key = (letter: string): string => (letter === " " ? "Space" : letter);
