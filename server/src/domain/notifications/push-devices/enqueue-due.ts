/**
 * Enqueues jobs for devices that have something to do but no job yet: notifications that waited for their reader to be away,
 * and removals of notifications whose messages were read or deleted. One statement handles all of them.
 */
import { sql } from "kysely";
import type { Context } from "../../../context.ts";
import type { Chore } from "../../../jobs/chore.ts";
import { enqueueAll } from "../../../jobs/job.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { isPresent } from "../facts.ts";
import { waitSeconds } from "./add.ts";
import { devicePush } from "./device-push.ts";

const batchSize = 1000;

/** Returns whether there may be more. */
export async function enqueueDuePushes({ db }: Pick<Context, "db">): Promise<boolean> {
  return transaction(db, "hand over pushes", async (tx) => {
    const { rows } = await sql<{ device_id: number; is_handed: boolean | null }>`
      with due as materialized (
        select p.device_id, p.message_id, p.is_over and not p.is_tried as is_nothing,
          not p.is_over and ${sql.raw(isPresent)} as waits
        from pushes p left join presences presence on presence.user_id = p.user_id
        where not p.is_handed and p.due_at <= now()
        order by p.due_at limit ${batchSize} for update of p skip locked),
      forgotten as (
        delete from pushes p using due
        where p.device_id = due.device_id and p.message_id = due.message_id and due.is_nothing),
      handed as (
        update pushes p set is_handed = not due.waits,
          due_at = case when due.waits then now() + make_interval(secs => ${waitSeconds}) else p.due_at end
        from due where p.device_id = due.device_id and p.message_id = due.message_id and not due.is_nothing
        returning p.device_id, p.message_id, p.is_handed)
      select due.device_id, handed.is_handed from due left join handed using (device_id, message_id)`.execute(tx);
    const devices = new Set(rows.filter((row) => row.is_handed).map((row) => row.device_id));
    await enqueueAll(
      tx,
      devicePush,
      [...devices].map((device_id) => ({ device_id })),
    );
    return rows.length === batchSize;
  });
}

export const enqueueDevicePushes: Chore = {
  name: "handing over pushes",
  everyMilliseconds: 1000,
  run: async (ctx) => {
    while (await enqueueDuePushes(ctx));
  },
};
