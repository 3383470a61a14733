import { expect, test } from "vitest";
import type { LogEntry } from "./log-entry.ts";
import { OlderEntries } from "./older-entries.ts";

/** A log with these entries; `reads` are the first sequences of what was read. */
function logOf(firstSequence: number, lastSequence: number) {
  const log = { lastSequence, reads: [] as number[] };
  const older = new OlderEntries(async (first, count) => {
    log.reads.push(first);
    await Promise.resolve();
    const entries = Array.from({ length: count }, (_, n) => ({ sequence: first + n, bytes: 20_000 }) as LogEntry); // all that is used
    const held = entries.filter(({ sequence }) => sequence >= firstSequence && sequence <= log.lastSequence);
    return held.length > 0 ? held : undefined;
  });
  const from = async (sequence: number) => (await older.from(sequence))?.map((entry) => entry.sequence);
  return { log, older, from };
}

test("queues that need the same entries share a read", async () => {
  const { log, from } = logOf(1, 2000);
  const found = await Promise.all([from(510), from(999), from(510)]);
  expect(found.map((entries) => [entries?.[0], entries?.at(-1)])).toEqual([
    [510, 999],
    [999, 999],
    [510, 999],
  ]);
  expect(log.reads).toEqual([500]);
});

test("entries from before the log's beginning are gone", async () => {
  const { from } = logOf(700, 2000);
  expect(await from(699)).toBeUndefined();
  expect((await from(700))?.[0]).toBe(700);
  expect(await from(40)).toBeUndefined();
});

test("the end of the log is read again, because it grows", async () => {
  const { log, from } = logOf(1, 600);
  const reading = from(600);
  log.lastSequence = 700;
  // Shares the read that began when the entry did not exist yet.
  const later = from(700);
  expect((await reading)?.[0]).toBe(600);
  expect(await later).toEqual([700]);
  log.lastSequence = 800;
  expect(await from(800)).toEqual([800]);
});

test("a read that fails is not repeated to those who come later", async () => {
  let isBroken = true;
  const older = new OlderEntries(async (first) => {
    if (isBroken) throw new Error("no connection to NATS");
    return [{ sequence: first, bytes: 1 } as LogEntry]; // all that is used
  });
  await expect(older.from(500)).rejects.toThrow("no connection to NATS");
  isBroken = false;
  expect(await older.from(500)).toHaveLength(1);
});

test("the blocks that were read last are kept, as many as fit", async () => {
  const { log, older, from } = logOf(1, 100_000);
  for (let first = 0; first < 5000; first += 500) await from(first + 1);
  const reads = log.reads.length;
  await from(4501);
  expect(log.reads).toHaveLength(reads);
  await from(1);
  expect(log.reads).toHaveLength(reads + 1);
  older.clear();
  await from(4501);
  expect(log.reads).toHaveLength(reads + 2);
});
