import type { Reminder } from "@skein/api/reminders.ts";
import type { Selectable } from "kysely";
import type { User } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { RemindersTable } from "../../../platform/db/schema.ts";
import { toTimestamp } from "../../base/timestamp.ts";

export const reminderObject = (row: Selectable<RemindersTable>): Reminder => ({
  reminder_id: row.id,
  type: "private",
  to: [row.user_id],
  content: row.content,
  rendered_content: row.rendered_content,
  scheduled_delivery_timestamp: toTimestamp(row.deliver_at),
  failed: row.failed,
  reminder_target_message_id: row.message_id,
});

/** The user's own reminders, soonest first. */
export async function listReminders(db: Db, user: User): Promise<Reminder[]> {
  const rows = await db
    .selectFrom("reminders")
    .selectAll()
    .where("realm_id", "=", user.realm_id)
    .where("user_id", "=", user.id)
    .orderBy("deliver_at")
    .orderBy("id")
    .execute();
  return rows.map(reminderObject);
}
