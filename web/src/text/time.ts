/** Formats times for people. All functions take seconds, as on the wire. */
import { language, t } from "./t.ts";

interface Clock {
  /** Undefined: the language's default. */
  hour12?: boolean | undefined;
  /** Undefined: the device's. */
  timeZone?: string | undefined;
}

let clock: Clock = {};
const formatters = new Map<string, Intl.DateTimeFormat>();

export function setClock(next: Clock): void {
  clock = next;
  formatters.clear();
}

// Creating a formatter costs a hundred times as much as using it.
function formatted(seconds: number, options: Intl.DateTimeFormatOptions): string {
  const key = `${language()} ${JSON.stringify(options)}`;
  let formatter = formatters.get(key);
  if (formatter === undefined) {
    const hour12 = clock.hour12 === undefined || options.hour === undefined ? {} : { hour12: clock.hour12 };
    const timeZone = clock.timeZone === undefined ? {} : { timeZone: clock.timeZone };
    formatter = new Intl.DateTimeFormat(language(), { ...hour12, ...timeZone, ...options });
    formatters.set(key, formatter);
  }
  return formatter.format(seconds * 1000);
}

const nowInSeconds = (): number => Date.now() / 1000;

const inZone = (timeZone: string | undefined) => (timeZone === undefined ? {} : { timeZone });

/** `14:05`, or `2:05 PM`. In the reader's time zone by default. */
export const timeOfDay = (seconds: number, timeZone?: string): string =>
  formatted(seconds, { hour: "numeric", minute: "2-digit", ...inZone(timeZone) });

/** Midnight UTC of the reader's day, so that two days can be subtracted. */
function dayNumber(seconds: number): number {
  const [year, month, day] = partsOf(seconds);
  return Date.UTC(year, month - 1, day) / 86_400_000;
}

let dayParts: Intl.DateTimeFormat | undefined;
let dayPartsZone: string | undefined;

function partsOf(seconds: number): [year: number, month: number, day: number] {
  if (clock.timeZone === undefined) {
    const date = new Date(seconds * 1000);
    return [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  }
  if (dayParts === undefined || dayPartsZone !== clock.timeZone) {
    dayPartsZone = clock.timeZone;
    // Fixed calendar and numerals, so that we can parse them in any language.
    dayParts = new Intl.DateTimeFormat("en-CA", {
      timeZone: clock.timeZone,
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
    });
  }
  const [year = 0, month = 1, day = 1] = dayParts
    .format(seconds * 1000)
    .split("-")
    .map(Number);
  return [year, month, day];
}

export const isSameDay = (one: number, other: number): boolean => dayNumber(one) === dayNumber(other);

/** The time for today, with the date for other days: `14:05`, or `3 Mar, 14:05`. */
export function shortTime(seconds: number, now = nowInSeconds()): string {
  if (isSameDay(seconds, now)) return timeOfDay(seconds);
  return formatted(seconds, { day: "numeric", month: "short", hour: "numeric", minute: "2-digit" });
}

/** For the line between two days: `Today`, `Yesterday`, `Monday, 3 March`, with the year if it is not this one. */
export function dayName(seconds: number, now = nowInSeconds()): string {
  const ago = dayNumber(now) - dayNumber(seconds);
  if (ago === 0) return t("time.today");
  if (ago === 1) return t("time.yesterday");
  const year = partsOf(seconds)[0] === partsOf(now)[0] ? {} : { year: "numeric" as const };
  return formatted(seconds, { weekday: "long", day: "numeric", month: "long", ...year });
}

/** For a list: the time for today, then `Yesterday`, the weekday within a week, the date before that. */
export function listTime(seconds: number, now = nowInSeconds()): string {
  const ago = dayNumber(now) - dayNumber(seconds);
  if (ago === 0) return timeOfDay(seconds);
  if (ago === 1) return t("time.yesterday");
  if (ago > 1 && ago < 7) return formatted(seconds, { weekday: "short" });
  const year = partsOf(seconds)[0] === partsOf(now)[0] ? {} : { year: "numeric" as const };
  return formatted(seconds, { day: "numeric", month: "short", ...year });
}

/** The full date and time, for a tooltip. */
export const fullTime = (seconds: number): string =>
  formatted(seconds, {
    weekday: "long",
    day: "numeric",
    month: "long",
    year: "numeric",
    hour: "numeric",
    minute: "2-digit",
    second: "2-digit",
    timeZoneName: "short",
  });

/** A time written in a message: `Mon, 3 Mar 2025, 14:05`. In the reader's time zone by default. */
export const writtenTime = (seconds: number, timeZone?: string): string =>
  formatted(seconds, {
    ...inZone(timeZone),
    weekday: "short",
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "numeric",
    minute: "2-digit",
  });

/** The local time of a person in another time zone. */
export const timeIn = (timeZone: string, now = nowInSeconds()): string =>
  formatted(now, { hour: "numeric", minute: "2-digit", weekday: "short", timeZone });
