// @vitest-environment node
import { expect, test } from "vitest";
import { codeToNames } from "../../../server/src/markdown/emoji.ts";
import { listEmoji } from "../text/emoji.ts";
import { glyphOf } from "../text/glyph.ts";
import { groupEmoji } from "./groups.ts";
import { findEmoji } from "./find-emoji.ts";

const data = { code_to_names: Object.fromEntries(codeToNames) };
const own = [
  { id: "7", name: "parrot", source_url: "/p.png", deactivated: false },
  { id: "8", name: "heart", source_url: "/h.png", deactivated: false },
  { id: "9", name: "old", source_url: "/o.png", deactivated: true },
];
const all = listEmoji(data, own);

test.each([
  ["1f44d", "👍"],
  ["2764", "❤️"],
  ["0023-20e3", "#️⃣"],
  ["1f1e9-1f1ea", "🇩🇪"],
  ["1f468-200d-1f4bb", "👨‍💻"],
])("the code %s is %s", (code, glyph) => {
  expect(glyphOf(code)).toBe(glyph);
});

test("an invalid code has no characters", () => {
  expect(glyphOf("zz")).toBeUndefined();
  expect(glyphOf("110000")).toBeUndefined();
});

test("a custom emoji replaces a standard one of the same name; a deactivated one is not offered", () => {
  expect(all.filter(({ name }) => name === "heart").map(({ reaction_type }) => reaction_type)).toEqual(["realm_emoji"]);
  expect(all.some(({ name }) => name === "old")).toBe(false);
});

test("every name finds its emoji, recently used ones first", () => {
  const found = (query: string, recent: string[] = []) => findEmoji(all, query, 3, recent).map(({ name }) => name);
  expect(found("thumbs_up")[0]).toBe("+1");
  expect(found("+1")[0]).toBe("+1");
  expect(found("par")).toContain("parrot");
  expect(found("smi", ["smile_cat"])[0]).toBe("smile_cat");
});

test.each([
  ["own", "parrot"],
  ["smileys", "grinning"],
  ["people", "+1"],
  ["nature", "dog"],
  ["food", "pizza"],
  ["places", "rocket"],
  ["flags", "flag_germany"],
] as const)("among the %s is %s", (group, name) => {
  expect(
    groupEmoji(all)
      .get(group)
      ?.map((emoji) => emoji.name),
  ).toContain(name);
});

test("every emoji is in exactly one group, and smileys start with a smile", () => {
  const groups = groupEmoji(all);
  expect([...groups.values()].flat()).toHaveLength(all.length);
  expect(groups.get("smileys")?.[0]?.glyph).toBe("😀");
});
