import { z } from "zod";
import { enqueue, isStored, job } from "../../jobs/job.ts";
import { transaction, type Tx } from "../../platform/db/transaction.ts";
import { dayLength, refreshActivity } from "./activity.ts";

/** Runs daily for each organization with channels; each run schedules the next. */
export const refreshChannelActivity = job({
  name: "refresh channel activity",
  payload: z.strictObject({ realmId: z.int() }),
  run: async (ctx, { realmId }) => {
    await refreshActivity(ctx, realmId, Date.now());
    await transaction(ctx.db, "plan channel activity", (tx) => scheduleActivity(tx, realmId));
  },
});

const nextMidnight = (): Date => new Date((Math.floor(Date.now() / dayLength) + 1) * dayLength);

async function scheduleActivity(tx: Tx, realmId: number): Promise<void> {
  await enqueue(tx, refreshChannelActivity, { realmId }, { runAt: nextMidnight(), key: keyOf(realmId) });
}

/** Called whenever a channel is created. The job mostly exists already, and a check avoids contention on its key. */
export async function ensureActivityIsPlanned(tx: Tx, realmId: number): Promise<void> {
  if (!(await isStored(tx, keyOf(realmId)))) await scheduleActivity(tx, realmId);
}

const keyOf = (realmId: number): string => `${refreshChannelActivity.name} ${realmId}`;
