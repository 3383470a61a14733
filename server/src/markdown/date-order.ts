/** Decides which of a date's numbers is the year, which the month, and which the day. */

export interface DateNumber {
  value: number;
  /** Known from how it was written: a month by its name, a year by its length. */
  is?: "year" | "month";
  /** The year already includes its century. */
  hasCentury: boolean;
}

export interface PartialDate {
  year?: number;
  month?: number;
  day?: number;
}

type Part = keyof PartialDate;

/** Undefined when the numbers cannot be a date. */
export function resolveDate(numbers: readonly DateNumber[], now: Date): PartialDate | undefined {
  const order = partsOf(numbers);
  if (!order) return undefined;
  const date: PartialDate = {};
  order.forEach((part, index) => {
    date[part] = numbers[index]?.value ?? 0;
  });
  if (date.year !== undefined && !numbers.some(({ hasCentury }) => hasCentury))
    date.year = inNearestCentury(date.year, now);
  return date;
}

/** The parts in the order of the numbers. */
function partsOf(numbers: readonly DateNumber[]): Part[] | undefined {
  const [first, second, third] = numbers;
  if (numbers.length > 3 || isTwice(numbers, "year") || isTwice(numbers, "month")) return undefined;
  if (!first) return [];
  if (!second) return [first.is ?? (first.value > 31 ? "year" : "day")];
  if (!third) return partsOfTwo(first, second);
  return partsOfThree(first, second, third);
}

const isTwice = (numbers: readonly DateNumber[], part: Part): boolean =>
  numbers.filter((number) => number.is === part).length > 1;

/** The meaning of a single number next to a named month. */
const yearOrDay = ({ is, value }: DateNumber): Part => is ?? (value > 31 ? "year" : "day");

function partsOfTwo(first: DateNumber, second: DateNumber): Part[] {
  if (first.is === "month") return ["month", yearOrDay(second)];
  if (second.is === "month") return [yearOrDay(first), "month"];
  if (first.value > 31) return ["year", "month"];
  if (second.value > 31) return ["month", "year"];
  return ["month", "day"];
}

function partsOfThree(first: DateNumber, second: DateNumber, third: DateNumber): Part[] {
  const numbers = [first, second, third];
  const known = numbers.map(({ is }) => is);
  if (known.includes("year") && known.includes("month")) return known.map((is) => is ?? "day");
  if (first.is === "month") return second.value > 31 ? ["month", "year", "day"] : ["month", "day", "year"];
  if (second.is === "month") return first.value > 31 ? ["year", "month", "day"] : ["day", "month", "year"];
  if (third.is === "month") return second.value > 31 ? ["day", "year", "month"] : ["year", "day", "month"];
  if (first.is === "year" || first.value > 31) return ["year", "month", "day"];
  return first.value > 12 ? ["day", "month", "year"] : ["month", "day", "year"];
}

/** A two-digit year means the one nearest to now. */
function inNearestCentury(year: number, now: Date): number {
  const thisYear = now.getUTCFullYear();
  const guess = year + thisYear - (thisYear % 100);
  if (year >= 100) return year;
  if (guess >= thisYear + 50) return guess - 100;
  return guess < thisYear - 50 ? guess + 100 : guess;
}
