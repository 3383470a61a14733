/** Joining with a link that any number of people may use. They first verify their e-mail address. */
import type { TxContext } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import { hashKey } from "../../../identity/sessions.ts";
import type { Realm } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { countRecentConfirmations, createConfirmation } from "../../base/confirmations.ts";
import type { LinkRow } from "../../administration/invitations/access.ts";
import { sendMail } from "../../base/mail/send.ts";
import { addressChecker } from "../../organization/realm-domains/allowed-addresses.ts";
import { joiningMail } from "./mails.ts";
import { joiningPurpose, checkInvitationLink, type ClosedState } from "./open-link.ts";

export const validSeconds = 86_400;
/** Per address, so that nobody can flood somebody else's mailbox. */
export const mailsPerHour = 5;

export const findInvitationLink = (db: Db, realm: Realm, token: string): Promise<LinkRow | undefined> =>
  db
    .selectFrom("invitation_links")
    .selectAll()
    .where("realm_id", "=", realm.id)
    .where("token_hash", "=", hashKey(token))
    .executeTakeFirst();

export async function stateOfInvitationLink(db: Db, link: LinkRow | undefined): Promise<"open" | ClosedState> {
  return link ? (await checkInvitationLink(db, link)).state : "unknown";
}

/** Mails a link to this address. The mail is the same whether or not there is an account; opening the link reveals it. */
export async function mailJoiningLink(
  tx: Tx,
  ctx: TxContext,
  realm: Realm,
  link: LinkRow,
  given: string,
): Promise<void> {
  const email = given.trim().toLowerCase();
  const objection = (await addressChecker(tx, realm))(email);
  if (objection !== undefined) throw new ApiError(objection);
  // Serializes requests through this link, so that each one counts the mails before it.
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
  new ApiError("Too many mails were requested. Check your e-mail, or try again in an hour.", { status: 429 });
