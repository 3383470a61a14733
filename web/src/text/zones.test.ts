// @vitest-environment node
import { expect, test } from "vitest";
import { fieldValue, laterTimes, parseFieldValue, secondsAt, wallTime } from "./zones.ts";

const at = (iso: string): number => Date.parse(iso) / 1000;
const iso = (seconds: number | undefined): string | undefined =>
  seconds === undefined ? undefined : new Date(seconds * 1000).toISOString();

test.each([
  ["2026-03-05T09:00", "Europe/Berlin", "2026-03-05T08:00:00.000Z"],
  ["2026-07-05T09:00", "Europe/Berlin", "2026-07-05T07:00:00.000Z"],
  ["2026-03-05T00:30", "Asia/Kolkata", "2026-03-04T19:00:00.000Z"],
  ["2026-12-31T23:00", "America/Los_Angeles", "2027-01-01T07:00:00.000Z"],
  // Around a change of clocks.
  ["2026-03-29T01:59", "Europe/Berlin", "2026-03-29T00:59:00.000Z"],
  ["2026-03-29T03:00", "Europe/Berlin", "2026-03-29T01:00:00.000Z"],
  ["2026-10-25T09:00", "Europe/Berlin", "2026-10-25T08:00:00.000Z"],
])("%s in %s is %s", (value, zone, expected) => {
  const wall = parseFieldValue(value);
  if (!wall) throw new Error("not parsed");

  const seconds = secondsAt(wall, zone);

  expect(iso(seconds)).toBe(expected);
  expect(fieldValue(wallTime(seconds, zone))).toBe(value);
});

test("an emptied field has no time", () => {
  expect(parseFieldValue("")).toBeUndefined();
});

test("later is in an hour, tomorrow at nine and on Monday at nine, by the clock of the zone", () => {
  // A Tuesday evening in UTC, and already Wednesday in Tokyo.
  const now = at("2026-11-17T22:10:30Z");

  const utc = laterTimes(now, "UTC");
  expect(iso(utc.inAnHour)).toBe("2026-11-17T23:10:30.000Z");
  expect(iso(utc.tomorrow)).toBe("2026-11-18T09:00:00.000Z");
  expect(iso(utc.monday)).toBe("2026-11-23T09:00:00.000Z");
  expect(iso(laterTimes(now, "Asia/Tokyo").tomorrow)).toBe("2026-11-19T00:00:00.000Z");
});

test("Monday is the next one, and is offered once", () => {
  expect(iso(laterTimes(at("2026-11-16T08:00:00Z"), "UTC").monday)).toBe("2026-11-23T09:00:00.000Z");
  expect(iso(laterTimes(at("2026-11-22T08:00:00Z"), "UTC").tomorrow)).toBe("2026-11-23T09:00:00.000Z");
  expect(laterTimes(at("2026-11-22T08:00:00Z"), "UTC").monday).toBeUndefined();
});
