import { expect, test } from "vitest";
import {
  codeToName,
  codeToNames,
  emoticonPattern,
  emoticons,
  findUnicodeEmoji,
  fromEmojiCode,
  nameToCode,
  toEmojiCode,
} from "./emoji.ts";

test("every name has one code, and the first name of a code is the canonical one", () => {
  const names = [...codeToNames.values()].flat();

  expect(codeToNames.size).toBe(1883);
  expect(nameToCode.size).toBe(names.length);
  expect(nameToCode.get("thumbs_up")).toBe("1f44d");
  expect(codeToName.get("1f44d")).toBe("+1");
});

test("codes and characters convert to each other", () => {
  expect(toEmojiCode("❤\uFE0F")).toBe("2764");
  expect(toEmojiCode("#\uFE0F\u20E3")).toBe("0023-20e3");
  expect(fromEmojiCode("1f468-200d-1f469-200d-1f467")).toBe("👨‍👩‍👧");
});

test("every emoticon stands for an existing emoji", () => {
  for (const name of emoticons.values()) expect(nameToCode.has(name), name).toBe(true);
});

test.each([
  ["well :) then", [":)"]],
  ["(:D)", [":D"]],
  ["no:) no :)no", []],
  [":( :(", [":(", ":("]],
  ["http://host:/x", []],
  ["love <3!", ["<3"]],
])("emoticons stand by themselves: %s", (text, found) => {
  expect(Array.from(text.matchAll(emoticonPattern), ([typed]) => typed)).toEqual(found);
});

test.each([
  ["plain 123 #", []],
  ["tea 🍵 or ☕?", ["tea", "coffee"]],
  ["© and ↔ are characters", []],
  ["©\uFE0F is not", ["copyright"]],
  ["9\uFE0F\u20E3 is a key, 9\u20E3 is not", ["nine"]],
  ["two flags: 🇨🇦🇺🇸", ["flag_canada", "flag_united_states"]],
  ["a skin tone 👍🏿 has no name", []],
  ["👩‍🚀 is one emoji", ["woman_astronaut"]],
  ["half a flag 🇨", []],
])("Unicode emoji are found whole: %s", (text, names) => {
  const found = findUnicodeEmoji(text);

  expect(found.map(({ name }) => name)).toEqual(names);
  for (const { index, end, code } of found) expect(toEmojiCode(text.slice(index, end))).toBe(code);
});
