/** Revoking invitations. */
import type { User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { accessInvitationForUpdate } from "./access.ts";
import { emitInvitationsChanged } from "./event.ts";

export async function revokeInvitation(tx: Tx, user: User, id: number): Promise<void> {
  const invitation = await accessInvitationForUpdate(tx, user, id);
  await tx.updateTable("invitations").set({ state: "revoked" }).where("id", "=", invitation.id).execute();
  emitInvitationsChanged(tx, user.realm_id, [user.id, invitation.invited_by_id]);
}

/** Revokes all invitations and links of a user whose account is deactivated. */
export async function revokeInvitationsBy(tx: Tx, inviter: Pick<User, "id" | "realm_id">): Promise<void> {
  const { id, realm_id } = inviter;
  const invitations = await tx
    .updateTable("invitations")
    .set({ state: "revoked" })
    .where("invited_by_id", "=", id)
    .where("state", "=", "pending")
    .returning("id")
    .execute();
  const links = await tx
    .updateTable("invitation_links")
    .set({ revoked: true })
    .where("realm_id", "=", realm_id)
    .where("invited_by_id", "=", id)
    .where("revoked", "=", false)
    .returning("id")
    .execute();
  if (invitations.length + links.length > 0) emitInvitationsChanged(tx, realm_id, [id]);
}

/** Revokes all invitations to an address that now has an account. Returns the inviters' IDs. */
export async function revokeInvitationsTo(tx: Tx, realmId: number, email: string): Promise<number[]> {
  const rows = await tx
    .updateTable("invitations")
    .set({ state: "revoked" })
    .where("realm_id", "=", realmId)
    .where((where) => where(where.fn("lower", ["email"]), "=", email.toLowerCase()))
    .where("state", "=", "pending")
    .returning("invited_by_id")
    .execute();
  return rows.map((row) => row.invited_by_id);
}
