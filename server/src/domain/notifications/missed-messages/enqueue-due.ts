/**
 * Enqueues a job for each batch of missed messages that is due. If the reader is present, the batch is postponed until they
 * are away, for the messages still unread by then. Empty batches are deleted.
 */
import { presenceOfflineThresholdSeconds } from "@skein/api/presence.ts";
import { sql } from "kysely";
import type { Context } from "../../../context.ts";
import type { Chore } from "../../../jobs/chore.ts";
import { enqueueAll } from "../../../jobs/job.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { isPresent } from "../facts.ts";
import { deliverMissedMessages } from "./deliver.ts";

const batchSize = 500;
/** Longer than all attempts of the job: by then it has given up or was lost. */
const jobDays = 3;

/** Returns whether there may be more. */
export async function enqueueDueMail({ db }: Pick<Context, "db">): Promise<boolean> {
  return transaction(db, "hand over missed messages", async (tx) => {
    const { rows } = await sql<{ user_id: number; id: string; is_present: boolean; is_empty: boolean }>`
      with due as materialized (
        select b.user_id from missed_message_batches b where b.due_at <= now()
        order by b.due_at limit ${batchSize} for update skip locked),
      judged as materialized (
        select due.user_id, ${sql.raw(isPresent)} as is_present,
          not exists (select from missed_messages missed where missed.user_id = due.user_id) as is_empty
        from due left join presences presence on presence.user_id = due.user_id),
      forgotten as (
        delete from missed_message_batches b using judged j where j.user_id = b.user_id and j.is_empty),
      put_off as (
        update missed_message_batches b set due_at = now() + case when j.is_present
          then make_interval(secs => ${presenceOfflineThresholdSeconds}) else make_interval(days => ${jobDays}) end
        from judged j where j.user_id = b.user_id and not j.is_empty
        returning b.user_id, b.id)
      select j.*, p.id from judged j left join put_off p on p.user_id = j.user_id`.execute(tx);
    const ready = rows.filter((row) => !row.is_empty && !row.is_present);
    await enqueueAll(
      tx,
      deliverMissedMessages,
      ready.map(({ user_id, id }) => ({ user_id, batch_id: id })),
    );
    return rows.length === batchSize;
  });
}

export const enqueueMissedMessages: Chore = {
  name: "handing over missed messages",
  everyMilliseconds: 1000,
  run: async (ctx) => {
    while (await enqueueDueMail(ctx));
  },
};
