/**
 * Searches for texts that take too long to render: nested, repeated and mixed constructs up to the longest message.
 *
 *   npm run fuzz:markdown -- --inputs 200000 --seed 1 --budget 50
 *
 * A text over the budget is rendered again, and its best time counts: the compiler or the garbage collector may have slowed
 * down the first run. The seed and the count make a run reproducible.
 */
import { createHmac } from "node:crypto";
import { parseArgs } from "node:util";
import { compileLinkifier } from "../src/domain/organization/linkifiers/compile.ts";
import { codeHighlighter } from "../src/domain/messages/markdown/highlight.ts";
import { mathRenderer } from "../src/domain/messages/markdown/math.ts";
import type { MarkdownContext } from "../src/markdown/context.ts";
import { renderMarkdown, RenderedTooLong } from "../src/markdown/render.ts";
import { signs } from "./markdown-signs.ts";

const longest = 10_000;

const { values: options } = parseArgs({
  options: {
    inputs: { type: "string", default: "20000" },
    seed: { type: "string", default: "1" },
    budget: { type: "string", default: "50" },
  },
});

/** Random numbers from 0 to 1, determined by the seed. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const random = randomNumbers(Number(options.seed));
const below = (limit: number): number => Math.floor(random() * limit);

const fragment = (): string => signs[below(signs.length)] ?? "";
const several = (most: number): string => Array.from({ length: 1 + below(most) }, fragment).join("");
const fill = (piece: string, length = longest): string => piece.repeat(Math.ceil(length / Math.max(1, piece.length)));

/** Increasing nesting by spaces, quotes or both. */
function indented(): string {
  const step = ["  ", "> ", ">", "  * ", " "][below(5)] ?? "";
  const lines: string[] = [];
  const line = several(3);
  for (let depth = 0, length = 0; length < longest; depth++) {
    lines.push(step.repeat(depth % (20 + below(200))) + line);
    length += (lines.at(-1)?.length ?? 0) + 1;
  }
  return lines.join("\n");
}

const shapes: (() => string)[] = [
  () => fill(fragment()),
  () => fill(several(2)),
  () => fill(several(5)),
  () => several(3) + fill(several(3)),
  () => fill(several(3), longest - 50) + several(3),
  () => fill(several(2), longest / 2) + fill(several(2), longest / 2),
  () => fill(several(2), longest / 3) + fill(several(2), longest / 3) + fill(several(2), longest / 3),
  () => several(400),
  () => several(3000),
  indented,
];

const linkifier = (pattern: string) => compileLinkifier({ pattern, url_template: "https://example.com/{id}" });
const context = (): MarkdownContext => ({
  realmUrl: "http://chat.example.com",
  users: [{ user_id: 10, full_name: "King Hamlet" }],
  groups: [{ id: 41, name: "support" }],
  channels: [{ stream_id: 3, name: "Denmark", topics: new Map([["t", 5]]) }],
  linkifiers,
  alertWords,
  translateEmoticons: true,
  inlineUrlEmbedPreview: true,
  uploads: new Map([["1/a.png", { width: 1, height: 1, content_type: "image/png", thumbnail_url: "/t" }]]),
  proxyUrl: (url) => `/external_content/${createHmac("sha1", "key").update(url).digest("hex")}`,
  renderMath: mathRenderer(),
  highlight: codeHighlighter(),
});
const linkifiers = [linkifier("#(?P<id>[0-9]+)"), linkifier("(?P<id>[A-Z]+-[0-9]+)")];
const alertWords = new Map([[1, ["hamlet", "word", "a"]]]);

/** Milliseconds of processor time, so that other processes do not count. */
function timeOf(text: string): number {
  const start = process.threadCpuUsage();
  try {
    renderMarkdown(text, context());
  } catch (error) {
    if (!(error instanceof RenderedTooLong)) throw error;
  }
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1000;
}

const budget = Number(options.budget);
const count = Number(options.inputs);
const retries = 4;
let slowest = { time: 0, text: "" };
let over = 0;

for (let input = 0; input < count; input++) {
  const text = (shapes[below(shapes.length)] ?? fragment)().slice(0, longest);
  let time = timeOf(text);
  for (let retry = 0; time > budget && retry < retries; retry++) time = Math.min(time, timeOf(text));
  if (time > slowest.time) slowest = { time, text };
  if (time > budget) {
    over++;
    console.log(`${time.toFixed(1)} ms: ${JSON.stringify(text.slice(0, 120))}…${JSON.stringify(text.slice(-40))}`);
  }
  if ((input + 1) % 20_000 === 0) console.log(`${input + 1} inputs, slowest ${slowest.time.toFixed(1)} ms`);
}
console.log(
  `${count} inputs, ${over} over ${budget} ms, slowest ${slowest.time.toFixed(1)} ms: ${JSON.stringify(slowest.text.slice(0, 120))}`,
);
process.exitCode = over === 0 ? 0 : 1;
