/** Joining by a link that any number of people may use: whoever does shows first that their address is theirs. */
import type { Context } from "../../context.ts";
import { ApiError } from "../../errors.ts";
import { hashKey, type Realm } from "../../http/sessions.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { countRecentConfirmations, createConfirmation } from "../confirmations/confirmations.ts";
import type { LinkRow } from "../invitations/access.ts";
import { sendMail } from "../mail/send.ts";
import { addressObjection } from "./allowed-addresses.ts";
import { joiningMail } from "./mails.ts";
import { joiningPurpose, judgeInvitationLink, type ClosedState } from "./open-link.ts";

export const validSeconds = 86_400;
/** Nobody's mailbox is to be filled by somebody else's asking. */
export const mailsPerHour = 5;

export const findInvitationLink = (db: Db, realm: Realm, token: string): Promise<LinkRow | undefined> =>
  db
    .selectFrom("invitation_links")
    .selectAll()
    .where("realm_id", "=", realm.id)
    .where("token_hash", "=", hashKey(token))
    .executeTakeFirst();

export async function stateOfInvitationLink(db: Db, link: LinkRow | undefined): Promise<"open" | ClosedState> {
  return link ? (await judgeInvitationLink(db, link)).state : "unknown";
}

/**
 * Mails a link to this address. It is the same whether there is an account or not: only who reads the mail learns that,
 * by opening the link.
 */
export async function mailJoiningLink(tx: Tx, ctx: Context, realm: Realm, link: LinkRow, given: string): Promise<void> {
  const email = given.trim().toLowerCase();
  const objection = (await addressObjection(tx, realm))(email);
  if (objection !== undefined) throw new ApiError(objection);
  // Whoever else asks by this link waits until this is counted.
  await tx.selectFrom("invitation_links").select("id").where("id", "=", link.id).forUpdate().execute();
  const recent = (seconds: number, data = {}) => countRecentConfirmations(tx, joiningPurpose, realm, { seconds, data });
  if ((await recent(3600, { email })) >= mailsPerHour || (await recent(86_400)) >= ctx.config.invitationsPerDay)
    throw tooManyMails();
  const expiresAt = new Date(Date.now() + validSeconds * 1000);
  const data = { link_id: link.id, email };
  const token = await createConfirmation(tx, joiningPurpose, { realm, data, expiresAt });
  await sendMail(tx, realm, joiningMail(realm, email, link.site_url, token));
}

export const tooManyMails = () =>
  new ApiError("Too many mails were asked for. Look into your mailbox, or try again in an hour.", { status: 429 });
