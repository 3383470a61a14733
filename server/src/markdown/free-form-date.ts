/**
 * A lenient date parser: the variants of ISO 8601, month names, ordinals, the 12-hour clock, offsets and zone
 * abbreviations, in nearly any order. It goes through the words once and collects their unambiguous meanings; at the end,
 * when all numbers of the date are known, it decides which is which. An ambiguous month precedes the day.
 */
import {
  clockUnits,
  fillers,
  halvesOfDay,
  monthNumbers,
  namesOfUtc,
  weekdayNumbers,
  zoneOffsets,
  type ClockUnit,
  type HalfOfDay,
} from "./date-words.ts";
import { resolveDate, type DateNumber, type PartialDate } from "./date-order.ts";
import { wordsOf } from "./date-tokens.ts";

/** A point in time in microseconds, a finer resolution than that of Date. */
export interface Moment {
  /** Whole seconds since 1970. */
  seconds: number;
  microseconds: number;
}

/** The parts read so far, not validated yet. */
interface DateParts {
  numbers: DateNumber[];
  weekday?: number;
  hour?: number;
  minute?: number;
  second?: number;
  microsecond?: number;
  zone?: string;
  /** Seconds ahead of UTC. */
  offset?: number;
}

/** The text is not a date. Never leaves this file. */
class NotADate extends Error {}

export function parseFreeForm(text: string, now: Date): Moment | undefined {
  try {
    return toMoment(new Reader(text).read(), now);
  } catch (error) {
    if (error instanceof NotADate) return undefined;
    throw error;
  }
}

class Reader {
  readonly #words: string[];
  readonly #parts: DateParts = { numbers: [] };
  #at = 0;

  constructor(text: string) {
    this.#words = wordsOf(text);
  }

  read(): DateParts {
    while (this.#at < this.#words.length) {
      if (!this.#readOne()) throw new NotADate();
    }
    return this.#parts;
  }

  #word(ahead = 0): string {
    return this.#words[this.#at + ahead] ?? "";
  }

