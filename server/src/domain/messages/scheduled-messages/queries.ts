import type { ScheduledMessage } from "@skein/api/scheduled-messages.ts";
import type { User } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { scheduledObject } from "./object.ts";

/** The user's own scheduled messages, soonest first. */
export async function listScheduled(db: Db, user: User): Promise<ScheduledMessage[]> {
  const rows = await db
    .selectFrom("scheduled_messages")
    .selectAll()
    .where("realm_id", "=", user.realm_id)
    .where("sender_id", "=", user.id)
    .orderBy("deliver_at")
    .orderBy("id")
    .execute();
  return rows.map(scheduledObject);
}
