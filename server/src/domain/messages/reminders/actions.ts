import type { ParamsOf } from "@skein/api/endpoint.ts";
import { textLength } from "@skein/api/endpoint.ts";
import { maxReminderNoteLength, type createReminder } from "@skein/api/reminders.ts";
import type { TxContext } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import { toUser } from "../../../events/audience.ts";
import { emit } from "../../../events/emit.ts";
import type { RequestInfo } from "../../../http/handle.ts";
import type { User } from "../../../identity/account.ts";
import { cancelJob, enqueue } from "../../../jobs/job.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { invalidMessages } from "../access.ts";
import { findQuotedMessage } from "../quoted-message.ts";
import { readTime } from "../scheduled-messages/check.ts";
import { compose } from "../send/compose.ts";
import { deliverReminder, jobKey } from "./deliver.ts";
import { reminderObject } from "./queries.ts";
import { reminderText } from "./text.ts";

/** Returns its id. */
export async function addReminder(
  tx: Tx,
  ctx: TxContext,
  user: User,
  params: ParamsOf<typeof createReminder>,
  { clientName, origin }: Pick<RequestInfo, "clientName" | "origin">,
): Promise<number> {
  const note = params.note?.trim() ?? "";
  if (textLength(note) > maxReminderNoteLength)
    throw new ApiError(`Maximum reminder note length: ${maxReminderNoteLength} characters`);
  const deliver_at = readTime(params.scheduled_delivery_timestamp);
  const { message_id } = params;
  const message = Number.isSafeInteger(message_id) ? await findQuotedMessage(tx, user, message_id) : undefined;
  if (!message) throw invalidMessages();
  const text = reminderText(ctx, user, message, note);
  const { content, rendered } = await compose(ctx, tx, user, { content: text, clientName, origin });
  const row = await tx
    .insertInto("reminders")
    .values({
      realm_id: user.realm_id,
      user_id: user.id,
      message_id: message.id,
      note,
      content,
      rendered_content: rendered.html,
      deliver_at,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await enqueue(tx, deliverReminder, { id: row.id }, { runAt: deliver_at, key: jobKey(row.id) });
  emit(tx, user.realm_id, toUser(user.id), { type: "reminders", op: "add", reminders: [reminderObject(row)] });
  return row.id;
}

export async function removeReminder(tx: Tx, user: User, id: number): Promise<void> {
  const removed = await tx
    .deleteFrom("reminders")
    .where("realm_id", "=", user.realm_id)
    .where("user_id", "=", user.id)
    .where("id", "=", id)
    .returning("id")
    .executeTakeFirst();
  if (!removed) throw new ApiError("Reminder does not exist", { status: 404 });
  await cancelJob(tx, jobKey(id));
  emit(tx, user.realm_id, toUser(user.id), { type: "reminders", op: "remove", reminder_id: id });
}
