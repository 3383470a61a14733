import { expect, test } from "vitest";
import { toEachOther } from "./to-each-other.ts";

test.for([1, 2, 3, 7, 8, 100])("of %i people each hears of all others and never of themself", (count) => {
  const people = Array.from({ length: count }, (_, i) => i + 10);
  const heard = new Map(people.map((id) => [id, new Set<number>()]));

  for (const [listeners, others] of toEachOther(people, people))
    for (const listener of listeners) for (const id of others) heard.get(listener)?.add(id);

  for (const [id, others] of heard)
    expect([...others].toSorted((a, b) => a - b)).toEqual(people.filter((other) => other !== id));
});
