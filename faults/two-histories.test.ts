import { expect, test } from "vitest";
import { judgeReplaced, type Evidence, type ReplacedQueue, type TwoHistories } from "./two-histories.ts";

const evidence = (...messages: [id: number, text: string][]): Evidence => ({
  stored: messages.map(([id, text], commit) => ({ id, text, commit, lsn: `0/${commit}` })),
  messages: new Map(messages),
});

/** Message 2 was lost, and its id given to another one. */
const abandoned = evidence([1, "kept"], [2, "lost"]);
const current = evidence([1, "kept"], [2, "new"], [3, "newer"]);

function queueOf(change: Partial<ReplacedQueue>, ...given: [id: number, text: string][]): ReplacedQueue {
  return {
    name: "q",
    deliveries: given.map(([messageId], index) => ({ messageId, eventId: 100 + index })),
    texts: new Map(given),
    isExpired: false,
    abandoned: undefined,
    current: undefined,
    ...change,
  };
}

const old = { isExpired: true, abandoned: { epoch: 4, expected: [1, 2] }, current: { epoch: 4, expected: [1, 2, 3] } };
const fresh = { current: { epoch: 5, expected: [2, 3] } };
const oldQueue = queueOf(old, [1, "kept"], [2, "lost"]);
const freshQueue = queueOf(fresh, [2, "new"], [3, "newer"]);

const run = (change: Partial<TwoHistories>): TwoHistories => ({
  abandoned,
  current,
  goneAt: 10,
  thereAt: 20,
  isWhole: false,
  continues: false,
  epochBefore: 4,
  epochAfter: 5,
  acknowledged: [
    { id: 2, text: "lost", sentAt: 5, acknowledgedAt: 6 },
    { id: 3, text: "newer", sentAt: 25, acknowledgedAt: 26 },
  ],
  queues: [oldQueue, freshQueue],
  ...change,
});

test("an abandoned and a current history have no findings if each queue got the messages of its own", () => {
  expect(judgeReplaced(run({}))).toEqual([]);
});

test.for<[string, Partial<TwoHistories>, object]>([
  [
    "a new queue that gets a lost message",
    { queues: [queueOf(fresh, [2, "lost"], [3, "newer"])] },
    { rule: "delivered once", about: "q", text: 'message 2 was delivered as "lost"' },
  ],
  [
    "a new queue that misses a new message",
    { queues: [queueOf(fresh, [2, "new"])] },
    { rule: "delivered once", text: "1 of 2 missing: 3 (commit 2 at 0/2)" },
  ],
  [
    "a new queue that had to register again",
    { queues: [{ ...freshQueue, isExpired: true }] },
    { rule: "no new registration" },
  ],
  [
    "an old queue that does not expire",
    { queues: [{ ...oldQueue, isExpired: false }] },
    { rule: "abandoned queues expire", about: "q" },
  ],
  [
    "an old queue that gets a new message",
    { queues: [queueOf(old, [1, "kept"], [2, "new"])] },
    { rule: "delivered once", text: 'message 2 was delivered as "new"' },
  ],
  [
    "a queue registered in between that gets a lost message",
    { queues: [queueOf({ isExpired: true, current: { epoch: 4, expected: [2, 3] } }, [2, "lost"])] },
    { rule: "delivered once", text: 'message 2 was delivered as "lost"' },
  ],
  ["a queue that neither history has", { queues: [queueOf({ isExpired: true })] }, { rule: "stored once", about: "q" }],
  [
    "no new epoch",
    { epochAfter: 4, queues: [] },
    { rule: "a new epoch", text: expect.stringContaining("instead of 5") },
  ],
  ["an epoch too many", { epochAfter: 6, queues: [] }, { rule: "a new epoch" }],
  ["a new epoch although the log continues", { continues: true }, { rule: "a new epoch" }],
  [
    "a message lost by the history that has everything",
    { isWhole: true },
    { rule: "stored once", text: expect.stringContaining('message 2 was acknowledged as "lost"') },
  ],
  [
    "a message acknowledged afterwards that is not stored",
    { acknowledged: [{ id: 4, text: "gone", sentAt: 21, acknowledgedAt: 22 }] },
    { rule: "stored once", text: expect.stringContaining("message 4") },
  ],
  [
    "a message acknowledged in between that neither history has",
    { acknowledged: [{ id: 4, text: "gone", sentAt: 9, acknowledgedAt: 11 }] },
    { rule: "stored once", text: expect.stringContaining("in neither") },
  ],
])("%s is found", ([, change, finding]) => {
  expect(judgeReplaced(run(change))).toMatchObject([finding]);
});

test("queues of a log that continues are judged by the current history", () => {
  const queue = queueOf(
    { abandoned: { epoch: 4, expected: [1, 2] }, current: { epoch: 4, expected: [1, 2, 3] } },
    [1, "kept"],
    [2, "new"],
    [3, "newer"],
  );
  const acknowledged = [{ id: 2, text: "new", sentAt: 5, acknowledgedAt: 6 }];

  expect(
    judgeReplaced(
      run({
        abandoned: evidence([1, "kept"], [2, "new"]),
        continues: true,
        epochAfter: 4,
        queues: [queue],
        acknowledged,
      }),
    ),
  ).toEqual([]);
});
