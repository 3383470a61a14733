import { expect, test } from "vitest";
import { effectsOf, privacyOf, propertiesOf, type Privacy } from "./channel-privacy.ts";

const all: readonly Privacy[] = ["webPublic", "public", "private", "protected"];

const told = (from: Privacy, to: Privacy, isSubscribed = true): string[] =>
  effectsOf(from, to, isSubscribed).map(({ whom, gains }) => `${gains ? "+" : "-"}${whom}`);

test("each privacy is recognized by its properties", () => {
  for (const privacy of all) expect(privacyOf(propertiesOf(privacy))).toBe(privacy);
});

test.each([
  ["public", "webPublic", ["+strangers"]],
  ["public", "private", ["-members"]],
  ["public", "protected", ["-members", "-subscribers"]],
  ["private", "protected", ["-subscribers"]],
  ["protected", "private", ["+subscribers"]],
  ["protected", "webPublic", ["+strangers", "+members", "+subscribers"]],
  ["webPublic", "private", ["-strangers", "-members"]],
] as const)("from %s to %s, those affected are named", (from, to, expected) => {
  expect(told(from, to)).toEqual(expected);
});

test("every change affects somebody, and its opposite the same people", () => {
  const opposite = (effect: string): string => (effect.startsWith("+") ? "-" : "+") + effect.slice(1);
  for (const from of all)
    for (const to of all.filter((each) => each !== from)) {
      expect(told(from, to)).not.toEqual([]);
      expect(told(to, from)).toEqual(told(from, to).map(opposite));
    }
});

test("readers who are not subscribed are warned that they lose access themselves", () => {
  expect(told("public", "private", false)).toEqual(["-members", "-reader"]);
  expect(told("private", "protected", false)).toEqual(["-subscribers"]);
});
