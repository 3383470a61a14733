/**
 * `npm run bench [-- --only a,c] [--quick]`: runs the measurements one after the other, each on its own stage, and writes
 * RESULTS.md and the charts. Exits with 1 if a target that was reached before is missed by more than a fifth. The quick
 * form only shows that they work, and writes nothing.
 */
import { parseArgs } from "node:util";
import { measureAudience } from "./audience.ts";
import { measureBusyChannel } from "./busy-channel.ts";
import { measureDeliveryTime } from "./delivery-time.ts";
import { measureStreams } from "./events-as-streams.ts";
import { measureFanOut } from "./fan-out.ts";
import { measureIdle } from "./idle.ts";
import { currentLoad } from "./machine.ts";
import type { Measurement } from "./measurement.ts";
import { measureOrganizations } from "./many-organizations.ts";
import { measurePollMemory } from "./poll-memory.ts";
import { measureRegistration } from "./registration-time.ts";
import { findRegressions, isReached, writeResults, type Measured } from "./results.ts";
import { measureRoundTrips } from "./round-trips.ts";
import { measureSendThroughput } from "./send-throughput.ts";
import { withStage } from "./stage.ts";

const measurements = new Map<string, Measurement>([
  ["a", { title: "Messages sent", measure: measureSendThroughput }],
  ["b", { title: "One message to many who wait", measure: measureFanOut }],
  ["c", { title: "From send to delivery on the other node", measure: measureDeliveryTime }],
  ["d", { title: "Memory of a waiting read", measure: measurePollMemory }],
  ["e", { title: "Registration in a large organization", measure: measureRegistration }],
  ["f", { title: "Database round trips", measure: measureRoundTrips }],
  ["g", { title: "One busy channel", measure: measureBusyChannel }],
  ["h", { title: "Start and idle memory of a release", measure: measureIdle }],
  ["i", { title: "Many small organizations", measure: measureOrganizations }],
  ["j", { title: "Events as a stream", measure: measureStreams }],
  ["p5", { title: "Sends by audience", measure: measureAudience }],
]);

const { values } = parseArgs({ options: { only: { type: "string" }, quick: { type: "boolean", default: false } } });
const keys = values.only?.split(",") ?? [...measurements.keys()];
const breakOff = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => breakOff.abort());
const say = (line: string) => process.stdout.write(`${line}\n`);

const measured: Measured[] = [];
for (const key of keys) {
  const measurement = measurements.get(key);
  if (!measurement)
    throw new Error(`there is no measurement "${key}"; there are ${[...measurements.keys()].join(", ")}`);
  const loadBefore = currentLoad();
  say(`\n${key}. ${measurement.title} (load ${loadBefore})`);
  const begun = performance.now();
  const options = { isQuick: values.quick, signal: breakOff.signal, say: (line: string) => say(`   ${line}`) };
  const outcome = await withStage(options, measurement.measure);
  for (const { what, bar, margin, measured: figure, baseline, spread } of outcome.rows)
    say(`   ${isReached({ margin }) ? "✓" : "✗"} ${what}: ${figure}; bar ${bar}; ${baseline}; rounds ${spread}`);
  say(`   took ${Math.round((performance.now() - begun) / 1000)} s`);
  measured.push({ key, title: measurement.title, outcome, loadBefore });
}

if (values.quick) process.exit(0);
const regressions = await findRegressions(measured);
await writeResults(measured, new Map([...measurements].map(([key, { title }]) => [key, title])));
for (const regression of regressions) say(`✗ ${regression}`);
process.exit(regressions.length > 0 ? 1 : 0);
