import { expect, test } from "vitest";
import { Random } from "../../faults/random.ts";
import { Agenda } from "./agenda.ts";
import { growing, type Sample } from "./backlog.ts";
import { findMissed } from "./baseline.ts";
import { Histogram } from "./histogram.ts";
import { actionsPerSecond, chooseByWeight, paceAt, paces, weights } from "./model.ts";
import { scanEvents, scanFrame } from "./scan.ts";
import { channelSizes } from "./sizes.ts";
import { whatBroke, type StepResult } from "./verdict.ts";

test("an average user acts 0.0113 times a second", () => {
  expect(actionsPerSecond).toBeCloseTo(0.0113, 4);
  expect(paces.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1);
});

test("actions and paces are chosen in the proportions of the model", () => {
  const random = new Random(7);
  const counts = new Map<string, number>();
  const count = 200_000;
  for (let n = 0; n < count; n++) {
    const name = chooseByWeight(weights, random.next());
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const factors = Array.from({ length: count }, () => paceAt(random.next()));

  const total = Object.values(weights).reduce((sum, weight) => sum + weight, 0);
  expect((counts.get("open a topic") ?? 0) / count).toBeCloseTo(weights["open a topic"] / total, 2);
  expect((counts.get("send a message") ?? 0) / count).toBeCloseTo(weights["send a message"] / total, 2);
  expect(factors.filter((factor) => factor === 30).length / count).toBeCloseTo(0.3, 2);
});

test("weights at both ends choose the first and the last", () => {
  expect(chooseByWeight({ first: 1, last: 1 }, 0)).toBe("first");
  expect(chooseByWeight({ first: 1, last: 1 }, 0.999_999)).toBe("last");
});

test.each([1000, 10_000, 30_000])("the channels of %i users have the sizes of the model", (users) => {
  const sizes = channelSizes(users);

  expect(sizes).toHaveLength(users * 0.15);
  expect(sizes[0]).toBe(users);
  expect(sizes[Math.floor(sizes.length / 2)]).toBeGreaterThanOrEqual(11);
  expect(sizes[Math.floor(sizes.length / 2)]).toBeLessThanOrEqual(13);
  const perUser = sizes.reduce((sum, size) => sum + size, 0) / users;
  expect(perUser).toBeGreaterThanOrEqual(30);
  expect(perUser).toBeLessThan(34);
});

test("what is due comes in the order of time, and then in the order it was added", () => {
  const agenda = new Agenda<string>();
  const random = new Random(3);
  const times = Array.from({ length: 500 }, () => random.integer(100));
  for (const [index, at] of times.entries()) agenda.add(at, `${at} ${index}`);

  const taken: string[] = [];
  for (let entry = agenda.take(99); entry; entry = agenda.take(99)) taken.push(entry.what);

  const expected = times.map((at, index) => ({ at, index })).toSorted((a, b) => a.at - b.at || a.index - b.index);
  expect(taken).toEqual(expected.map(({ at, index }) => `${at} ${index}`));
});

test("nothing is taken before it is due, and postponing moves everything", () => {
  const agenda = new Agenda<string>();
  agenda.add(10, "one");

  expect(agenda.take(9)).toBeUndefined();
  agenda.postpone(5);
  expect(agenda.next).toBe(15);
  expect(agenda.take(15)?.what).toBe("one");
});

test("percentiles of a histogram are at most two percent too high", () => {
  const histogram = new Histogram();
  for (let value = 1; value <= 1000; value++) histogram.add(value);

  expect(histogram.mean).toBe(500.5);
  for (const share of [0.5, 0.9, 0.99]) {
    expect(histogram.percentile(share)).toBeGreaterThanOrEqual(1000 * share);
    expect(histogram.percentile(share)).toBeLessThanOrEqual(1000 * share * 1.021);
  }
  expect(histogram.percentile(1)).toBe(1000);
});

test("a response to a read names its events and messages", () => {
  const events = [
    { type: "message", message: { id: 17 }, flags: [], id: 5 },
    { type: "heartbeat", id: 6 },
  ];
  const text = JSON.stringify({ result: "success", msg: "", events, queue_id: "q" });

  const types = ["message", "heartbeat"];
  expect(scanEvents(text)).toEqual({ eventIds: [5, 6], types, messageIds: [17, 0] });
  expect(scanEvents(text.replace('"q"', '"other"'))).toEqual({ eventIds: [5, 6], types, messageIds: [17, 0] });
});

test("frames of a stream are events, positions, or its end", () => {
  const message = 'id: 5\ndata: {"type":"message","message":{"id":17,"content":"id: 9"},"id":5}';

  expect(scanFrame(message)).toEqual({ eventId: 5, type: "message", messageId: 17, error: undefined });
  expect(scanFrame(": keep-alive\nid: 8")).toEqual({ eventId: 8, type: undefined, messageId: 0, error: undefined });
  expect(scanFrame(": stream")).toEqual({ eventId: 0, type: undefined, messageId: 0, error: undefined });
  expect(scanFrame('event: error\ndata: {"code":"BAD_EVENT_QUEUE_ID"}')).toMatchObject({
    error: '{"code":"BAD_EVENT_QUEUE_ID"}',
  });
});

const samplesOf = (inFlight: number[]): Sample[] =>
  inFlight.map((count) => ({
    "requests in flight": count,
    "messages that have not reached everybody": 0,
    "bytes of write-ahead log that the relay has not confirmed": 0,
    "messages that are not indexed": 0,
  }));

test("a backlog grows if there is more in the end, and not only a little", () => {
  expect(growing(samplesOf([200, 300, 900, 1000, 1500, 2000]))).toEqual(["requests in flight"]);
  expect(growing(samplesOf([1, 2, 5, 10, 30, 50]))).toEqual([]);
  expect(growing(samplesOf([900, 1100, 800, 1000, 900, 1000]))).toEqual([]);
});

const row = { name: "all", count: 1, mean: 20, p50: 10, p99: 100 };
const good: StepResult = {
  users: 1000,
  minutes: 15,
  requests: 30,
  reads: 100,
  events: 100,
  eventTypes: [],
  deliveries: 50,
  all: row,
  rows: [],
  delivery: { p50: 10, p99: 40, highest: 90 },
  latenessP99: 1,
  failedShare: 0,
  failures: [],
  refusals: [],
  cpu: [["api 1", 0.5]],
  memory: [],
  memoryShare: 0.2,
  growing: [],
  late: 0,
  findings: [],
  findingCount: 0,
};

test("users are carried only if every part of the definition holds", () => {
  expect(whatBroke(good)).toEqual([]);
  const bad: Partial<StepResult>[] = [
    { all: { ...row, mean: 100 } },
    { all: { ...row, p99: 2000 } },
    { delivery: { p50: 10, p99: 500, highest: 600 } },
    { failedShare: 0.000_25 },
    { memoryShare: 0.85 },
    { growing: ["requests in flight"] },
    { late: 1 },
    { findings: ["message 1 reached nobody"], findingCount: 1 },
  ];
  for (const change of bad) expect(whatBroke({ ...good, ...change }), JSON.stringify(change)).toHaveLength(1);
});

test("a run that carries a fifth fewer users than before, or takes a fifth more for the same, has missed", () => {
  const broken = { ...good, users: 2000, growing: ["requests in flight"] };

  expect(findMissed([good], undefined)).toBeUndefined();
  expect(findMissed([good], { users: 1000, cores: 0.45 })).toBeUndefined();
  expect(findMissed([good, broken], { users: 2000, cores: 2 })).toContain("were carried");
  expect(findMissed([good], { users: 1000, cores: 0.4 })).toContain("cores");
  // Fewer users were asked for, and they were carried.
  expect(findMissed([good], { users: 10_000, cores: 2 })).toBeUndefined();
});
