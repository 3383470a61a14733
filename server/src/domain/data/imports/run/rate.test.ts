import { expect, test } from "vitest";
import { Rate } from "./rate.ts";

test("what an earlier run has done does not count", () => {
  const rate = new Rate();
  expect(rate.note("messages", 0, 0)).toBe(0);
  expect(rate.note("messages", 700_000, 2000)).toBe(0);
  expect(rate.note("messages", 705_000, 3000)).toBe(5000);
  expect(rate.note("messages", 710_000, 4000)).toBe(5000);
});

test("every phase begins anew", () => {
  const rate = new Rate();
  rate.note("topics", 10, 0);
  expect(rate.note("topics", 30, 1000)).toBe(20);
  expect(rate.note("messages", 1000, 2000)).toBe(0);
  expect(rate.note("messages", 2000, 3000)).toBe(1000);
});
