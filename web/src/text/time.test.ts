// @vitest-environment node
import { beforeEach, expect, test } from "vitest";
import { dayName, fullTime, isSameDay, listTime, setClock, timeOfDay, writtenTime } from "./time.ts";

const at = (iso: string): number => Date.parse(iso) / 1000;
const now = at("2026-03-11T12:00:00Z");

beforeEach(() => setClock({ timeZone: "UTC", hour12: false }));

test("the clock has 12 or 24 hours", () => {
  expect(timeOfDay(at("2026-03-11T14:05:00Z"))).toBe("14:05");
  setClock({ timeZone: "UTC", hour12: true });
  expect(timeOfDay(at("2026-03-11T14:05:00Z")).replace("\u202F", " ")).toBe("2:05 PM");
});

test("days have relative names", () => {
  expect(dayName(at("2026-03-11T00:01:00Z"), now)).toBe("Today");
  expect(dayName(at("2026-03-10T23:59:00Z"), now)).toBe("Yesterday");
  expect(dayName(at("2026-03-02T10:00:00Z"), now)).toBe("Monday, March 2");
  expect(dayName(at("2025-12-31T10:00:00Z"), now)).toBe("Wednesday, December 31, 2025");
});

test("a list shows only as much of a date as needed", () => {
  expect(listTime(at("2026-03-11T09:30:00Z"), now)).toBe("09:30");
  expect(listTime(at("2026-03-10T09:30:00Z"), now)).toBe("Yesterday");
  expect(listTime(at("2026-03-06T09:30:00Z"), now)).toBe("Fri");
  expect(listTime(at("2026-02-06T09:30:00Z"), now)).toBe("Feb 6");
  expect(listTime(at("2024-02-06T09:30:00Z"), now)).toBe("Feb 6, 2024");
});

test("a day starts at midnight in the reader's time zone", () => {
  const [evening, morning] = [at("2026-03-10T22:00:00Z"), at("2026-03-11T05:00:00Z")];
  expect(isSameDay(evening, morning)).toBe(false);
  setClock({ timeZone: "Asia/Tokyo" });
  expect(isSameDay(evening, morning)).toBe(true);
});

test("a time written in a message is shown in the reader's time zone", () => {
  setClock({ timeZone: "Europe/Berlin", hour12: false });
  expect(writtenTime(at("2026-03-05T14:00:00Z"))).toBe("Thu, Mar 5, 2026, 15:00");
  expect(fullTime(at("2026-03-05T14:00:00Z"))).toContain("GMT+1");
});
