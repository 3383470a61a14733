/**
 * `npm run bench:web [-- --quick] [--record] [--only start,insert,input,suggestions,switching,arrivals,scrolling]`: checks
 * the web client against its budgets and writes WEB.md. The quick form is smaller, only shows that everything works, and
 * writes nothing. `--record` stores the results as the baseline for later runs.
 */
import { parseArgs } from "node:util";
import type { Browser } from "playwright-core";
import { buildWhenStale } from "../../web/build.ts";
import { currentLoad } from "../machine.ts";
import { withStage, type Stage } from "../stage.ts";
import { figure } from "../statistics.ts";
import type { Figure } from "./figure.ts";
import { measureArrivals } from "./arrivals.ts";
import { measureInput, type Conversation } from "./input.ts";
import { measureInserting } from "./inserting.ts";
import { grow, makeSmall, newestIds, signIn, type Organization, type Sizes, type Topic } from "./organization.ts";
import { line, readBaseline, recordBaseline, writeReport } from "./report.ts";
import { measureScrolling } from "./scrolling.ts";
import { measureStart, type Visitor } from "./start.ts";
import { measureSuggestions } from "./suggestions.ts";
import { measureSwitching } from "./switching.ts";
import { launch, openWindow, type Window } from "./window.ts";

const parts = ["start", "insert", "input", "suggestions", "switching", "arrivals", "scrolling"] as const;
type Part = (typeof parts)[number];

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    record: { type: "boolean", default: false },
    only: { type: "string" },
  },
});
const wanted = new Set<string>(values.only?.split(",") ?? parts);
const isQuick = values.quick;
const rounds = isQuick ? 1 : 5;
const small: Sizes = { users: 1000, channels: 300, messages: isQuick ? 3000 : 50_000 };
const large: Sizes = isQuick
  ? { users: 5000, channels: 500, messages: small.messages }
  : { users: 100_000, channels: 10_000, messages: small.messages };

const breakOff = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => breakOff.abort());
const begun = performance.now();
const say = (text: string): void => {
  process.stdout.write(`${Math.round((performance.now() - begun) / 1000)} s  ${text}\n`);
};

const addressOf = ({ channel, name }: Topic): string =>
  `#narrow/channel/${channel}-channel-${channel}/topic/${name.replaceAll(" ", ".20")}`;

async function conversationOf(stage: Stage, topic: Topic): Promise<Conversation> {
  return { address: addressOf(topic), ids: await newestIds(stage, topic, 40) };
}

async function measureSmall(visitor: Visitor): Promise<Figure[]> {
  const figures: Figure[] = [];
  if (wanted.has("start")) figures.push(...(await measureStart(visitor)));
  if (wanted.has("insert")) figures.push(...(await measureInserting(visitor)));
  return figures;
}

/** All in one window, as on a long day: earlier measurements leave their state to later ones. */
async function measureLarge(
  stage: Stage,
  organization: Organization,
  browser: Browser,
  window: Window,
): Promise<Figure[]> {
  const { topics, longTopic } = organization;
  const inOneChannel = topics.filter(({ channel }) => channel === topics.at(-1)?.channel);
  const conversations = await Promise.all(inOneChannel.map((topic) => conversationOf(stage, topic)));
  // The topic written in is not used later: its newest messages are no longer those read here.
  const [first, second, third, ...others] = conversations;
  const elsewhere = inOneChannel.at(-1);
  if (!first || !second || !third || !elsewhere) throw new Error("the organization has too few topics");
  const long = {
    ...(await conversationOf(stage, longTopic)),
    messages: large.messages,
    depths: rounds,
    heapAt: large.messages * 0.6,
  };
  const measures: [Part, () => Promise<Figure[]>][] = [
    ["suggestions", () => measureSuggestions(window, rounds)],
    ["input", () => measureInput(window, first, rounds)],
    ["switching", () => measureSwitching(window, [second, third, ...others], rounds)],
    [
      "arrivals",
      () =>
        measureArrivals(window, organization, {
          count: isQuick ? 500 : 20_000,
          elsewhere,
          shown: second,
          rounds,
        }),
    ],
    ["scrolling", () => measureScrolling(browser, window, long, say)],
  ];
  await window.page.goto(`${organization.site}/${first.address}`);
  await window.page.locator("[role=feed] article").first().waitFor();
  const opening = await window.page.evaluate(() => performance.now());
  say("the client is open in the large organization");
  // Names are indexed while the page is idle.
  await window.page.waitForTimeout(3000);
  const figures: Figure[] = [
    { key: "open-large", what: "First conversation opened in the large organization", unit: "ms", rounds: [opening] },
  ];
  for (const [part, measure] of measures) {
    if (!wanted.has(part)) continue;
    figures.push(...(await measure()));
    say(part);
  }
  return figures;
}

async function measureAll(stage: Stage): Promise<void> {
  const loadBefore = currentLoad();
  await buildWhenStale();
  const organization = await makeSmall(stage, small);
  const cookie = await signIn(stage, organization);
  say("the small organization is there");
  const browser = await launch();
  try {
    const figures = await measureSmall({ browser, cookie, site: organization.site, rounds });
    say("start");
    await grow(stage, organization, small, large);
    say("the large organization is there");
    const window = await openWindow(browser, cookie);
    figures.push(...(await measureLarge(stage, organization, browser, window)));
    const baseline = await readBaseline();
    for (const each of figures) process.stdout.write(`${line(each, baseline)}\n`);
    if (values.record) await recordBaseline(figures);
    const isWhole = !isQuick && values.only === undefined;
    if (isWhole)
      await writeReport(figures, baseline, {
        browser: browser.version(),
        loadBefore,
        sizes: `${figure(small.users)} users at the start; from the palette on ${figure(large.users)} users, ${figure(large.channels)} channels and a topic of ${figure(large.messages)} messages.`,
      });
  } finally {
    await browser.close();
  }
}

await withStage({ isQuick, signal: breakOff.signal, say }, measureAll);
process.exit(0);
