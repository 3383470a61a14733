/** Statistics and formatting of measured values. */

/** The value below which this share of the values lies. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  if (value === undefined) throw new Error("no values were measured");
  return value;
}

/** The middle value, or the mean of the two middle ones. */
export function median(values: readonly number[]): number {
  return (
    (percentile(values, 0.5) +
      -percentile(
        values.map((value) => -value),
        0.5,
      )) /
    2
  );
}

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Three significant figures, with separators: `12,300`, `1.47`, `0.0123`. */
export function figure(value: number): string {
  if (value === 0) return "0";
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  const rounded = Number(value.toPrecision(3));
  return rounded.toLocaleString("en-US", { maximumFractionDigits: digits });
}

/** The range from the lowest to the highest round. */
export const spread = (values: readonly number[]): string =>
  `${figure(Math.min(...values))}–${figure(Math.max(...values))}`;
