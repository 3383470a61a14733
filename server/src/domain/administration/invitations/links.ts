/** Invitation links that any number of people may use. */
import { sql } from "kysely";
import type { TxContext } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import { hashKey } from "../../../identity/sessions.ts";
import type { User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { newToken } from "../../base/confirmations.ts";
import { accessInviting, accessLinkForUpdate } from "./access.ts";
import { emitInvitationsChanged } from "./event.ts";
import { toColumns, type Offer } from "./offer.ts";

/** The purpose that the token is encrypted for. */
export const sealedFor = "invitation link";

export const linkUrl = (siteUrl: string, token: string): string => `${siteUrl}/join/${token}/`;

interface LinkRequest {
  /** Null: never expires. */
  minutes: number | null;
  offer: Offer;
  siteUrl: string;
}

/** Returns the link and its id. */
export async function createInvitationLink(
  tx: Tx,
  ctx: TxContext,
  user: User,
  { minutes, offer, siteUrl }: LinkRequest,
): Promise<{ id: number; url: string }> {
  await accessInviting(tx, user, "create_multiuse_invite_group", offer);
  const token = newToken();
  const { id } = await tx
    .insertInto("invitation_links")
    .values({
      ...toColumns(offer),
      realm_id: user.realm_id,
      invited_by_id: user.id,
      expires_at: sql<Date | null>`now() + make_interval(mins => ${minutes})`,
      site_url: siteUrl,
      token_hash: hashKey(token),
      sealed_token: ctx.secretBox.seal(token, sealedFor),
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  emitInvitationsChanged(tx, user.realm_id, [user.id]);
  return { id, url: linkUrl(siteUrl, token) };
}

export async function revokeInvitationLink(tx: Tx, user: User, id: number): Promise<void> {
  const link = await accessLinkForUpdate(tx, user, id);
  if (link.revoked) throw new ApiError("Invitation has already been revoked");
  await tx.updateTable("invitation_links").set({ revoked: true }).where("id", "=", link.id).execute();
  emitInvitationsChanged(tx, user.realm_id, [user.id, link.invited_by_id]);
}
