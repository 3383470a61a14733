/** What a measurement gives back: one figure for each budget, from several rounds. */
export interface Figure {
  /** Names it in the recorded baseline. */
  key: string;
  what: string;
  unit: "ms" | "kB" | "MB" | "px" | "frames";
  /** Absent for what is told beside a budget, or as a measure of the machine. */
  budget?: number;
  /** Of each round; their median is held against the budget. */
  rounds: number[];
}

/** One after the other. */
export async function inRounds<T>(count: number, measure: (round: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let round = 0; round < count; round++) results.push(await measure(round));
  return results;
}
