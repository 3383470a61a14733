/**
 * A new address takes effect when its owner sends the form behind a link that was sent there; until then everything
 * stays as it is. The address so far is told, in case it was somebody else who changed it.
 */
import { roles } from "@skein/api/users.ts";
import { z } from "zod";
import type { Context } from "../../context.ts";
import { ApiError } from "../../errors.ts";
import { rateLimitHit } from "../../http/rate-limit.ts";
import { accountById, type Realm, type User } from "../../http/sessions.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { addressObjection } from "../accounts/allowed-addresses.ts";
import {
  countRecentConfirmations,
  createConfirmation,
  peekConfirmation,
  purpose,
  revokeConfirmations,
  takeConfirmation,
  type Confirmation,
} from "../confirmations/confirmations.ts";
import { composeMail } from "../mail/compose.ts";
import { sendMail } from "../mail/send.ts";
import { changeEmail } from "../users/addresses.ts";
import { lockOwnAccount } from "./access.ts";

const emailChange = purpose({
  name: "e-mail change",
  data: z.strictObject({ user_id: z.int(), old_email: z.string(), new_email: z.string() }),
});
type EmailChange = z.output<typeof emailChange.data>;

const validMilliseconds = 24 * 3600 * 1000;
/** How many links one may have sent, in how many seconds. */
const limits = [
  { links: 2, seconds: 3600 },
  { links: 5, seconds: 24 * 3600 },
];

export const confirmationPath = "/accounts/confirm_new_email";

/** Takes what the account is now. `siteUrl` is the organization's address: see realmUrl(). Older links cease to work. */
export async function startEmailChange(
  tx: Tx,
  ctx: Context,
  user: User,
  email: string,
  siteUrl: string,
): Promise<void> {
  if (email === user.delivery_email) return;
  await accessEmailChange(tx, user, email);
  await refuseTakenEmail(tx, user, email);
  if (ctx.config.rateLimits) await refuseTooMany(tx, user);

  await revokeConfirmations(tx, emailChange, user.realm, { user_id: user.id });
  const token = await createConfirmation(tx, emailChange, {
    realm: user.realm,
    data: { user_id: user.id, old_email: user.delivery_email, new_email: email },
    expiresAt: new Date(Date.now() + validMilliseconds),
  });
  await sendMail(tx, user.realm, {
    to: email,
    ...confirmationMail(user, email, `${siteUrl}${confirmationPath}/${token}`),
  });
}

/** Throws unless the user may have another address, and anybody may have this one. */
async function accessEmailChange(tx: Tx, { realm, role }: User, email: string): Promise<void> {
  if (realm.email_changes_disabled && role > roles.administrator)
    throw new ApiError("Email address changes are disabled in this organization.");
  const objection = (await addressObjection(tx, realm))(email);
  if (objection !== undefined) throw new ApiError(objection);
}

async function refuseTakenEmail(tx: Tx, { id, realm_id }: User, email: string): Promise<void> {
  const other = await tx
    .selectFrom("users")
    .select("id")
    .where("realm_id", "=", realm_id)
    .where((where) => where(where.fn("lower", ["delivery_email"]), "=", email.toLowerCase()))
    .where("id", "<>", id)
    .executeTakeFirst();
  if (other) throw new ApiError("Email is already in use.");
}

async function refuseTooMany(tx: Tx, { id, realm }: User): Promise<void> {
  for (const { links, seconds } of limits) {
    const count = await countRecentConfirmations(tx, emailChange, realm, { seconds, data: { user_id: id } });
    if (count >= links) throw rateLimitHit(seconds);
  }
}

/** The change this token stands for; `open` when it can be made now. */
export async function peekEmailChange(db: Db, realm: Realm, token: string): Promise<Confirmation<EmailChange>> {
  const confirmation = await peekConfirmation(db, emailChange, realm, token);
  if (confirmation.state !== "open") return confirmation;
  const account = await accountById(db, confirmation.data.user_id);
  return account?.delivery_email === confirmation.data.old_email ? confirmation : { state: "revoked" };
}

/** What has become of the change this token stands for; `open` when it was made just now. */
export async function finishEmailChange(tx: Tx, realm: Realm, token: string): Promise<Confirmation<EmailChange>> {
  const confirmation = await takeConfirmation(tx, emailChange, realm, token);
  if (confirmation.state !== "open") return confirmation;
  const { user_id, old_email, new_email } = confirmation.data;
  const account = await accountById(tx, user_id);
  if (!account) return { state: "revoked" };
  const user = await lockOwnAccount(tx, account);
  if (user.delivery_email !== old_email) return { state: "revoked" };
  await accessEmailChange(tx, user, new_email);
  await changeEmail(tx, realm, user, new_email);
  await sendMail(tx, realm, { to: old_email, ...noticeMail(user, new_email) });
  return confirmation;
}

function confirmationMail({ realm }: User, email: string, url: string) {
  const heading = `Confirm your new address for ${realm.name}`;
  return {
    subject: heading,
    ...composeMail({
      heading,
      paragraphs: [`Somebody, probably you, wants to use ${email} for an account of ${realm.name} on Skein.`],
      action: { label: "Use this address", url },
      notes: [
        "The link can be used once, within a day.",
        "If it was not you, there is nothing to do: without the link nothing changes.",
      ],
    }),
  };
}

function noticeMail({ realm }: User, email: string) {
  const heading = `Your address for ${realm.name} has changed`;
  return {
    subject: heading,
    ...composeMail({
      heading,
      paragraphs: [
        `Your account of ${realm.name} on Skein goes by ${email} from now on, and no longer by this address.`,
      ],
      notes: [`If it was not you who changed it, tell the administrators of ${realm.name} at once.`],
    }),
  };
}