  #has(ahead: number): boolean {
    return this.#at + ahead < this.#words.length;
  }

  #needed(ahead: number): string {
    if (!this.#has(ahead)) throw new NotADate();
    return this.#word(ahead);
  }

  #take(count: number): true {
    this.#at += count;
    return true;
  }

  #isFiller(ahead: number): boolean {
    return fillers.has(this.#word(ahead).toLowerCase());
  }

  #readOne(): boolean {
    if (isNumber(this.#word())) return this.#readNumber();
    return (
      this.#readWeekday() ||
      this.#readMonth() ||
      this.#readHalfOfDay() ||
      this.#readZone() ||
      this.#readOffset() ||
      (this.#isFiller(0) && this.#take(1))
    );
  }

  #readWeekday(): boolean {
    const weekday = weekdayNumbers.get(this.#word().toLowerCase());
    if (weekday === undefined) return false;
    this.#parts.weekday = weekday;
    return this.#take(1);
  }

  /** `Jan`, `Jan-01`, `Jan-01-99`, `Jan of 01`. */
  #readMonth(): boolean {
    const month = monthNumbers.get(this.#word().toLowerCase());
    if (month === undefined) return false;
    this.#addMonth(month);
    const separator = this.#word(1);
    if (separator === "-" || separator === "/") {
      this.#addNumber(this.#needed(2));
      if (this.#word(3) !== separator) return this.#take(3);
      this.#addNumber(this.#needed(4));
      return this.#take(5);
    }
    const isOfYear = this.#word(1) === " " && this.#word(2).toLowerCase() === "of" && this.#word(3) === " ";
    if (isOfYear && this.#has(4)) {
      const year = this.#word(4);
      if (/^\d+$/.test(year))
        this.#parts.numbers.push({ value: Number(year), is: "year", hasCentury: Number(year) > 99 });
      return this.#take(5);
    }
    return this.#take(1);
  }

  #readHalfOfDay(): boolean {
    const half = halvesOfDay.get(this.#word().toLowerCase());
    if (half === undefined) return false;
    const { hour } = this.#parts;
    if (hour === undefined || hour > 12) throw new NotADate();
    this.#parts.hour = inHalfOfDay(hour, half);
    return this.#take(1);
  }

  /** A capitalized abbreviation after the hour; an unknown one is ignored. */
  #readZone(): boolean {
    const { hour, zone, offset } = this.#parts;
    const word = this.#word();
    if (hour === undefined || zone !== undefined || offset !== undefined || !isZoneName(word)) return false;
    this.#parts.zone = word;
    if (namesOfUtc.has(word)) this.#parts.offset = 0;
    const sign = this.#word(1);
    if (sign !== "+" && sign !== "-") return this.#take(1);
    // `GMT+3` follows POSIX, where the sign is inverted: it is three hours behind GMT.
    if (namesOfUtc.has(word)) delete this.#parts.zone;
    delete this.#parts.offset;
    this.#take(1);
    return this.#readOffset(sign === "+" ? -1 : 1);
  }

  /** `+05:30`, `+0530`, `+5`, optionally followed by the zone's name in parentheses. */
  #readOffset(direction?: 1 | -1): boolean {
    const sign = this.#word();
    if (this.#parts.hour === undefined || (sign !== "+" && sign !== "-")) return false;
    const [hours, minutes, length] = this.#offsetParts();
    this.#parts.offset = (direction ?? (sign === "+" ? 1 : -1)) * (hours * 3600 + minutes * 60);
    this.#take(length);
    const named = this.#word(2);
    const isNamed = this.#isFiller(0) && this.#word(1) === "(" && this.#word(3) === ")" && named.length >= 3;
    if (isNamed && this.#parts.zone === undefined && isZoneName(named)) {
      this.#parts.zone = named;
      this.#take(4);
    }
    return true;
  }

  /** Hours, minutes, and the number of words they take, including the sign. */
  #offsetParts(): [number, number, number] {
    const digits = this.#needed(1);
    if (digits.length === 4) return [whole(digits.slice(0, 2)), whole(digits.slice(2)), 2];
    if (this.#word(2) === ":") return [whole(digits), whole(this.#needed(3)), 4];
    if (digits.length <= 2) return [whole(digits), 0, 2];
    throw new NotADate();
  }

  #readNumber(): boolean {
    return (
      this.#readShortClock() ||
      this.#readDigitsInARow() ||
      this.#readUnits() ||
      this.#readClock() ||
      this.#readSeparated() ||
      this.#readPlain()
    );
  }

  /** The hour in `20240305T10` and `20240305 1030`. */
  #readShortClock(): boolean {
    const digits = this.#word();
    const isMore = this.#word(1) === ":" || clockUnits.has(this.#word(1).toLowerCase());
    const fits = this.#parts.numbers.length === 3 && (digits.length === 2 || digits.length === 4);
    if (!fits || this.#parts.hour !== undefined || isMore) return false;
    this.#parts.hour = whole(digits.slice(0, 2));
    if (digits.length === 4) this.#parts.minute = whole(digits.slice(2));
    return this.#take(1);
  }

  /** `240305`, `20240305`, `202403051000`, `20240305100000`, and after the date `100000.5`. */
  #readDigitsInARow(): boolean {
    const digits = this.#word();
    if (digits.length === 6 || (digits.length > 6 && digits.indexOf(".") === 6)) {
      const parts = [digits.slice(0, 2), digits.slice(2, 4), digits.slice(4)] as const;
      if (this.#parts.numbers.length === 0 && !digits.includes(".")) parts.forEach((part) => this.#addNumber(part));
      else this.#setClock(...parts);
      return this.#take(1);
    }
    if (![8, 12, 14].includes(digits.length)) return false;
    this.#addNumber(digits.slice(0, 4));
    this.#addNumber(digits.slice(4, 6));
    this.#addNumber(digits.slice(6, 8));
    if (digits.length > 8) {
      this.#parts.hour = whole(digits.slice(8, 10));
      this.#parts.minute = whole(digits.slice(10, 12));
    }
    if (digits.length > 12) this.#parts.second = whole(digits.slice(12));
    return this.#take(1);
  }

  /** `10h`, `10 h 30 m`, `5s`, and the `30` of `10h30`. */
  #readUnits(): boolean {
    const found = this.#unitBeside();
    if (!found) return false;
    const [unit, length] = found;
    if (unit === "second") this.#setSeconds(this.#word());
    else if (unit === "minute") this.#setMinutes(this.#word());
    else {
      const value = Number(this.#word());
      this.#parts.hour = Math.trunc(value);
      if (value % 1 !== 0) this.#parts.minute = Math.trunc((value % 1) * 60);
    }
    return this.#take(length);
  }

  /** The unit of the current number, and how many words to consume. */
  #unitBeside(): [ClockUnit, number] | undefined {
    const next = clockUnits.get(this.#word(1).toLowerCase());
    if (next) return [next, 2];
    const afterSpace = this.#word(1) === " " ? clockUnits.get(this.#word(2).toLowerCase()) : undefined;
    if (afterSpace) return [afterSpace, 3];
    const before = clockUnits.get(this.#word(-1).toLowerCase());
    const isLast = this.#at === this.#words.length - 1;
    const spaced = isLast && this.#word(-1) === " " ? clockUnits.get(this.#word(-2).toLowerCase()) : undefined;
    const previous = before ?? spaced;
    if (previous === "hour") return ["minute", 1];
    if (previous === "minute") return ["second", 1];
    return undefined;
  }

  /** `10:00`, `10:00:00.5`. */
  #readClock(): boolean {
    if (this.#word(1) !== ":" || !this.#has(2)) return false;
    this.#parts.hour = Math.trunc(Number(this.#word()));
    this.#setMinutes(this.#word(2));
    if (this.#word(3) !== ":" || !this.#has(4)) return this.#take(3);
    this.#setSeconds(this.#word(4));
    return this.#take(5);
  }

  /** `2024-03-05`, `31/12/2024`, `05.Mar.2024`, `3-2024`. */
  #readSeparated(): boolean {
    const separator = this.#word(1);
    if (separator !== "-" && separator !== "/" && separator !== ".") return false;
    this.#addNumber(this.#word());
    if (!this.#has(2) || this.#isFiller(2)) return this.#take(2);
    this.#addNumberOrMonth(this.#word(2));
    if (this.#word(3) !== separator) return this.#take(3);
    this.#addNumberOrMonth(this.#needed(4));
    return this.#take(5);
  }

  /** A number by itself: part of the date, or the hour of `10 am` and `10am`. */
  #readPlain(): boolean {
    const value = Number(this.#word());
    if (!this.#has(1) || this.#isFiller(1)) {
      const half = halvesOfDay.get(this.#word(2).toLowerCase());
      if (half === undefined) {
        this.#addNumber(String(Math.trunc(value)));
        return this.#take(2);
      }
      this.#parts.hour = inHalfOfDay(Math.trunc(value), half);
      return this.#take(3);
    }
    const half = halvesOfDay.get(this.#word(1).toLowerCase());
    if (half !== undefined && value < 24) {
      this.#parts.hour = inHalfOfDay(Math.trunc(value), half);
      return this.#take(2);
    }
    if (value > 31) return false;
    this.#addNumber(String(Math.trunc(value)));
    return this.#take(1);
  }

  #setClock(hour: string, minute: string, second: string): void {
    this.#parts.hour = whole(hour);
    this.#parts.minute = whole(minute);
    this.#setSeconds(second);
  }

  #setMinutes(text: string): void {
    if (!isNumber(text)) throw new NotADate();
    this.#parts.minute = Math.trunc(Number(text));
    this.#parts.second = Math.trunc((Number(text) % 1) * 60);
  }

  #setSeconds(text: string): void {
    const [seconds = "", fraction = ""] = text.split(".", 2);
    this.#parts.second = whole(seconds);
    this.#parts.microsecond = whole(fraction.padEnd(6, "0").slice(0, 6));
  }

  #addNumberOrMonth(word: string): void {
    const month = monthNumbers.get(word.toLowerCase());
    if (month === undefined) this.#addNumber(word);
    else this.#addMonth(month);
  }

  #addMonth(value: number): void {
    this.#parts.numbers.push({ value, is: "month", hasCentury: false });
  }

  #addNumber(text: string): void {
    const value = whole(text);
    const isYear = value > 100 || text.length > 2;
    this.#parts.numbers.push(isYear ? { value, is: "year", hasCentury: true } : { value, hasCentury: false });
  }
}

