import { emit } from "../../events/emit.ts";
import type { Tx } from "../../platform/db/transaction.ts";

/** Administrators manage all invitations, everybody else those of their own. */
export function emitInvitationsChanged(tx: Tx, realmId: number, inviterIds: readonly number[]): void {
  const users = [...new Set(inviterIds)];
  emit(tx, realmId, { administrators: true, users }, { type: "invites_changed" });
}
