/**
 * Organizations that users create themselves, if the operator allows it. They first verify their e-mail address; the
 * organization gets a subdomain of the server's host name.
 */
import { z } from "zod";
import { defaultHost, type Config } from "../../../config.ts";
import type { TxContext } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import type { Realm, User } from "../../../identity/account.ts";
import { lockKinds, lockName } from "../../../platform/db/advisory-locks.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { mailsPerHour, tooManyMails, validSeconds } from "../accounts/join-link.ts";
import {
  countRecentConfirmations,
  createConfirmation,
  peekConfirmation,
  purpose,
  consumeConfirmation,
  type Confirmation,
} from "../../base/confirmations.ts";
import { composeMail } from "../../base/mail/compose.ts";
import { sendMail, type Mail } from "../../base/mail/send.ts";
import { realmUrlWithoutRequest } from "../../organization/realm/address.ts";
import { whyUnavailable } from "../../organization/subdomains/availability.ts";
import { isEmail } from "../../base/email-address.ts";
import { createWithOwner } from "./create-with-owner.ts";

export const newPath = "/new";

const newOrganization = purpose({ name: "new organization", data: z.strictObject({ email: z.string() }) });
type Creation = Confirmation<z.output<typeof newOrganization.data>>;

/** A subdomain needs a parent, so SKEIN_EXTERNAL_URL has to be set. */
export const isCreationOpen = ({ openRealmCreation, externalUrl }: Config): boolean =>
  openRealmCreation && externalUrl !== "";

/** The host name for this subdomain. */
export const hostFor = (config: Config, subdomain: string): string => `${subdomain}.${defaultHost(config)}`;

/** Mails a link to continue with. `realm` is the organization whose page was used. */
export async function mailCreationLink(tx: Tx, ctx: TxContext, realm: Realm, given: string): Promise<void> {
  const email = given.trim().toLowerCase();
  if (!isEmail(email)) throw new ApiError("Invalid address.");
  // Serializes requests for this address, so that each one counts the mails before it.
  await lockName(tx, lockKinds.newOrganizationMail, realm.id, email);
  const recent = await countRecentConfirmations(tx, newOrganization, realm, { seconds: 3600, data: { email } });
  if (recent >= mailsPerHour) throw tooManyMails();
  const expiresAt = new Date(Date.now() + validSeconds * 1000);
  const token = await createConfirmation(tx, newOrganization, { realm, data: { email }, expiresAt });
  // Not the Host header: the requester could choose where the link leads.
  await sendMail(tx, realm, creationMail(email, `${realmUrlWithoutRequest(ctx.config, realm)}${newPath}/${token}`));
}

function creationMail(to: string, url: string): Mail {
  const heading = "Create your organization";
  return {
    to,
    subject: heading,
    ...composeMail({
      heading,
      paragraphs: ["Somebody, probably you, asked to create an organization with this e-mail address."],
      action: { label: "Continue", url },
      notes: ["The link works once and expires in 24 hours. If it was not you, you can ignore this mail."],
    }),
  };
}

/** Checks the link without using it up. */
export const peekCreation = (db: Db, realm: Realm, token: string): Promise<Creation> =>
  peekConfirmation(db, newOrganization, realm, token);

export interface CreationRequest {
  name: string;
  subdomain: string;
  full_name: string;
  password_hash: string;
}

/** Uses the link up; of several concurrent calls, one succeeds. Returns the owner, or the state of a link that does not work. */
export async function createOrganization(
  tx: Tx,
  ctx: TxContext,
  realm: Realm,
  token: string,
  { name, subdomain, ...person }: CreationRequest,
): Promise<User | Exclude<Creation, { state: "open" }>> {
  const taken = await consumeConfirmation(tx, newOrganization, realm, token);
  if (taken.state !== "open") return taken;
  const objection = await whyUnavailable(tx, subdomain);
  if (objection !== undefined) throw new ApiError(objection);
  const newRealm = { string_id: subdomain, name, host: hostFor(ctx.config, subdomain) };
  return createWithOwner(tx, ctx, newRealm, { ...person, email: taken.data.email });
}
