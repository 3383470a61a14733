/** Open registration: joining without an invitation. People first verify their e-mail address. */
import type { TxContext } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import type { Realm } from "../../../identity/account.ts";
import { lockKinds, lockName } from "../../../platform/db/advisory-locks.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { countRecentConfirmations, createConfirmation } from "../../base/confirmations.ts";
import { sendMail } from "../../base/mail/send.ts";
import { realmUrlWithoutRequest } from "../../organization/realm/address.ts";
import { addressChecker } from "../../organization/realm-domains/allowed-addresses.ts";
import { mailsPerHour, tooManyMails, validSeconds } from "./join-link.ts";
import { joiningMail } from "./mails.ts";
import { registrationPurpose } from "./open-link.ts";

/** Mails a link to this address. The mail is the same whether or not there is an account; opening the link reveals it. */
export async function mailRegistrationLink(tx: Tx, ctx: TxContext, realm: Realm, given: string): Promise<void> {
  const email = given.trim().toLowerCase();
  const objection = (await addressChecker(tx, realm))(email);
  if (objection !== undefined) throw new ApiError(objection);
  // Serializes requests for this address, so that each one counts the mails before it.
  await lockName(tx, lockKinds.registrationMail, realm.id, email);
  const recent = (seconds: number, data = {}) =>
    countRecentConfirmations(tx, registrationPurpose, realm, { seconds, data });
  if ((await recent(3600, { email })) >= mailsPerHour || (await recent(86_400)) >= ctx.config.invitationsPerDay)
    throw tooManyMails();
  const token = await createRegistration(tx, ctx, realm, email);
  await sendMail(tx, realm, joiningMail(realm, email, realmUrlWithoutRequest(ctx.config, realm), token));
}

/** The token lets its holder register. Give it only to a person whose address is verified, or mail it there. */
export async function createRegistration(tx: Tx, ctx: TxContext, realm: Realm, email: string): Promise<string> {
  // Not the Host header: the requester could choose where the link leads.
  const site_url = realmUrlWithoutRequest(ctx.config, realm);
  const expiresAt = new Date(Date.now() + validSeconds * 1000);
  return createConfirmation(tx, registrationPurpose, { realm, data: { email, site_url }, expiresAt });
}
