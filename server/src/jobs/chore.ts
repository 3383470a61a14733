/** What every worker does again and again. Several may do it at once, so it is written to do no harm by that. */
import type { Context } from "../context.ts";

export interface Chore {
  /** As in "… failed". */
  name: string;
  everyMilliseconds: number;
  run: (ctx: Context) => Promise<void>;
}
