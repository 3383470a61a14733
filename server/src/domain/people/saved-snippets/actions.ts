import { ApiError } from "../../../errors.ts";
import { toUser } from "../../../events/audience.ts";
import { emit } from "../../../events/emit.ts";
import type { User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { accessSnippetForUpdate } from "./access.ts";
import { toSavedSnippet } from "./queries.ts";

/** Returns its id. */
export async function addSavedSnippet(
  tx: Tx,
  user: User,
  { date_created, ...snippet }: { title: string; content: string; date_created?: Date },
): Promise<number> {
  const [title, content] = [readTitle(snippet.title), readContent(snippet.content)];
  const row = await tx
    .insertInto("saved_snippets")
    .values({ realm_id: user.realm_id, user_id: user.id, title, content, ...(date_created && { date_created }) })
    .returningAll()
    .executeTakeFirstOrThrow();
  const event = { type: "saved_snippets", op: "add", saved_snippet: toSavedSnippet(row) };
  emit(tx, user.realm_id, toUser(user.id), event);
  return row.id;
}

/** Omitted fields stay unchanged. Emits nothing when nothing changes. */
export async function editSavedSnippet(
  tx: Tx,
  user: User,
  id: number,
  change: { title?: string | undefined; content?: string | undefined },
): Promise<void> {
  const title = change.title === undefined ? undefined : readTitle(change.title);
  const content = change.content === undefined ? undefined : readContent(change.content);
  const snippet = await accessSnippetForUpdate(tx, user, id);
  const row = { ...snippet, title: title ?? snippet.title, content: content ?? snippet.content };
  if (row.title === snippet.title && row.content === snippet.content) return;
  await tx
    .updateTable("saved_snippets")
    .set({ title: row.title, content: row.content })
    .where("id", "=", snippet.id)
    .execute();
  const event = { type: "saved_snippets", op: "update", saved_snippet: toSavedSnippet(row) };
  emit(tx, user.realm_id, toUser(user.id), event);
}

export async function removeSavedSnippet(tx: Tx, user: User, id: number): Promise<void> {
  const snippet = await accessSnippetForUpdate(tx, user, id);
  await tx.deleteFrom("saved_snippets").where("id", "=", snippet.id).execute();
  emit(tx, user.realm_id, toUser(user.id), { type: "saved_snippets", op: "remove", saved_snippet_id: snippet.id });
}

function readTitle(text: string): string {
  const title = text.trim();
  if (title === "") throw new ApiError("Title cannot be empty.");
  return title;
}

function readContent(text: string): string {
  const content = text.trim();
  if (content === "") throw new ApiError("Content cannot be empty.");
  return content;
}
