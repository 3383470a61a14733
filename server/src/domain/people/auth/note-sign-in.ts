/** What every sign-in leaves behind, whichever way it was: part of the transaction that makes the session or the key. */
import type { AuditEntry } from "@skein/api/audit-log.ts";
import { emit } from "../../../events/emit.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { recordSignIn, type SecondFactor, type SignInRequest } from "../../organization/audit/sign-ins.ts";
import { toUsersSeeing } from "../users/audience.ts";

interface SignedIn {
  id: number;
  realm_id: number;
  secondFactor?: SecondFactor;
}

export async function noteSignIn(
  tx: Tx,
  account: SignedIn,
  request: SignInRequest,
  how: { method: string; credential: NonNullable<AuditEntry["credential"]> },
): Promise<void> {
  // Locks the head of the audit log, which comes before accounts everywhere.
  await recordSignIn(tx, account, request, how);
  await claimStub(tx, account);
}

/** An account that an import made belongs to somebody from the first sign-in on. */
async function claimStub(tx: Tx, { id, realm_id }: SignedIn): Promise<void> {
  const claimed = await tx
    .updateTable("users")
    .set({ is_imported_stub: false })
    .where("id", "=", id)
    .where("is_imported_stub", "=", true)
    .returning("is_bot")
    .executeTakeFirst();
  if (!claimed) return;
  const seeing = await toUsersSeeing(tx, { id: realm_id }, { id, ...claimed });
  const person = { user_id: id, is_imported_stub: false };
  emit(tx, realm_id, seeing, { type: "realm_user", op: "update", person });
}
