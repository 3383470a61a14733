import type { SavedSnippet } from "@skein/api/saved-snippets.ts";
import type { Selectable } from "kysely";
import type { User } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { SavedSnippetsTable } from "../../../platform/db/schema.ts";
import { toTimestamp } from "../../base/timestamp.ts";

export const toSavedSnippet = (row: Selectable<SavedSnippetsTable>): SavedSnippet => ({
  id: row.id,
  title: row.title,
  content: row.content,
  date_created: toTimestamp(row.date_created),
});

export async function listSavedSnippets(db: Db, user: User): Promise<SavedSnippet[]> {
  const rows = await db
    .selectFrom("saved_snippets")
    .selectAll()
    .where("realm_id", "=", user.realm_id)
    .where("user_id", "=", user.id)
    .orderBy("id")
    .execute();
  return rows.map(toSavedSnippet);
}
