import { expect, test } from "vitest";
import { maxPartLength } from "../../../events/log-format.ts";
import { Batches } from "./batches.ts";

test("pending items are committed together, as far as they fit into one part of the event log", async () => {
  const groups: string[][] = [];
  const batches = new Batches<string, string>(
    async (items) => (groups.push(items), items),
    () => undefined,
  );
  const half = maxPartLength / 2;
  const given = [
    ["a", 10],
    ["b", half],
    ["c", half],
    ["d", maxPartLength * 3],
    ["e", half],
    ["f", half],
    ["g", 10],
  ] as const;

  const answers = await Promise.all(given.map(([item, length]) => batches.add(item, length)));

  expect(answers).toEqual(["a", "b", "c", "d", "e", "f", "g"]);
  expect(groups).toEqual([["a", "b"], ["c"], ["d"], ["e", "f"], ["g"]]);
});
