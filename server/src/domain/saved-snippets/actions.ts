import { ApiError } from "../../errors.ts";
import { toUser } from "../../events/audience.ts";
import { emit } from "../../events/emit.ts";
import type { User } from "../../http/sessions.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { accessSnippetForUpdate } from "./access.ts";
import { toSavedSnippet } from "./queries.ts";

/** Gives back its id. */
export async function addSavedSnippet(
  tx: Tx,
  user: User,
  snippet: { title: string; content: string },
): Promise<number> {
  const [title, content] = [snippet.title.trim(), snippet.content.trim()];
  if (title === "") throw new ApiError("Title cannot be empty.");
  if (content === "") throw new ApiError("Content cannot be empty.");
  const row = await tx
    .insertInto("saved_snippets")
    .values({ realm_id: user.realm_id, user_id: user.id, title, content })
    .returningAll()
    .executeTakeFirstOrThrow();
  const event = { type: "saved_snippets", op: "add", saved_snippet: toSavedSnippet(row) };
  emit(tx, user.realm_id, toUser(user.id), event);
  return row.id;
}

export async function removeSavedSnippet(tx: Tx, user: User, id: number): Promise<void> {
  const snippet = await accessSnippetForUpdate(tx, user, id);
  await tx.deleteFrom("saved_snippets").where("id", "=", snippet.id).execute();
  emit(tx, user.realm_id, toUser(user.id), { type: "saved_snippets", op: "remove", saved_snippet_id: snippet.id });
}
