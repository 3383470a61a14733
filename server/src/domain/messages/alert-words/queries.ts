import type { User } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";

export async function listAlertWords(db: Db, user: User): Promise<string[]> {
  const rows = await db
    .selectFrom("alert_words")
    .select("word")
    .where("realm_id", "=", user.realm_id)
    .where("user_id", "=", user.id)
    .orderBy("id")
    .execute();
  return rows.map(({ word }) => word);
}
