/** The input and output of a measurement. */
import type { Chart } from "./chart.ts";
import type { Stage } from "./stage.ts";

/** A row of the table of results. */
export interface Row {
  what: string;
  /** The target. */
  bar: string;
  /** How well the target is met: 1 exactly, more if it is exceeded, whichever direction is the better one. */
  margin: number;
  aim?: string;
  measured: string;
  /** The baseline it was compared with. */
  baseline: string;
  /** The range of the rounds. */
  spread: string;
}

export interface Outcome {
  rows: Row[];
  chart: Chart;
}

export interface Measurement {
  title: string;
  /** Runs on its own stage; with `stage.isQuick` in a short form that only shows that it works. */
  measure: (stage: Stage) => Promise<Outcome>;
}
