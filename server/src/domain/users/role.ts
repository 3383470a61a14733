import type { Role } from "@skein/api/users.ts";
import { toEveryone } from "../../events/audience.ts";
import { emit } from "../../events/emit.ts";
import type { Realm } from "../../http/sessions.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { emitStandingChange } from "../user-groups/system-membership.ts";
import { lockAccount, rankIn, refuseOnlyOwner } from "./access.ts";

export async function updateRole(tx: Tx, realm: Realm, id: number, role: Role): Promise<void> {
  const before = await lockAccount(tx, realm, id);
  if (before.role === role) return;
  await refuseOnlyOwner(tx, before);
  const after = await tx
    .updateTable("users")
    .set({ role })
    .where("id", "=", id)
    .returning(["role", rankIn(realm).as("rank")])
    .executeTakeFirstOrThrow();
  emit(tx, realm.id, toEveryone, { type: "realm_user", op: "update", person: { user_id: id, role } });
  if (before.is_active) await emitStandingChange(tx, before, before, after);
}
