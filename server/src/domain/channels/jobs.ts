import { sql } from "kysely";
import { z } from "zod";
import { enqueue, job } from "../../jobs/job.ts";
import { transaction, type Tx } from "../../platform/db/transaction.ts";
import { dayLength, refreshActivity } from "./activity.ts";

/** Once a day for each organization that has channels; each run plans the next. */
export const refreshChannelActivity = job({
  name: "refresh channel activity",
  payload: z.strictObject({ realmId: z.int() }),
  run: async (ctx, { realmId }) => {
    await refreshActivity(ctx, realmId, Date.now());
    await transaction(ctx.db, "plan channel activity", (tx) => planActivity(tx, realmId));
  },
});

const nextMidnight = (): Date => new Date((Math.floor(Date.now() / dayLength) + 1) * dayLength);

async function planActivity(tx: Tx, realmId: number): Promise<void> {
  await enqueue(tx, refreshChannelActivity, { realmId }, { runAt: nextMidnight(), key: keyOf(realmId) });
}

/** Whoever makes a channel sees to it. Mostly it is planned already; looking is cheaper than to wait for each other. */
export async function ensureActivityIsPlanned(tx: Tx, realmId: number): Promise<void> {
  const { rows } = await sql`select from graphile_worker.jobs where key = ${keyOf(realmId)}`.execute(tx);
  if (rows.length === 0) await planActivity(tx, realmId);
}

const keyOf = (realmId: number): string => `${refreshChannelActivity.name} ${realmId}`;
