/** The result of a measurement: one figure per budget, from several rounds. */
export interface Figure {
  /** Its key in the recorded baseline. */
  key: string;
  what: string;
  unit: "ms" | "kB" | "MB" | "px" | "frames" | "rows";
  /** Absent for figures reported next to a budget, or as a measure of the machine. */
  budget?: number;
  /** One per round; their median is compared with the budget. */
  rounds: number[];
}

/** Runs them one after the other. */
export async function inRounds<T>(count: number, measure: (round: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let round = 0; round < count; round++) results.push(await measure(round));
  return results;
}