const isNumber = (word: string): boolean => /^\d+(?:\.\d+)?$/.test(word);

function whole(digits: string): number {
  if (!/^\d+$/.test(digits)) throw new NotADate();
  return Number(digits);
}

const isZoneName = (word: string): boolean => /^[A-Z]{1,5}$/.test(word) || namesOfUtc.has(word);

function inHalfOfDay(hour: number, half: HalfOfDay): number {
  if (half === "pm") return hour < 12 ? hour + 12 : hour;
  return hour === 12 ? 0 : hour;
}

function toMoment(parts: DateParts, now: Date): Moment {
  const date = resolveDate(parts.numbers, now);
  const { weekday, hour = 0, minute = 0, second = 0, microsecond = 0 } = parts;
  const isEmpty = parts.numbers.length === 0 && weekday === undefined && parts.hour === undefined;
  if (!date || isEmpty || hour > 23 || minute > 59 || second > 59) throw new NotADate();
  const midnight = startOfDay(date, weekday, now);
  const offset = (parts.zone === undefined ? undefined : zoneOffsets.get(parts.zone)) ?? parts.offset ?? 0;
  if (Math.abs(offset) >= 86_400) throw new NotADate();
  return { seconds: midnight + hour * 3600 + minute * 60 + second - offset, microseconds: microsecond };
}

/** In seconds since 1970. Missing parts are taken from today; a weekday without a day means its next occurrence. */
function startOfDay({ year, month, day }: PartialDate, weekday: number | undefined, now: Date): number {
  const fullYear = year ?? now.getUTCFullYear();
  const fullMonth = month ?? now.getUTCMonth() + 1;
  const lastDay = daysInMonth(fullYear, fullMonth);
  const fullDay = day ?? Math.min(now.getUTCDate(), lastDay);
  const inRange = fullYear >= 1 && fullYear <= 9999 && fullMonth >= 1 && fullMonth <= 12;
  if (!inRange || fullDay < 1 || fullDay > lastDay) throw new NotADate();
  const midnight = utcDate(fullYear, fullMonth, fullDay);
  if (weekday !== undefined && day === undefined)
    midnight.setUTCDate(fullDay + ((weekday - midnight.getUTCDay() + 7) % 7));
  return midnight.getTime() / 1000;
}

/** Years below 100 are taken literally, unlike in Date.UTC. */
function utcDate(year: number, month: number, day: number): Date {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date;
}

const daysInMonth = (year: number, month: number): number => utcDate(year, month + 1, 0).getUTCDate();
