import type { Draft } from "@skein/api/drafts.ts";
import type { User } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { toTimestamp } from "../../base/timestamp.ts";
import type { DraftFields } from "./access.ts";

export const toDraft = ({ id, type, recipients, topic, content, edited_at }: DraftFields & { id: number }): Draft => ({
  id,
  type,
  to: recipients,
  topic,
  content,
  timestamp: toTimestamp(edited_at),
});

/** The user's own drafts, most recently edited first. */
export async function listDrafts(db: Db, user: User, limit?: number): Promise<Draft[]> {
  const all = db
    .selectFrom("drafts")
    .select(["id", "type", "recipients", "topic", "content", "edited_at"])
    .where("realm_id", "=", user.realm_id)
    .where("user_id", "=", user.id)
    .orderBy("edited_at", "desc")
    .orderBy("id", "desc");
  const rows = await (limit === undefined ? all : all.limit(limit)).execute();
  return rows.map((row) => toDraft({ ...row, type: row.type as DraftFields["type"] })); // a check constraint allows no other
}
