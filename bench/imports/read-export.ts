/**
 * Measures how fast an export is read: `node bench/imports/read-export.ts FILE`. Prints messages per second and the memory that the
 * process needed at most. `node make-samples.mjs DIR --large 2000000` of the import kit writes large exports.
 */
import { openSource } from "../../server/src/domain/data/imports/open.ts";

const [path] = process.argv.slice(2);
if (path === undefined) throw new Error("Usage: node bench/imports/read-export.ts FILE");

const skipped: Record<string, number> = {};
const started = performance.now();
const source = await openSource(path, {
  noteSkipped: (reason) => {
    skipped[reason] = (skipped[reason] ?? 0) + 1;
  },
});
const opened = performance.now();
let messages = 0;
let stubs = 0;
for await (const item of source.messages()) {
  if ("stub" in item) stubs++;
  else messages++;
}
const done = performance.now();
await source.close();

const seconds = (done - opened) / 1000;
process.stdout.write(
  `${JSON.stringify({
    source: source.name,
    messages,
    stubs,
    skipped,
    secondsToOpen: round((opened - started) / 1000),
    secondsToRead: round(seconds),
    messagesPerSecond: Math.round(messages / seconds),
    peakMiB: Math.round(process.resourceUsage().maxRSS / 1024),
  })}\n`,
);

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
