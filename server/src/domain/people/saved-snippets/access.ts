import type { Selectable } from "kysely";
import { ApiError } from "../../../errors.ts";
import type { User } from "../../../identity/account.ts";
import type { SavedSnippetsTable } from "../../../platform/db/schema.ts";
import type { Tx } from "../../../platform/db/transaction.ts";

/** The user's own snippet, locked until the transaction ends. Snippets of other users give the same error as missing ones. */
export async function accessSnippetForUpdate(tx: Tx, user: User, id: number): Promise<Selectable<SavedSnippetsTable>> {
  const snippet = await tx
    .selectFrom("saved_snippets")
    .selectAll()
    .where("realm_id", "=", user.realm_id)
    .where("user_id", "=", user.id)
    .where("id", "=", id)
    .forUpdate()
    .executeTakeFirst();
  if (!snippet) throw new ApiError("Saved snippet does not exist.", { status: 404 });
  return snippet;
}
