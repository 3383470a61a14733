import { emit } from "../../../events/emit.ts";
import type { Tx } from "../../../platform/db/transaction.ts";

/** Emits to administrators, who manage all invitations, and to the inviters. */
export function emitInvitationsChanged(tx: Tx, realmId: number, inviterIds: readonly number[]): void {
  const users = [...new Set(inviterIds)];
  emit(tx, realmId, { administrators: true, users }, { type: "invites_changed" });
}
