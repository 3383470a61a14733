/** What a measurement is given and what it gives back. */
import type { Chart } from "./chart.ts";
import type { Stage } from "./stage.ts";

/** A line of the table of results. */
export interface Row {
  what: string;
  /** What has to be reached, and whether it was. */
  bar: string;
  isReached: boolean;
  aim?: string;
  measured: string;
  /** What it was measured against. */
  baseline: string;
  /** From the lowest to the highest round. */
  spread: string;
}

export interface Outcome {
  rows: Row[];
  chart: Chart;
}

export interface Measurement {
  title: string;
  /** On a stage of its own; `stage.isQuick` asks for a short form that shows only that it works. */
  measure: (stage: Stage) => Promise<Outcome>;
}
