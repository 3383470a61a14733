import { expect, test } from "vitest";
import { pairsWithoutSelf } from "./pairs-without-self.ts";

test.for([1, 2, 3, 7, 8, 100])("each of %i people is notified of all others and never of themself", (count) => {
  const people = Array.from({ length: count }, (_, i) => i + 10);
  const received = new Map(people.map((id) => [id, new Set<number>()]));

  for (const [listeners, others] of pairsWithoutSelf(people, people))
    for (const listener of listeners) for (const id of others) received.get(listener)?.add(id);

  for (const [id, others] of received)
    expect([...others].toSorted((a, b) => a - b)).toEqual(people.filter((other) => other !== id));
});
