/** Joining an organization that lets everybody in: whoever does shows first that their address is theirs. */
import { sql } from "kysely";
import type { Context } from "../../context.ts";
import { ApiError } from "../../errors.ts";
import type { Realm } from "../../http/sessions.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { countRecentConfirmations, createConfirmation } from "../confirmations/confirmations.ts";
import { sendMail } from "../mail/send.ts";
import { addressWithoutRequest } from "../realm/address.ts";
import { addressObjection } from "./allowed-addresses.ts";
import { mailsPerHour, tooManyMails, validSeconds } from "./join-link.ts";
import { joiningMail } from "./mails.ts";
import { registrationPurpose } from "./open-link.ts";

/** Mails a link to this address, the same whether there is an account or not: the link tells that. */
export async function mailRegistrationLink(tx: Tx, ctx: Context, realm: Realm, given: string): Promise<void> {
  const email = given.trim().toLowerCase();
  const objection = (await addressObjection(tx, realm))(email);
  if (objection !== undefined) throw new ApiError(objection);
  // Whoever else asks for this address waits until this is counted.
  await sql`select pg_advisory_xact_lock(${realm.id}::int, hashtext(${email}))`.execute(tx);
  const recent = (seconds: number, data = {}) =>
    countRecentConfirmations(tx, registrationPurpose, realm, { seconds, data });
  if ((await recent(3600, { email })) >= mailsPerHour || (await recent(86_400)) >= ctx.config.invitationsPerDay)
    throw tooManyMails();
  const token = await createRegistration(tx, ctx, realm, email);
  await sendMail(tx, realm, joiningMail(realm, email, addressWithoutRequest(ctx.config, realm), token));
}

/** A token for somebody who has shown, or is about to, that the address is theirs. */
export async function createRegistration(tx: Tx, ctx: Context, realm: Realm, email: string): Promise<string> {
  // Whoever asks must not choose where a link leads, so the request is not asked for our address.
  const site_url = addressWithoutRequest(ctx.config, realm);
  const expiresAt = new Date(Date.now() + validSeconds * 1000);
  return createConfirmation(tx, registrationPurpose, { realm, data: { email, site_url }, expiresAt });
}
