/** Periodic work of every worker. Several workers may run it at the same time, so it must tolerate that. */
import type { Context } from "../context.ts";

export interface Chore {
  /** Used in log lines: "… failed". */
  name: string;
  everyMilliseconds: number;
  run: (ctx: Context) => Promise<void>;
}
