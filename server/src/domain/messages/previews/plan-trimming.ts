/** An hourly job removes expired cache entries; it reschedules itself as long as anything is cached. */
import { z } from "zod";
import type { Context } from "../../../context.ts";
import { enqueue, job } from "../../../jobs/job.ts";
import { transaction, type Tx } from "../../../platform/db/transaction.ts";
import { trimFetched } from "./trim.ts";

const hour = 3_600_000;

/** The same time for everybody who schedules within the hour, so that nobody delays the job. */
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
