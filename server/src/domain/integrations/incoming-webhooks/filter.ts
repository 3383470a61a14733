/** Filters a service's events by the URL parameters `only_events` and `exclude_events`. */
import { ApiError } from "../../../errors.ts";

export interface EventFilter {
  only: string[] | undefined;
  exclude: string[];
}

const maxPatterns = 200;

export function readFilter(option: (key: string) => string | undefined): EventFilter {
  return { only: readPatterns("only_events", option), exclude: readPatterns("exclude_events", option) ?? [] };
}

function readPatterns(name: string, option: (key: string) => string | undefined): string[] | undefined {
  const text = option(name);
  if (text === undefined) return undefined;
  const patterns = parse(name, text);
  if (!Array.isArray(patterns)) throw new ApiError(`${name} is not a list`);
  const wrong = patterns.findIndex((pattern) => typeof pattern !== "string");
  if (wrong >= 0) throw new ApiError(`${name}[${wrong}] is not a string`);
  if (patterns.length > maxPatterns) throw new ApiError(`${name} is too long (limit: ${maxPatterns} patterns)`);
  return patterns.map(String);
}

function parse(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError(`${name} is not valid JSON`);
  }
}

export const passesFilter = ({ only, exclude }: EventFilter, event: string): boolean =>
  (only === undefined || only.some((pattern) => matches(event, pattern))) &&
  !exclude.some((pattern) => matches(event, pattern));

/** `*` matches any text, `?` any character. Backtracks to the last star only, so that no pattern is slow. */
export function matches(text: string, pattern: string): boolean {
  let at = 0;
  let expected = 0;
  let star = -1;
  let afterStar = 0;
  while (at < text.length) {
    const sign = pattern[expected];
    if (sign === "*") {
      star = expected++;
      afterStar = at;
    } else if (sign === "?" || (sign !== undefined && sign === text[at])) {
      at++;
      expected++;
    } else if (star >= 0) {
      expected = star + 1;
      at = ++afterStar;
    } else return false;
  }
  while (pattern[expected] === "*") expected++;
  return expected === pattern.length;
}
