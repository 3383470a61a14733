/** Wall-clock times in a time zone, for choosing a time. Seconds are as on the wire. */
export interface WallTime {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
}

export const deviceZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** What a clock shows there. */
export function wallTime(seconds: number, timeZone: string): WallTime {
  // Fixed calendar and numerals, so that we can parse them.
  const formatter = new Intl.DateTimeFormat("en-u-ca-gregory-nu-latn", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
  });
  const parts = Object.fromEntries(
    formatter.formatToParts(seconds * 1000).map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = parts;
  return { year, month, day, hour, minute };
}

const asUtc = ({ year, month, day, hour, minute }: WallTime): number =>
  Date.UTC(year, month - 1, day, hour, minute) / 1000;

/** When a clock there shows this time. Where clocks skip it, an hour later; where they show it twice, one of the two. */
export function secondsAt(wall: WallTime, timeZone: string): number {
  const wanted = asUtc(wall);
  // The offset at a nearby time may be another one, so it is looked up again at the result.
  let found = wanted;
  for (let round = 0; round < 2; round++) found = wanted - (asUtc(wallTime(found, timeZone)) - found);
  return found;
}

const twoDigits = (number: number): string => String(number).padStart(2, "0");

/** As a date-time field shows it: `2026-03-05T09:00`. */
export const fieldValue = ({ year, month, day, hour, minute }: WallTime): string =>
  `${String(year).padStart(4, "0")}-${twoDigits(month)}-${twoDigits(day)}T${twoDigits(hour)}:${twoDigits(minute)}`;

export function parseFieldValue(value: string): WallTime | undefined {
  const [, ...parts] = /^(\d{4,6})-(\d\d)-(\d\d)T(\d\d):(\d\d)/.exec(value) ?? [];
  const [year, month, day, hour, minute] = parts.map(Number);
  if (year === undefined || month === undefined || day === undefined || hour === undefined || minute === undefined)
    return undefined;
  return { year, month, day, hour, minute };
}

/** This many days later, at an hour. */
function dayAt({ year, month, day }: WallTime, days: number, hour: number): WallTime {
  const date = new Date(Date.UTC(year, month - 1, day + days));
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour,
    minute: 0,
  };
}

const morning = 9;

export interface LaterTimes {
  inAnHour: number;
  tomorrow: number;
  /** Undefined on Sundays: then it is tomorrow. */
  monday: number | undefined;
}

export function laterTimes(now: number, timeZone: string): LaterTimes {
  const today = wallTime(now, timeZone);
  const weekday = new Date(Date.UTC(today.year, today.month - 1, today.day)).getUTCDay();
  const untilMonday = (8 - weekday) % 7 || 7;
  return {
    inAnHour: Math.floor(now) + 3600,
    tomorrow: secondsAt(dayAt(today, 1, morning), timeZone),
    monday: untilMonday === 1 ? undefined : secondsAt(dayAt(today, untilMonday, morning), timeZone),
  };
}
