// @vitest-environment node
import { afterEach, expect, test } from "vitest";
import english from "../locales/en.json" with { type: "json" };
import { effect } from "@preact/signals";
import { provideTexts, setTexts, t, type TextKey } from "./t.ts";

afterEach(() => setTexts("en", english));

test("a count selects the plural form", () => {
  expect(t("names.others", { count: 1 })).toBe("1 other");
  expect(t("names.others", { count: 1200 })).toBe("1,200 others");
});

test("values replace their placeholders", () => {
  expect(t("composer.label", { name: "Ada" })).toBe("Message Ada");
});

test("a language has the plural forms it needs", () => {
  setTexts("pl", {
    "names.others_one": "{count} inna",
    "names.others_few": "{count} inne",
    "names.others_many": "{count} innych",
  });
  expect([1, 3, 5].map((count) => t("names.others", { count }))).toEqual(["1 inna", "3 inne", "5 innych"]);
});

test("a missing translation falls back to English", () => {
  setTexts("de", { "ui.undo": "Rückgängig" });
  expect([t("ui.undo"), t("ui.retry"), t("names.others", { count: 2 })]).toEqual([
    "Rückgängig",
    "Try again",
    "2 others",
  ]);
});

test("what shows a text is notified when its part's texts are loaded, and when the language changes", () => {
  const shown: string[] = [];
  const key = "late.text" as TextKey; // of a part that is loaded later
  provideTexts({ "late.text": "Late" });
  const stop = effect(() => void shown.push(t(key)));
  provideTexts({ "late.text": "Later" });
  setTexts("de", { "late.text": "Später" });
  stop();
  expect(shown).toEqual(["Late", "Later", "Später"]);
});
