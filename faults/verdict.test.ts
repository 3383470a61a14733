import { expect, test } from "vitest";
import { judge, type Delivery, type History, type QueueHistory } from "./verdict.ts";

/** Four messages; the third transaction took its id before the second, and the first carries two messages. */
const stored = [
  { id: 1, text: "one", commit: 0, lsn: "0/0" },
  { id: 2, text: "two", commit: 0, lsn: "0/0" },
  { id: 4, text: "four", commit: 1, lsn: "0/1" },
  { id: 3, text: "three", commit: 2, lsn: "0/2" },
];

const deliveriesOf = (...ids: number[]): Delivery[] =>
  ids.map((messageId, index) => ({ messageId, eventId: 100 + index }));

function historyWith(queue: Partial<QueueHistory>, change: Partial<History> = {}): History {
  return {
    stored,
    acknowledged: [
      { id: 1, text: "one" },
      { id: 3, text: "three" },
    ],
    deliveredTexts: new Map([[1, "one"]]),
    queues: [
      {
        name: "q",
        expected: [1, 2, 4, 3],
        deliveries: deliveriesOf(1, 2, 4, 3),
        isExpired: false,
        complaints: [],
        ...queue,
      },
    ],
    ...change,
  };
}

test("a history in which everything arrived once and in commit order has no findings", () => {
  expect(judge(historyWith({}))).toEqual([]);
});

test("an acknowledged message that is not stored is found", () => {
  const findings = judge(historyWith({}, { acknowledged: [{ id: 9, text: "nine" }] }));

  expect(findings).toMatchObject([{ rule: "stored once", text: expect.stringContaining("message 9") }]);
});

test("a message stored under another text than the acknowledged one is found", () => {
  const findings = judge(historyWith({}, { acknowledged: [{ id: 1, text: "other" }] }));

  expect(findings).toMatchObject([{ rule: "stored once", text: expect.stringContaining('as "other"') }]);
});

test("a text stored twice is found", () => {
  const twice = [...stored, { id: 5, text: "one", commit: 3, lsn: "0/3" }];

  const findings = judge(
    historyWith({ expected: [1, 2, 4, 3, 5], deliveries: deliveriesOf(1, 2, 4, 3, 5) }, { stored: twice }),
  );

  expect(findings).toMatchObject([{ rule: "stored once", text: expect.stringContaining("2 times: 1, 5") }]);
});

test("a message delivered with the text of another is found", () => {
  const findings = judge(historyWith({}, { deliveredTexts: new Map([[4, "one"]]) }));

  expect(findings).toMatchObject([{ rule: "delivered once", about: "messages" }]);
});

test("a gap in a queue is found", () => {
  const findings = judge(historyWith({ deliveries: deliveriesOf(1, 2, 3) }));

  expect(findings).toMatchObject([{ rule: "delivered once", about: "q", text: "1 of 4 missing: 4 (commit 1 at 0/1)" }]);
});

test("a missing end of a queue is found", () => {
  const findings = judge(historyWith({ deliveries: deliveriesOf(1, 2) }));

  expect(findings).toMatchObject([{ rule: "delivered once", text: expect.stringContaining("2 of 4 missing") }]);
});

test("an expired queue may lack its end, but nothing before it", () => {
  expect(judge(historyWith({ isExpired: true, deliveries: deliveriesOf(1, 2) }))).toEqual([]);

  const findings = judge(historyWith({ isExpired: true, deliveries: deliveriesOf(1, 4) }));

  expect(findings).toMatchObject([{ rule: "delivered once", text: "1 of 3 missing: 2 (commit 0 at 0/0)" }]);
});

test("a repeated delivery is found, even if it is the same event", () => {
  const again = [...deliveriesOf(1, 2, 4, 3), { messageId: 3, eventId: 103 }];

  const findings = judge(historyWith({ deliveries: again }));

  expect(findings.map(({ rule }) => rule)).toEqual(["delivered once", "commit order"]);
});

test("a message that is not for the queue is found", () => {
  const findings = judge(historyWith({ expected: [1, 2, 3] }));

  expect(findings).toMatchObject([{ rule: "delivered once", text: expect.stringContaining("1 unexpected: 4") }]);
});

test("an inversion against commit order is found, though the ids ascend", () => {
  const findings = judge(historyWith({ deliveries: deliveriesOf(1, 2, 3, 4) }));

  expect(findings).toMatchObject([
    { rule: "commit order", text: "4 (commit 1 at 0/1) came after 3 (commit 2 at 0/2)" },
  ]);
});

test("messages of one transaction in another order than their ids are found", () => {
  const findings = judge(historyWith({ deliveries: deliveriesOf(2, 1, 4, 3) }));

  expect(findings).toMatchObject([
    { rule: "commit order", text: "1 (commit 0 at 0/0) came after 2 (commit 0 at 0/0)" },
  ]);
});

test("event ids that do not grow are found", () => {
  const deliveries = deliveriesOf(1, 2, 4, 3).map((delivery) => ({ ...delivery, eventId: 7 }));

  const findings = judge(historyWith({ deliveries }));

  expect(findings).toHaveLength(3);
  expect(findings).toMatchObject([{ rule: "commit order" }, { rule: "commit order" }, { rule: "commit order" }]);
});

test("a queue that had to register again is found", () => {
  const findings = judge(historyWith({ complaints: ["BAD_EVENT_QUEUE_ID"] }));

  expect(findings).toMatchObject([{ rule: "no new registration", about: "q" }]);
});
