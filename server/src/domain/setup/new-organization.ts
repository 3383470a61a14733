/**
 * Organizations that people make by themselves, where the operator lets them: whoever does shows first that their address
 * is theirs, and the organization is found below the server's own host name.
 */
import { sql } from "kysely";
import { z } from "zod";
import { defaultHost, type Config } from "../../config.ts";
import type { Context } from "../../context.ts";
import { ApiError } from "../../errors.ts";
import type { Realm, User } from "../../http/sessions.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { mailsPerHour, tooManyMails, validSeconds } from "../accounts/join-link.ts";
import {
  countRecentConfirmations,
  createConfirmation,
  peekConfirmation,
  purpose,
  takeConfirmation,
  type Confirmation,
} from "../confirmations/confirmations.ts";
import { composeMail } from "../mail/compose.ts";
import { sendMail, type Mail } from "../mail/send.ts";
import { addressWithoutRequest } from "../realm/address.ts";
import { whyUnavailable } from "../subdomains/availability.ts";
import { isEmail } from "../users/email.ts";
import { makeOrganization } from "./make-organization.ts";

export const newPath = "/new";

const newOrganization = purpose({ name: "new organization", data: z.strictObject({ email: z.string() }) });
type Creation = Confirmation<z.output<typeof newOrganization.data>>;

/** An organization needs a name below one that the operator has told us. */
export const isCreationOpen = ({ openRealmCreation, externalUrl }: Config): boolean =>
  openRealmCreation && externalUrl !== "";

/** Where an organization of this short name would be. */
export const hostFor = (config: Config, subdomain: string): string => `${subdomain}.${defaultHost(config)}`;

/** Mails a link to go on with. `realm` is where it was asked. */
export async function mailCreationLink(tx: Tx, ctx: Context, realm: Realm, given: string): Promise<void> {
  const email = given.trim().toLowerCase();
  if (!isEmail(email)) throw new ApiError("Invalid address.");
  // Whoever else asks for this address waits until this is counted.
  await sql`select pg_advisory_xact_lock(${realm.id}::int, hashtext(${email}))`.execute(tx);
  const recent = await countRecentConfirmations(tx, newOrganization, realm, { seconds: 3600, data: { email } });
  if (recent >= mailsPerHour) throw tooManyMails();
  const expiresAt = new Date(Date.now() + validSeconds * 1000);
  const token = await createConfirmation(tx, newOrganization, { realm, data: { email }, expiresAt });
  // Whoever asks must not choose where the link leads, so the request is not asked for our address.
  await sendMail(tx, realm, creationMail(email, `${addressWithoutRequest(ctx.config, realm)}${newPath}/${token}`));
}

function creationMail(to: string, url: string): Mail {
  const heading = "Make your organization";
  return {
    to,
    subject: heading,
    ...composeMail({
      heading,
      paragraphs: ["Somebody, most likely you, wants to make an organization with this address."],
      action: { label: "Go on", url },
      notes: ["The link can be used once, within a day. If it was not you, there is nothing to do."],
    }),
  };
}

/** Looks without using it up. */
export const peekCreation = (db: Db, realm: Realm, token: string): Promise<Creation> =>
  peekConfirmation(db, newOrganization, realm, token);

export interface WantedOrganization {
  name: string;
  subdomain: string;
  full_name: string;
  password_hash: string;
}

/** Uses the link up; of several who try at once, one does. The owner, or why there is none. */
export async function createOrganization(
  tx: Tx,
  ctx: Context,
  realm: Realm,
  token: string,
  { name, subdomain, ...person }: WantedOrganization,
): Promise<User | Exclude<Creation, { state: "open" }>> {
  const taken = await takeConfirmation(tx, newOrganization, realm, token);
  if (taken.state !== "open") return taken;
  const objection = await whyUnavailable(tx, subdomain);
  if (objection !== undefined) throw new ApiError(objection);
  const wanted = { string_id: subdomain, name, host: hostFor(ctx.config, subdomain) };
  return makeOrganization(tx, ctx, wanted, { ...person, email: taken.data.email });
}
