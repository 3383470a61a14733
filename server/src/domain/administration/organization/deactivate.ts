/** Deactivating an organization: nobody can access it any more. Its data is kept, and the operator can reactivate it. */
import { roles } from "@skein/api/users.ts";
import { ApiError } from "../../../errors.ts";
import { toEveryone } from "../../../events/audience.ts";
import { emit } from "../../../events/emit.ts";
import type { Realm, User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";

/** By an owner. */
export async function deactivateRealmAs(tx: Tx, actor: User): Promise<void> {
  if (actor.role !== roles.owner) throw new ApiError("Must be an organization owner");
  await deactivateRealm(tx, actor.realm);
}

/** By the operator. */
export async function deactivateRealm(tx: Tx, { id }: Pick<Realm, "id">): Promise<void> {
  await tx.updateTable("realms").set({ deactivated: true }).where("id", "=", id).execute();
  emit(tx, id, toEveryone, { type: "realm", op: "deactivated", realm_id: id });
}

/** By the operator. People are still signed in where they were; clients register again when they return. */
export async function reactivateRealm(tx: Tx, { id, name }: Pick<Realm, "id" | "name">): Promise<void> {
  const deletion = await tx.selectFrom("realm_deletions").select("id").where("id", "=", id).executeTakeFirst();
  if (deletion) throw new ApiError(`${name} is being deleted and cannot be reactivated.`);
  await tx.updateTable("realms").set({ deactivated: false }).where("id", "=", id).execute();
}
