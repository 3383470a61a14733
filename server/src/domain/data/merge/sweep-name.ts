/** The declaration of the job that jobs.ts implements, for merge.ts, which that imports. */
import { z } from "zod";
import type { JobName } from "../../../jobs/job.ts";

/** Requests that were in flight when the account was deactivated have ended by then. */
export const sweepDelayMilliseconds = 5 * 60_000;

const payload = z.strictObject({
  from: z.int(),
  /** The newest message and the newest edit when the merge began. */
  since: z.strictObject({ message: z.int(), edit: z.int() }),
});
export type SweepPayload = z.output<typeof payload>;

export const sweepMerged: JobName<SweepPayload> = { name: "sweep-merged-account", payload, maxAttempts: 12 };
