import { beforeEach, expect, test } from "vitest";
import { Ledger, type Place, type Reader } from "./ledger.ts";

let ledger: Ledger;
let place: Place;
let ada: Reader;
let ben: Reader;

const reader = (name: string, weight: number, places: Place[]): Reader => ({
  name,
  weight,
  places,
  lastEventId: 0,
  isPresent: false,
  newcomer: undefined,
});

beforeEach(() => {
  ledger = new Ledger();
  place = { present: 0, weight: 0 };
  ada = reader("Ada", 1001, [place]);
  ben = reader("Ben", 20_002, [place]);
  ledger.arrive(ada, 0, 0);
  ledger.arrive(ben, 0, 0);
});

const sent = (id: number) => ledger.accept(ledger.send(place, 0), id, 1);

function findings(): string[] {
  ledger.settle(100, [ada, ben]);
  return ledger.findings;
}

test("a message that reached everybody once is fine, before or after its sender got the response", () => {
  const sending = ledger.send(place, 0);
  ledger.deliver(ada, 5, 7, 2);
  ledger.accept(sending, 7, 3);
  ledger.deliver(ben, 5, 7, 4);

  expect(findings()).toEqual([]);
  expect(ledger.countOpen()).toBe(0);
});

test("the time of a delivery counts from when the message was due, also before the response", () => {
  ledger.startMeasuring();
  const sending = ledger.send(place, 100);
  ledger.deliver(ada, 5, 7, 110);
  ledger.accept(sending, 7, 112);
  ledger.deliver(ben, 5, 7, 150);

  expect(ledger.delays.count).toBe(2);
  expect(ledger.delays.mean).toBe(30);
});

test("a lost message is found", () => {
  sent(7);
  ledger.deliver(ada, 5, 7, 2);

  ledger.advance(ben, 6);

  expect(ledger.countOpen()).toBe(1);
  expect(findings()).toEqual(["message 7 reached 1 readers instead of 2"]);
});

test("a reader who has not read as far as the message is named", () => {
  sent(7);
  ledger.deliver(ada, 5, 7, 2);

  expect(findings()).toEqual([
    "message 7 reached 1 readers instead of 2; 1 have not read up to its event 5: Ben (at 0)",
  ]);
});

test("a message that is late is not lost", () => {
  sent(7);
  ledger.deliver(ada, 5, 7, 2);
  ledger.settle(100_000);
  ledger.deliver(ben, 5, 7, 100_001);

  expect(ledger.late).toBe(1);
  expect(findings()).toEqual([]);
});

test("a message that reached somebody else instead is found", () => {
  const stranger = reader("Cleo", 5, []);
  ledger.arrive(stranger, 0, 0);
  sent(7);
  ledger.deliver(ada, 5, 7, 2);
  ledger.deliver(stranger, 5, 7, 2);

  expect(findings()).toEqual(["message 7 reached other readers than its conversation has"]);
});

test("a repeated event is found", () => {
  sent(7);
  for (const each of [ada, ben, ben]) ledger.deliver(each, 5, 7, 2);

  expect(findings()).toContain("Ben: event 5 came after event 5");
});

test("a message that is repeated as another event is found", () => {
  sent(7);
  ledger.deliver(ada, 5, 7, 2);
  ledger.deliver(ben, 5, 7, 2);
  ledger.deliver(ben, 6, 7, 2);

  expect(findings()).toContain("Ben: message 7 came as event 6, elsewhere as event 5");
});

test("two messages in different orders are found", () => {
  sent(7);
  sent(8);
  ledger.deliver(ada, 5, 7, 2);
  ledger.deliver(ada, 6, 8, 2);
  ledger.deliver(ben, 5, 8, 2);
  ledger.deliver(ben, 6, 7, 2);

  expect(findings()).not.toEqual([]);
});

test("one who registers anew may get a message that is under way on either queue, or by the state", () => {
  for (const id of [7, 8, 9]) sent(id);
  for (const [event, id] of [
    [5, 7],
    [6, 8],
    [7, 9],
  ] as const)
    ledger.deliver(ada, event, id, 2);
  ledger.deliver(ben, 5, 7, 2);
  ledger.leave(ben);
  ledger.arrive(ben, 6, 3);
  ledger.deliver(ben, 7, 9, 4);

  expect(findings()).toEqual([]);
});

test("one who registers anew must not get a message on both queues", () => {
  sent(7);
  ledger.deliver(ada, 5, 7, 2);
  ledger.deliver(ben, 5, 7, 2);
  ledger.leave(ben);
  ledger.arrive(ben, 4, 3);
  ledger.deliver(ben, 5, 7, 4);

  expect(findings()).toContain("Ben: message 7 came before and after registering");
});

test("one who is not there is not waited for, and one who is back is", () => {
  ledger.leave(ben);
  sent(7);
  ledger.deliver(ada, 5, 7, 2);
  ledger.settle(100_000);
  ledger.arrive(ben, 5, 100_000);
  ledger.accept(ledger.send(place, 100_001), 8, 100_002);
  ledger.deliver(ada, 6, 8, 100_003);

  expect(findings()).toEqual([
    "message 8 reached 1 readers instead of 2; 1 have not read up to its event 6: Ben (at 5)",
  ]);
});

test("one who registers anew twice in a moment is still counted once", () => {
  sent(7);
  ledger.deliver(ada, 5, 7, 2);
  ledger.leave(ben);
  ledger.arrive(ben, 4, 3);
  ledger.deliver(ben, 5, 7, 4);
  ledger.leave(ben);
  ledger.arrive(ben, 5, 6);

  expect(findings()).toEqual([]);
});

test("one who joins meanwhile may or may not get a message, and from then on has to", () => {
  const cleo = reader("Cleo", 300, []);
  ledger.arrive(cleo, 0, 0);
  ledger.joining(cleo, 1);
  sent(7);
  sent(8);
  ledger.deliver(cleo, 6, 8, 2);
  ledger.joined(cleo, place);
  sent(9);
  for (const each of [ada, ben]) {
    ledger.deliver(each, 5, 7, 3);
    ledger.deliver(each, 6, 8, 3);
    ledger.deliver(each, 7, 9, 3);
  }

  expect(findings()).toEqual(["message 9 reached 2 readers instead of 3"]);
});

test("a message that nobody sent is a stranger", () => {
  ledger.deliver(ada, 5, 7, 2);

  expect(findings()).toEqual([]);
  expect([...ledger.strangers]).toEqual([7]);
});
