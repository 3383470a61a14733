import fc from "fast-check";
import { expect, test } from "vitest";
import { addArrival, addPage, changedIds, newestRun, remove, runAround, type Runs } from "./runs.ts";

/** The server's list, and what a client that fetches pages and gets new messages knows about it. */
class Model {
  all: number[] = [];
  runs: Runs = [];
  #next = 1;

  arrive(isHeard: boolean): void {
    const id = this.#next;
    this.#next += 3;
    this.all.push(id);
    if (isHeard) this.runs = addArrival(this.runs, id);
    // The client cannot know about events it missed: it starts over.
    else this.runs = [];
  }

  fetch(at: number, before: number, after: number): void {
    const index = this.all.length === 0 ? 0 : at % this.all.length;
    const start = Math.max(0, index - before);
    const end = Math.min(this.all.length, index + after + 1);
    const page = { ids: this.all.slice(start, end), hasOldest: start === 0, hasNewest: end >= this.all.length };
    this.runs = addPage(this.runs, page);
  }

  delete(at: number): void {
    const gone = this.all[at % Math.max(1, this.all.length)];
    if (gone === undefined) return;
    this.all = this.all.filter((id) => id !== gone);
    this.runs = remove(this.runs, new Set([gone]));
  }
}

type Step = (model: Model) => void;
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Step>((model) => model.arrive(true)) },
  { weight: 1, arbitrary: fc.constant<Step>((model) => model.arrive(false)) },
  {
    weight: 3,
    arbitrary: fc.tuple(fc.nat(200), fc.nat(8), fc.nat(8)).map(
      ([at, before, after]): Step =>
        (model) =>
          model.fetch(at, before, after),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.nat(200).map(
      (at): Step =>
        (model) =>
          model.delete(at),
    ),
  },
);

test("whatever arrives, is fetched or deleted, runs have no gaps and their ends are true", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const model = new Model();
      for (const apply of steps) apply(model);

      for (const { ids, hasOldest, hasNewest } of model.runs) {
        const [first = -Infinity, last = Infinity] = [ids[0], ids.at(-1)];
        expect(ids).toEqual(model.all.filter((id) => id >= first && id <= last));
        expect(hasOldest && ids[0] !== model.all[0]).toBe(false);
        expect(hasNewest && ids.at(-1) !== model.all.at(-1)).toBe(false);
      }
      const firsts = model.runs.flatMap(({ ids }) => ids);
      expect(firsts).toEqual([...new Set(firsts)].toSorted((a, b) => a - b));
    }),
    { numRuns: 500 },
  );
});

test("two pages that share a message become one run", () => {
  const older = { ids: [1, 2, 3], hasOldest: true, hasNewest: false };
  const newer = { ids: [3, 4, 5], hasOldest: false, hasNewest: true };

  expect(addPage(addPage([], newer), older)).toEqual([{ ids: [1, 2, 3, 4, 5], hasOldest: true, hasNewest: true }]);
});

test("a new message extends a run only where the end is known", () => {
  const open = addPage([], { ids: [1, 2], hasOldest: true, hasNewest: false });

  expect(addArrival(open, 9)).toEqual(open);
  expect(newestRun(open)).toBeUndefined();
  expect(addArrival(addPage(open, { ids: [2, 3], hasOldest: false, hasNewest: true }), 9)).toEqual([
    { ids: [1, 2, 3, 9], hasOldest: true, hasNewest: true },
  ]);
});

test("the run around a message is the one that would contain it", () => {
  const runs: Runs = [
    { ids: [10, 20], hasOldest: true, hasNewest: false },
    { ids: [50, 60], hasOldest: false, hasNewest: true },
  ];

  expect(runAround(runs, 5)).toBe(runs[0]);
  expect(runAround(runs, 15)).toBe(runs[0]);
  expect(runAround(runs, 30)).toBeUndefined();
  expect(runAround(runs, 99)).toBe(runs[1]);
});

test("within its range a page is right: what it does not contain is gone", () => {
  const runs = [
    { ids: [1, 2, 3, 4], hasOldest: true, hasNewest: false },
    { ids: [8, 9, 10], hasOldest: false, hasNewest: true },
  ];
  expect(addPage(runs, { ids: [2, 4, 6, 8], hasOldest: false, hasNewest: false })).toEqual([
    { ids: [1, 2, 4, 6, 8, 9, 10], hasOldest: true, hasNewest: true },
  ]);
  expect(addPage(runs, { ids: [9], hasOldest: false, hasNewest: true })).toEqual([
    runs[0],
    { ids: [8, 9], hasOldest: false, hasNewest: true },
  ]);
  expect(addPage(runs, { ids: [], hasOldest: true, hasNewest: true })).toEqual([
    { ids: [], hasOldest: true, hasNewest: true },
  ]);
});

test("the difference of two states of a list is what came and what went", () => {
  const id = fc.integer({ min: 1, max: 30 });
  const run = fc
    .uniqueArray(id)
    .map((ids) => ({ ids: ids.toSorted((a, b) => a - b), hasOldest: true, hasNewest: true }));
  fc.assert(
    fc.property(run, run, (a, b) => {
      const { added, gone } = changedIds([a], [b]);
      expect(new Set(added)).toEqual(new Set(b.ids).difference(new Set(a.ids)));
      expect(new Set(gone)).toEqual(new Set(a.ids).difference(new Set(b.ids)));
    }),
  );
});
