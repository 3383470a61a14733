import { expect, test } from "vitest";
import { Allowance } from "./allowance.ts";

test("an allowance can be used up at once, and then refills over time", () => {
  let now = 0;
  const allowance = new Allowance({ burst: 3, perSecond: 2 }, () => now);

  expect([1, 2, 3].map(() => allowance.take("a"))).toEqual([0, 0, 0]);
  expect(allowance.take("a")).toBeCloseTo(0.5);
  expect(allowance.take("b")).toBe(0);
  now += 500;
  expect(allowance.take("a")).toBe(0);
  expect(allowance.take("a")).toBeGreaterThan(0);
  now += 60_000;
  expect(allowance.left("a")).toBe(3);
});

test("an amount larger than the allowance is granted when it is full", () => {
  const allowance = new Allowance({ burst: 10, perSecond: 1 }, () => 0);

  expect(allowance.take("a", 50)).toBe(0);
  expect(allowance.take("a")).toBe(1);
});
