/**
 * Delivers a scheduled message. The transaction that sends it deletes its row, so it is sent exactly once, no matter
 * how many workers try, how often, or where one dies.
 */
import { z } from "zod";
import type { Context, TxContext } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import { toUser } from "../../../events/audience.ts";
import { emit } from "../../../events/emit.ts";
import { StaleSession } from "../../../identity/sessions.ts";
import { accountById } from "../../../identity/account.ts";
import { enqueue, job } from "../../../jobs/job.ts";
import { transaction, type Tx } from "../../../platform/db/transaction.ts";
import { sendNotice } from "../send/notice.ts";
import { sendWithin } from "../send/send-within.ts";
import { realmUrlWithoutRequest } from "../../organization/realm/address.ts";
import type { ScheduledRow } from "./access.ts";
import { scheduledObject } from "./object.ts";

/** A message later than this might be out of place; its sender is notified instead. */
const maxDelayMilliseconds = 10 * 60 * 1000;
const attempts = 5;

export const jobKey = (id: number): string => `scheduled-message-${id}`;

export async function deliverLater(tx: Tx, { id, deliver_at }: ScheduledRow): Promise<void> {
  await enqueue(tx, deliverScheduledMessage, { id }, { runAt: deliver_at, key: jobKey(id) });
}

export const deliverScheduledMessage = job({
  name: "deliver-scheduled-message",
  payload: z.object({ id: z.int() }),
  run: (ctx, { id }) => deliver(ctx, id),
});

async function deliver(ctx: Context, id: number): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await transaction(ctx.db, "deliver scheduled message", (tx) => deliverWithin(tx, ctx, id));
      return;
    } catch (error) {
      if (error instanceof ApiError || error instanceof NotDeliverable) {
        await transaction(ctx.db, "fail scheduled message", (tx) => fail(tx, ctx, id, error));
        return;
      }
      // The sender's account has just changed.
      if (!(error instanceof StaleSession) || attempt >= attempts) throw error;
    }
  }
}

/** The sender's account is gone, so nobody can be notified. */
class NotDeliverable extends Error {
  override name = "NotDeliverable";
}

async function deliverWithin(tx: Tx, ctx: TxContext, id: number): Promise<void> {
  const row = await dueForUpdate(tx, id);
  if (!row) return;
  const sender = await accountById(tx, row.sender_id);
  if (!sender) throw new NotDeliverable();
  if (Date.now() - row.deliver_at.getTime() > maxDelayMilliseconds)
    throw new ApiError("The message could not be sent at the scheduled time.");
  const { channel_id: channelId, topic, user_ids: userIds } = row;
  await sendWithin(tx, ctx, sender, {
    to: channelId === null ? { userIds: userIds ?? [] } : { channelId, topic: topic ?? "" },
    content: row.content,
    clientName: row.client_name,
    origin: realmUrlWithoutRequest(ctx.config, sender.realm),
    readBySender: row.read_by_sender,
  });
  await tx.deleteFrom("scheduled_messages").where("id", "=", id).execute();
  emit(tx, row.realm_id, toUser(row.sender_id), {
    type: "scheduled_messages",
    op: "remove",
    scheduled_message_id: id,
  });
}

async function fail(tx: Tx, ctx: TxContext, id: number, reason: Error): Promise<void> {
  const row = await dueForUpdate(tx, id);
  if (!row) return;
  await tx.updateTable("scheduled_messages").set({ failed: true }).where("id", "=", id).execute();
  emit(tx, row.realm_id, toUser(row.sender_id), {
    type: "scheduled_messages",
    op: "update",
    scheduled_message: scheduledObject({ ...row, failed: true }),
  });
  const sender = await accountById(tx, row.sender_id);
  if (!sender) return;
  const text = `A message you scheduled could not be sent:\n\n> ${reason.message}\n\nIt is still in your scheduled messages, where you can pick a new time.`;
  await sendNotice(tx, ctx, sender.realm, "notification-bot", { userIds: [sender.id] }, text);
}

/** The message, unless it was sent, removed or rescheduled meanwhile. */
const dueForUpdate = (tx: Tx, id: number): Promise<ScheduledRow | undefined> =>
  tx
    .selectFrom("scheduled_messages")
    .selectAll()
    .where("id", "=", id)
    .where("failed", "=", false)
    .where("deliver_at", "<=", new Date())
    .forUpdate()
    .executeTakeFirst();
