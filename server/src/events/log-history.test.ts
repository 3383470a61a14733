import { expect, test } from "vitest";
import { findMismatch, parseTimelines, type EpochCause, type LogState } from "./log-history.ts";

const record = {
  epoch: 3,
  confirmedSequence: 50,
  generation: "g",
  systemIdentifier: "7",
  timeline: 2,
  confirmedLsn: 900n,
  confirmedLsnSequence: 50,
};
const stream = {
  epoch: 3,
  generation: "g",
  systemIdentifier: "7",
  timeline: 2,
  created: "then",
  firstSequence: 1,
  lastSequence: 70,
  maxBytes: 1,
  replicas: 1,
};
const newest = { sequence: 60, position: { lsn: 1000n, parts: 1 }, epoch: 3, generation: "g", confirmed: 50 };
const history = { systemIdentifier: "7", timeline: 2, end: 2000n, branchedAt: new Map([[1, 500n]]) };
const state: LogState = { slot: { confirmed: 900n }, stream, newest, before: record, after: record, history };

/** The previous release records only the epoch in the stream, and only the sequence in the database. */
const missing = { generation: undefined, systemIdentifier: undefined, timeline: undefined };
const oldRecord = { ...record, ...missing, confirmedLsn: undefined, confirmedLsnSequence: undefined };

test.for<[string, Partial<LogState>]>([
  ["everything matches", {}],
  ["the stream is ahead of what was confirmed", { newest: { ...newest, sequence: 69 } }],
  ["nothing has been published yet", { newest: { ...newest, sequence: 50, position: { lsn: 0n, parts: 0 } } }],
  ["another relay confirms meanwhile", { after: { ...record, confirmedSequence: 60, confirmedLsn: 1001n } }],
  ["the previous release created it", { stream: { ...stream, ...missing }, before: oldRecord, after: oldRecord }],
  ["a relay of the previous release created the stream", { stream: { ...stream, ...missing } }],
  [
    "a relay of the previous release has confirmed since",
    { slot: { confirmed: 950n }, after: { ...record, confirmedSequence: 60 } },
  ],
  [
    "the database is on a later timeline that has everything",
    { history: { ...history, timeline: 3, branchedAt: new Map([[2, 1001n]]) } },
  ],
])("a log is continued when %s", ([, change]) => {
  expect(findMismatch({ ...state, ...change })).toBeUndefined();
});

test.for<[string, Partial<LogState>, boolean, EpochCause?]>([
  ["there is no slot", { slot: undefined }, false, "no slot"],
  ["PostgreSQL has invalidated the slot", { slot: undefined, lostSlot: "why" }, false, "slot lost"],
  ["there is no stream", { stream: undefined }, false, "no stream"],
  ["the stream has an earlier epoch", { stream: { ...stream, epoch: 2 } }, false],
  ["the stream has a later epoch", { stream: { ...stream, epoch: 4 } }, false],
  ["the stream has another generation", { stream: { ...stream, generation: "h" } }, false],
  ["the stream lost its end", { newest: { ...newest, sequence: 49 } }, false],
  ["the stream's newest entry belongs to another log", { newest: { ...newest, generation: "h" } }, false],
  ["the stream comes from another cluster", { stream: { ...stream, systemIdentifier: "8" } }, true],
  ["the database's record comes from another cluster", { after: { ...record, systemIdentifier: "8" } }, true],
  ["the database has forgotten what it confirmed", { newest: { ...newest, confirmed: 51 } }, true],
  ["the stream is ahead of the database", { history: { ...history, end: 999n } }, true],
  [
    "the log's timeline is not an ancestor",
    { history: { ...history, timeline: 3, branchedAt: new Map([[1, 500n]]) } },
    true,
  ],
  [
    "the timeline branched off before the newest transaction",
    { history: { ...history, timeline: 3, branchedAt: new Map([[2, 1000n]]) } },
    true,
  ],
  ["the database is on an earlier timeline", { history: { ...history, timeline: 1, branchedAt: new Map() } }, true],
  [
    "the slot is ahead of where the timeline branched off",
    { slot: { confirmed: 1500n }, history: { ...history, timeline: 3, branchedAt: new Map([[2, 1200n]]) } },
    true,
  ],
  [
    "the database is on a later timeline, and the slot was confirmed beyond the newest transaction",
    {
      slot: { confirmed: 1001n },
      after: { ...record, confirmedLsn: 1001n },
      history: { ...history, timeline: 3, branchedAt: new Map([[2, 1200n]]) },
    },
    true,
  ],
  ["the slot is ahead of what was confirmed", { slot: { confirmed: 901n } }, true],
])("a new epoch begins when %s", ([, change, isDatabase, cause]) => {
  expect(findMismatch({ ...state, ...change })).toEqual({
    reason: expect.any(String),
    isDatabase,
    cause: cause ?? (isDatabase ? "database does not match" : "stream does not match"),
  });
});

test("a timeline's history file lists where it branched off from each ancestor", () => {
  const text = "1\t0/3000148\tno recovery target specified\n\n# a comment\n2\tA/15\tbefore 2026-05-04\n";

  expect(parseTimelines(text)).toEqual(
    new Map([
      [1, 0x3000148n],
      [2, 0xa00000015n],
    ]),
  );
});
