/**
 * Changes a user's e-mail address. The new address takes effect when its owner opens the link mailed to it and submits the
 * form. The old address is then notified, in case someone else made the change.
 */
import { roles } from "@skein/api/users.ts";
import { z } from "zod";
import type { TxContext } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import { rateLimitHit } from "../../../http/rate-limit.ts";
import { accountById, type Realm, type User } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { addressChecker } from "../../organization/realm-domains/allowed-addresses.ts";
import {
  countRecentConfirmations,
  createConfirmation,
  peekConfirmation,
  purpose,
  revokeConfirmations,
  consumeConfirmation,
  type Confirmation,
} from "../../base/confirmations.ts";
import { composeMail } from "../../base/mail/compose.ts";
import { sendMail } from "../../base/mail/send.ts";
import { changeEmail } from "../users/addresses.ts";
import { lockOwnAccount } from "./access.ts";

const emailChange = purpose({
  name: "e-mail change",
  data: z.strictObject({ user_id: z.int(), old_email: z.string(), new_email: z.string() }),
});
type EmailChange = z.output<typeof emailChange.data>;

const validMilliseconds = 24 * 3600 * 1000;
/** How many links a user may request in how many seconds. */
const limits = [
  { links: 2, seconds: 3600 },
  { links: 5, seconds: 24 * 3600 },
];

export const confirmationPath = "/accounts/confirm_new_email";

/** `user` is the current, locked account; `siteUrl` is the organization's URL: see realmUrl(). Revokes earlier links. */
export async function startEmailChange(
  tx: Tx,
  ctx: TxContext,
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

/** Throws unless the user may change their address and the organization accepts this one. */
async function accessEmailChange(tx: Tx, { realm, role }: User, email: string): Promise<void> {
  if (realm.email_changes_disabled && role > roles.administrator)
    throw new ApiError("Email address changes are disabled in this organization.");
  const refusal = (await addressChecker(tx, realm))(email);
  if (refusal !== undefined) throw new ApiError(refusal);
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

/** The state of the change with this token; `open` when it can be made now. */
export async function peekEmailChange(db: Db, realm: Realm, token: string): Promise<Confirmation<EmailChange>> {
  const confirmation = await peekConfirmation(db, emailChange, realm, token);
  if (confirmation.state !== "open") return confirmation;
  const account = await accountById(db, confirmation.data.user_id);
  return account?.delivery_email === confirmation.data.old_email ? confirmation : { state: "revoked" };
}

/** Makes the change with this token and returns its state before: `open` when the change was made just now. */
export async function finishEmailChange(tx: Tx, realm: Realm, token: string): Promise<Confirmation<EmailChange>> {
  const confirmation = await consumeConfirmation(tx, emailChange, realm, token);
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
  const heading = `Confirm your new e-mail address for ${realm.name}`;
  return {
    subject: heading,
    ...composeMail({
      heading,
      paragraphs: [`Someone, probably you, asked to use ${email} for an account at ${realm.name} on Skein.`],
      action: { label: "Use this address", url },
      notes: [
        "The link works once and expires in a day.",
        "If this was not you, ignore this mail: nothing changes unless the link is used.",
      ],
    }),
  };
}

function noticeMail({ realm }: User, email: string) {
  const heading = `Your e-mail address for ${realm.name} has changed`;
  return {
    subject: heading,
    ...composeMail({
      heading,
      paragraphs: [`Your account at ${realm.name} on Skein now uses ${email} instead of this address.`],
      notes: [`If you did not make this change, contact the administrators of ${realm.name} at once.`],
    }),
  };
}
