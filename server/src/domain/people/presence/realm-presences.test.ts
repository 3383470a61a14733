import { expect, test } from "vitest";
import { separated, toBuffers } from "../../../platform/shared-text.ts";
import { Random } from "../../../../test/sum/random.ts";
import { toModernPresence } from "./formats.ts";
import { RealmPresences, type Presence } from "./realm-presences.ts";

const ids = (presences: RealmPresences, after: number) => [...presences.since(after)].map((one) => one.userId);

test("times only move forward, whatever the order of reports", () => {
  const presences = new RealmPresences();

  presences.report([1, 500, 500], 1);
  presences.report([1, 0, 900], 2);
  presences.report([1, 300, 300], 3);

  expect(presences.find(1)).toEqual({ userId: 1, activeAt: 500, connectedAt: 900, updateId: 3 });
});

test("the reports after an id contain each user once, in order of their newest report", () => {
  const presences = new RealmPresences();
  presences.begin([
    { userId: 2, activeAt: 0, connectedAt: 20, updateId: 7 },
    { userId: 1, activeAt: 0, connectedAt: 10, updateId: 5 },
  ]);

  presences.report([3, 0, 30], 8);
  presences.report([1, 0, 40], 9);

  expect(ids(presences, -1)).toEqual([2, 3, 1]);
  expect(ids(presences, 7)).toEqual([3, 1]);
  expect(ids(presences, 9)).toEqual([]);
  expect(presences.lastUpdateId).toBe(9);
});

test("replaced reports are removed eventually, and nothing else is lost", () => {
  const presences = new RealmPresences();

  for (let id = 1; id <= 10_000; id++) presences.report([id % 3, 0, id], id);

  expect(ids(presences, 9_997)).toEqual([2, 0, 1]);
  expect(ids(presences, -1)).toEqual([2, 0, 1]);
});

test("hiding a user removes them and their earlier reports", () => {
  const presences = new RealmPresences();
  presences.report([1, 100, 100], 1);

  presences.hide(1, 200);
  presences.report([1, 150, 150], 2);
  expect(ids(presences, -1)).toEqual([]);
  presences.report([1, 300, 300], 3);

  expect(presences.find(1)).toEqual({ userId: 1, activeAt: 300, connectedAt: 300, updateId: 3 });
});

test("the text of the reports after an id says the same as the reports, whatever was asked before", () => {
  const presences = new RealmPresences();
  const random = new Random(5);
  const users = 40;
  for (let id = 1; id <= 3000; id += 1 + random.below(2)) {
    for (let count = random.below(4); count > 0; count--) {
      const at = id * 1000;
      const isActive = random.chance(0.6);
      presences.report([1 + random.below(users), isActive ? at : 0, at], id);
    }
    if (random.chance(0.02)) presences.hide(1 + random.below(users), id * 1000);
    const after = Math.max(0, id - random.below(60));
    const except = random.below(users);

    const { texts, neverActive } = presences.textSince(after, except);

    const expected = [...presences.since(after)].filter(({ userId }) => userId !== except);
    const modern = expected
      .filter(({ activeAt }) => activeAt > 0)
      .map((one): [string, object] => [String(one.userId), toModernPresence(one, 0)]);
    expect(JSON.parse(`{${Buffer.concat(toBuffers(separated(texts))).toString()}}`)).toEqual(
      Object.fromEntries(modern),
    );
    const idle = (some: readonly Presence[]) => some.map(({ userId }) => userId).toSorted((one, other) => one - other);
    expect(idle(neverActive)).toEqual(idle(expected.filter(({ activeAt }) => activeAt === 0)));
  }
});
