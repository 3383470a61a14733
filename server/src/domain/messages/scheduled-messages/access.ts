import type { Selectable } from "kysely";
import { ApiError } from "../../../errors.ts";
import type { User } from "../../../identity/account.ts";
import type { ScheduledMessagesTable } from "../../../platform/db/schema.ts";
import type { Tx } from "../../../platform/db/transaction.ts";

export type ScheduledRow = Selectable<ScheduledMessagesTable>;

/** One of the user's own scheduled messages, locked so that it is not delivered before this transaction ends. */
export async function accessScheduledForUpdate(tx: Tx, user: User, id: number): Promise<ScheduledRow> {
  const row = await tx
    .selectFrom("scheduled_messages")
    .selectAll()
    .where("realm_id", "=", user.realm_id)
    .where("sender_id", "=", user.id)
    .where("id", "=", id)
    .forUpdate()
    .executeTakeFirst();
  if (!row) throw new ApiError("Scheduled message does not exist", { status: 404 });
  return row;
}
