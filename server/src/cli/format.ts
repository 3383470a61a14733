/** How commands show values in text. With `--json` they print them as they are. */

/** In UTC, to the minute. */
export const formatTime = (time: Date | null): string =>
  time === null ? "never" : `${time.toISOString().slice(0, 16).replace("T", " ")}Z`;

const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];

export function formatBytes(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 1024 && unit < units.length - 1) [value, unit] = [value / 1024, unit + 1];
  return `${unit > 0 && value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

/** A row for each field, without those that are undefined. */
export const fields = (values: Record<string, string | number | undefined>): string[][] =>
  Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
