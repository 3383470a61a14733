import { expect, test } from "vitest";
import { canonicalLanguage, tagsOfLanguage } from "./code-languages.ts";

test.each([
  ["ts", "TypeScript"],
  ["py2", "Python 2.x"],
  ["c++", "C++"],
  ["text", "Text only"],
  ["none", undefined],
  ["constructor", undefined],
])("the tag %s means %s", (tag, language) => {
  expect(canonicalLanguage(tag)).toBe(language);
});

test("all tags of a language can be listed", () => {
  expect(tagsOfLanguage("TypeScript")).toEqual(["ts", "typescript"]);
  expect(tagsOfLanguage("Klingon")).toEqual([]);
});
