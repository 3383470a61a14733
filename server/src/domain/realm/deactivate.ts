import { roles } from "@skein/api/users.ts";
import { ApiError } from "../../errors.ts";
import { toEveryone } from "../../events/audience.ts";
import { emit } from "../../events/emit.ts";
import type { User } from "../../http/sessions.ts";
import type { Tx } from "../../platform/db/transaction.ts";

/** Closes the organization: no key opens it any more. What is in it stays. */
export async function deactivateRealm(tx: Tx, actor: User): Promise<void> {
  if (actor.role !== roles.owner) throw new ApiError("Must be an organization owner");
  const { realm_id } = actor;
  await tx.updateTable("realms").set({ deactivated: true }).where("id", "=", realm_id).execute();
  emit(tx, realm_id, toEveryone, { type: "realm", op: "deactivated", realm_id });
}
