import type { DraftInput } from "@skein/api/drafts.ts";
import { toUser } from "../../../events/audience.ts";
import { emit } from "../../../events/emit.ts";
import type { User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { inChunks } from "../../base/chunks.ts";
import { accessDraftFields, accessDrafts, type DraftFields, draftDoesNotExist } from "./access.ts";
import { toDraft } from "./queries.ts";

/** This many drafts of the maximum length fit into one event. */
const draftsPerEvent = 50;

/** Returns their ids, in the order they were given. */
export async function addDrafts(tx: Tx, user: User, inputs: DraftInput[]): Promise<number[]> {
  await accessDrafts(tx, user);
  return insertDrafts(tx, user, await accessDraftFields(tx, user, inputs));
}

/** For callers that know that the user may have these drafts. */
export async function insertDrafts(tx: Tx, user: User, fields: readonly DraftFields[]): Promise<number[]> {
  if (fields.length === 0) return [];
  const { id: user_id, realm_id } = user;
  const rows = await tx
    .insertInto("drafts")
    .values(fields.map((draft) => ({ ...draft, user_id, realm_id })))
    .returning("id")
    .execute();
  const ids = rows.map((row) => row.id).toSorted((a, b) => a - b);
  const drafts = fields.map((draft, n) => toDraft({ ...draft, id: ids[n] ?? 0 })); // there is an id for each draft
  for (const some of inChunks(drafts, draftsPerEvent))
    emit(tx, realm_id, toUser(user_id), { type: "drafts", op: "add", drafts: some });
  return ids;
}

export async function replaceDraft(tx: Tx, user: User, id: number, input: DraftInput): Promise<void> {
  await accessDrafts(tx, user);
  await accessDraft(tx, user, id);
  const [fields] = await accessDraftFields(tx, user, [input]);
  if (!fields) throw new Error("unreachable: one draft was given");
  await tx.updateTable("drafts").set(fields).where("realm_id", "=", user.realm_id).where("id", "=", id).execute();
  emit(tx, user.realm_id, toUser(user.id), { type: "drafts", op: "update", draft: toDraft({ ...fields, id }) });
}

export async function removeDraft(tx: Tx, user: User, id: number): Promise<void> {
  await accessDrafts(tx, user);
  await accessDraft(tx, user, id);
  await tx.deleteFrom("drafts").where("realm_id", "=", user.realm_id).where("id", "=", id).execute();
  emit(tx, user.realm_id, toUser(user.id), { type: "drafts", op: "remove", draft_id: id });
}

/** The user's own draft, locked until the transaction ends. */
async function accessDraft(tx: Tx, user: User, id: number): Promise<void> {
  const draft = await tx
    .selectFrom("drafts")
    .select("id")
    .where("realm_id", "=", user.realm_id)
    .where("user_id", "=", user.id)
    .where("id", "=", id)
    .forUpdate()
    .executeTakeFirst();
  if (!draft) throw draftDoesNotExist();
}
