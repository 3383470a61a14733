/**
 * Sends a reminder. The transaction that sends it deletes its row, so it is sent exactly once, no matter how many workers
 * try, how often, or where one dies. A late reminder is still a reminder.
 */
import { z } from "zod";
import type { TxContext } from "../../../context.ts";
import { toUser } from "../../../events/audience.ts";
import { emit } from "../../../events/emit.ts";
import { accountById } from "../../../identity/account.ts";
import { job } from "../../../jobs/job.ts";
import { transaction, type Tx } from "../../../platform/db/transaction.ts";
import { findQuotedMessage } from "../quoted-message.ts";
import { sendNotice } from "../send/notice.ts";
import { lostReminderText, reminderText } from "./text.ts";

export const jobKey = (id: number): string => `reminder-${id}`;

export const deliverReminder = job({
  name: "deliver-reminder",
  payload: z.object({ id: z.int() }),
  run: (ctx, { id }) => transaction(ctx.db, "deliver reminder", (tx) => deliver(tx, ctx, id)),
});

async function deliver(tx: Tx, ctx: TxContext, id: number): Promise<void> {
  // It may have been sent, deleted, or gone with its message.
  const row = await tx
    .deleteFrom("reminders")
    .where("id", "=", id)
    .where("deliver_at", "<=", new Date())
    .returningAll()
    .executeTakeFirst();
  if (!row) return;
  emit(tx, row.realm_id, toUser(row.user_id), { type: "reminders", op: "remove", reminder_id: id });
  const user = await accountById(tx, row.user_id);
  if (!user) return; // deactivated meanwhile
  const message = await findQuotedMessage(tx, user, row.message_id);
  const text = message ? reminderText(ctx, user, message, row.note) : lostReminderText(row.note);
  await sendNotice(tx, ctx, user.realm, "notification-bot", { userIds: [user.id] }, text);
}
