import { expect, test } from "vitest";
import type { Db } from "./db/connect.ts";
import { VersionedCache } from "./versioned-cache.ts";

const outside = { isTransaction: false } as Db; // all that the cache uses
const inside = { isTransaction: true } as Db;

test("a value is loaded once for each version", async () => {
  const cache = new VersionedCache<string>();
  const load = (value: string) => () => Promise.resolve(value);

  expect(await cache.get(outside, { id: 1, version: 1 }, load("first"))).toBe("first");
  expect(await cache.get(outside, { id: 1, version: 1 }, load("again"))).toBe("first");
  expect(await cache.get(outside, { id: 1, version: 2 }, load("second"))).toBe("second");
  expect(await cache.get(outside, { id: 2, version: 2 }, load("other"))).toBe("other");
});

test("a value loaded inside a transaction is not cached, because it may never commit", async () => {
  const cache = new VersionedCache<string>();

  expect(await cache.get(inside, { id: 1, version: 2 }, () => Promise.resolve("uncommitted"))).toBe("uncommitted");
  expect(await cache.get(outside, { id: 1, version: 2 }, () => Promise.resolve("committed"))).toBe("committed");
  expect(await cache.get(inside, { id: 1, version: 2 }, () => Promise.resolve("unused"))).toBe("committed");
});

test("the least recently stored owner is evicted", () => {
  const cache = new VersionedCache<string>(2);
  for (const id of [1, 2, 1, 3]) cache.keep(id, 1, `value ${id}`);

  expect([1, 2, 3].map((id) => cache.newest(id))).toEqual(["value 1", undefined, "value 3"]);
});
