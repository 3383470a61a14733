import type { Draft } from "@skein/api/drafts.ts";
import type { User } from "../../http/sessions.ts";
import type { Db } from "../../platform/db/connect.ts";
import { toTimestamp } from "../messages/object.ts";
import type { DraftFields } from "./access.ts";

export const toDraft = ({ id, type, recipients, topic, content, edited_at }: DraftFields & { id: number }): Draft => ({
  id,
  type,
  to: recipients,
  topic,
  content,
  timestamp: toTimestamp(edited_at),
});

/** One's own, the one edited last first. */
export async function listDrafts(db: Db, user: User, limit?: number): Promise<Draft[]> {
  const all = db
    .selectFrom("drafts")
    .select(["id", "type", "recipients", "topic", "content", "edited_at"])
    .where("realm_id", "=", user.realm_id)
    .where("user_id", "=", user.id)
    .orderBy("edited_at", "desc")
    .orderBy("id", "desc");
  const rows = await (limit === undefined ? all : all.limit(limit)).execute();
  return rows.map((row) => toDraft({ ...row, type: row.type as DraftFields["type"] })); // the table holds no other
}
