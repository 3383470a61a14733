import { signal } from "@preact/signals";
import { expect, test } from "vitest";
import { IncrementalMatcher } from "./incremental-matcher.ts";

const many = (count: number, name: string): string[] => Array.from({ length: count }, (_, index) => `${name} ${index}`);

test("a name added to a short list is found at once", () => {
  const names = signal(["ada"]);
  const matcher = new IncrementalMatcher(names, (name) => name);
  expect(matcher.value.find("ad", 8)).toEqual(["ada"]);

  names.value = ["ada", "adele"];

  expect(matcher.value.find("ad", 8)).toEqual(["ada", "adele"]);
});

test("in a long list, names are found before and after a change, and the changed name soon after", async () => {
  const names = signal(many(6000, "ada"));
  const matcher = new IncrementalMatcher(names, (name) => name);
  expect(matcher.value.find("ada 5999", 1)).toEqual(["ada 5999"]);

  names.value = [...names.value, "somebody new"];

  expect(matcher.value.find("ada 5999", 1)).toEqual(["ada 5999"]);
  await expect.poll(() => matcher.value.find("somebody", 1)).toEqual(["somebody new"]);
});

test("of two changes in a row, the later one is found", async () => {
  const names = signal(many(6000, "ada"));
  const matcher = new IncrementalMatcher(names, (name) => name);
  void matcher.value;

  names.value = [...many(6000, "ada"), "first"];
  void matcher.value;
  names.value = [...many(6000, "ada"), "second"];

  await expect.poll(() => matcher.value.find("second", 1)).toEqual(["second"]);
  expect(matcher.value.find("first", 1)).toEqual([]);
});
