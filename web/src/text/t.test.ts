// @vitest-environment node
import { afterEach, expect, test } from "vitest";
import english from "../locales/en.json" with { type: "json" };
import { setTexts, t } from "./t.ts";

afterEach(() => setTexts("en", english));

test("a count selects the plural form", () => {
  expect(t("names.others", { count: 1 })).toBe("1 other");
  expect(t("names.others", { count: 1200 })).toBe("1,200 others");
});

test("values replace their placeholders", () => {
  expect(t("lightbox.place", { index: 2, count: 5 })).toBe("2 of 5");
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
  expect([t("ui.undo"), t("ui.close"), t("names.others", { count: 2 })]).toEqual(["Rückgängig", "Close", "2 others"]);
});
