/** Parses points in time as people write them, for `<time:…>`. */
import { parseFreeForm, type Moment } from "./free-form-date.ts";

/** Returns an ISO 8601 string in UTC; undefined when the text is not a date. Missing parts are taken from today. */
export function parseTime(text: string, now = new Date()): string | undefined {
  const moment = parseFreeForm(text, now) ?? parseSeconds(text);
  return moment && toIso(moment);
}

function parseSeconds(text: string): Moment | undefined {
  if (!/^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i.test(text)) return undefined;
  const value = Number(text);
  const seconds = Math.floor(value);
  const microseconds = Math.round((value - seconds) * 1e6);
  return microseconds < 1e6 ? { seconds, microseconds } : { seconds: seconds + 1, microseconds: 0 };
}

const earliest = Date.parse("0001-01-01T00:00:00Z") / 1000;
const latest = Date.parse("9999-12-31T23:59:59Z") / 1000;

function toIso({ seconds, microseconds }: Moment): string | undefined {
  if (!(seconds >= earliest && seconds <= latest)) return undefined;
  const whole = new Date(seconds * 1000).toISOString().slice(0, "YYYY-MM-DDTHH:MM:SS".length);
  return microseconds === 0 ? `${whole}Z` : `${whole}.${String(microseconds).padStart(6, "0")}Z`;
}
