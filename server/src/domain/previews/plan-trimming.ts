/** What was fetched is thrown away by a job, at the full hour; it goes on as long as something is kept. */
import { z } from "zod";
import type { Context } from "../../context.ts";
import { enqueue, job } from "../../jobs/job.ts";
import { transaction, type Tx } from "../../platform/db/transaction.ts";
import { trimFetched } from "./trim.ts";

const hour = 3_600_000;

/** The same time for everybody who plans within the hour, so that nobody puts it off. */
const nextFullHour = (): Date => new Date((Math.floor(Date.now() / hour) + 1) * hour);

export const trimming = job({
  name: "trim fetched content",
  payload: z.strictObject({}),
  run: async (ctx: Context) => {
    if (await trimFetched(ctx, ctx.config.fetchedMaxBytes)) await transaction(ctx.db, "plan trimming", planTrimming);
  },
});

export const planTrimming = (tx: Tx): Promise<void> =>
  enqueue(tx, trimming, {}, { runAt: nextFullHour(), key: trimming.name });
