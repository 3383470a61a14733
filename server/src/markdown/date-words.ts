/** The words that can occur in a date. All are compared in lowercase, except time zone abbreviations. */

const months = "jan feb mar apr may jun jul aug sep oct nov dec";
const longMonths = "january february march april may june july august september october november december";
const days = "mon tue wed thu fri sat sun";
const longDays = "monday tuesday wednesday thursday friday saturday sunday";

/** Numbers the words of each list from 1. */
const counted = (...lists: string[]): ReadonlyMap<string, number> =>
  new Map(lists.flatMap((list) => list.split(" ").map((word, index): [string, number] => [word, index + 1])));

/** 1 to 12. */
export const monthNumbers = new Map([...counted(months, longMonths), ["sept", 9]]);

/** 1 to 7, from Monday. */
export const weekdayNumbers = counted(days, longDays);

export type ClockUnit = "hour" | "minute" | "second";

export const clockUnits: ReadonlyMap<string, ClockUnit> = new Map([
  ["h", "hour"],
  ["hour", "hour"],
  ["hours", "hour"],
  ["m", "minute"],
  ["minute", "minute"],
  ["minutes", "minute"],
  ["s", "second"],
  ["second", "second"],
  ["seconds", "second"],
]);

export type HalfOfDay = "am" | "pm";

export const halvesOfDay: ReadonlyMap<string, HalfOfDay> = new Map([
  ["a", "am"],
  ["am", "am"],
  ["p", "pm"],
  ["pm", "pm"],
]);

/** Words between the parts that carry no meaning. */
export const fillers: ReadonlySet<string> = new Set([" ", ...". , ; - / ' at on and ad m t of st nd rd th".split(" ")]);

export const namesOfUtc: ReadonlySet<string> = new Set(["UTC", "GMT", "Z", "z"]);

/** Hours ahead of UTC. */
const zoneHours: Record<string, string> = {
  "-11": "SST",
  "-10": "HST",
  "-9": "AKST HDT",
  "-8": "AKDT PST",
  "-7": "MST PDT",
  "-6": "CST MDT",
  "-5": "CDT EST",
  "-4": "AST EDT",
  "-3.5": "NST",
  "-3": "ADT",
  "-2.5": "NDT",
  "0": "GMT UTC WET",
  "1": "BST CET MET WAT WEST",
  "2": "CAT CEST EET MEST SAST",
  "3": "EAT EEST IDT MSK",
  "5": "PKT",
  "5.5": "IST",
  "7": "WIB",
  "8": "AWST HKT WITA",
  "9": "JST KST WIT",
  "9.5": "ACST",
  "10": "AEST ChST",
  "10.5": "ACDT",
  "11": "AEDT",
  "12": "NZST",
  "13": "NZDT",
};

/** Seconds ahead of UTC by abbreviation. */
export const zoneOffsets: ReadonlyMap<string, number> = new Map(
  Object.entries(zoneHours).flatMap(([hours, names]) =>
    names.split(" ").map((name): [string, number] => [name, Number(hours) * 3600]),
  ),
);
