/**
 * Resetting a password with a link sent by mail. A request takes the same steps for every address, so neither the response
 * nor its timing reveals whether there is an account; only the mail does.
 */
import { hash } from "node:crypto";
import type { Selectable } from "kysely";
import { z } from "zod";
import type { TxContext } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import { rateLimitHit } from "../../../http/rate-limit.ts";
import { accountById, type Realm, type User } from "../../../identity/account.ts";
import { lockKinds, lockName } from "../../../platform/db/advisory-locks.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { UsersTable } from "../../../platform/db/schema.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { revokeApiKeys } from "../../people/auth/api-keys.ts";
import { endBrowserSessions } from "../../people/auth/browser-sessions.ts";
import { clearLoginAttempts } from "../../people/auth/login-limit.ts";
import {
  countRecentConfirmations,
  createConfirmation,
  peekConfirmation,
  purpose,
  revokeConfirmations,
  consumeConfirmation,
} from "../../base/confirmations.ts";
import { sendMail } from "../../base/mail/send.ts";
import { realmUrlWithoutRequest } from "../../organization/realm/address.ts";
import { isEmail } from "../../base/email-address.ts";
import { noAccountMail, passwordChangedMail, resetMail } from "./mails.ts";

export const resetPath = "/accounts/password/reset";

const passwordReset = purpose({
  name: "password reset",
  data: z.strictObject({
    email: z.string(),
    /** Null when the address has no account; the mail says so. */
    user_id: z.int().nullable(),
    /** A hash of the current password's hash: once the password changes, the link stops working. */
    stamp: z.string(),
  }),
});

const validMilliseconds = 24 * 3600 * 1000;
/** How many mails one address may receive within this many seconds. */
const limits = [
  { mails: 2, seconds: 3600 },
  { mails: 5, seconds: 24 * 3600 },
];

export const stampOf = (passwordHash: string | null): string => hash("sha256", passwordHash ?? "", "base64url");

/** Throws if the address is invalid or was sent too many mails. */
export async function mailPasswordReset(tx: Tx, ctx: TxContext, realm: Realm, given: string): Promise<void> {
  const email = given.trim().toLowerCase();
  if (!isEmail(email)) throw new ApiError("Invalid address.");
  // Serializes requests for this address, so that each one counts the mails before it.
  await lockName(tx, lockKinds.resetMail, realm.id, email);
  if (ctx.config.rateLimits) await checkMailLimit(tx, realm, email);
  const account = await tx
    .selectFrom("users")
    .select(["id", "delivery_email", "password_hash"])
    .where("realm_id", "=", realm.id)
    .where((where) => where(where.fn("lower", ["delivery_email"]), "=", email))
    .where("is_active", "=", true)
    .where("is_bot", "=", false)
    .executeTakeFirst();
  // For an address without an account as well, so that both take the same time.
  const url = await createResetLink(tx, ctx, realm, { email, account });
  await sendMail(
    tx,
    realm,
    account
      ? resetMail(realm, account.delivery_email, url)
      : noAccountMail(realm, email, realmUrlWithoutRequest(ctx.config, realm)),
  );
}

type LinkContext = Pick<TxContext, "config">;
type LinkAccount = Pick<Selectable<UsersTable>, "id" | "password_hash">;

/** Returns the link's URL. It leads to the configured address, not to the Host header, which the requester could choose. */
async function createResetLink(
  tx: Tx,
  ctx: LinkContext,
  realm: Realm,
  { email, account }: { email: string; account: LinkAccount | undefined },
): Promise<string> {
  const token = await createConfirmation(tx, passwordReset, {
    realm,
    data: { email, user_id: account?.id ?? null, stamp: stampOf(account?.password_hash ?? null) },
    expiresAt: new Date(Date.now() + validMilliseconds),
  });
  return `${realmUrlWithoutRequest(ctx.config, realm)}${resetPath}/${token}/`;
}

/** By the operator, however many there were: a link for this account, mailed to it or handed over in another way. */
export async function createOperatorResetLink(
  tx: Tx,
  ctx: LinkContext,
  realm: Realm,
  account: Selectable<UsersTable>,
  { isMailed }: { isMailed: boolean },
): Promise<string> {
  if (account.is_bot) throw new ApiError("Bots have no password.");
  if (!account.is_active) throw new ApiError("Account is deactivated");
  const url = await createResetLink(tx, ctx, realm, { email: account.delivery_email.toLowerCase(), account });
  if (isMailed) await sendMail(tx, realm, resetMail(realm, account.delivery_email, url));
  return url;
}

async function checkMailLimit(tx: Tx, realm: Realm, email: string): Promise<void> {
  for (const { mails, seconds } of limits) {
    const count = await countRecentConfirmations(tx, passwordReset, realm, { seconds, data: { email } });
    if (count >= mails) throw rateLimitHit(seconds);
  }
}

export type LinkState = "used" | "revoked" | "expired" | "unknown";
export type ResetLink = { state: "open"; user: User } | { state: LinkState };

/** The account whose password the link can reset now. Does not use the link up. */
export async function peekReset(db: Db, realm: Realm, token: string): Promise<ResetLink> {
  const confirmation = await peekConfirmation(db, passwordReset, realm, token);
  return confirmation.state === "open" ? checkReset(db, confirmation.data) : confirmation;
}

async function checkReset(db: Db, { user_id, email, stamp }: z.output<typeof passwordReset.data>): Promise<ResetLink> {
  if (user_id === null) return { state: "unknown" };
  const user = await accountById(db, user_id);
  if (user?.delivery_email.toLowerCase() !== email) return { state: "revoked" };
  const { password_hash } = await db
    .selectFrom("users")
    .select("password_hash")
    .where("id", "=", user.id)
    .executeTakeFirstOrThrow();
  return stampOf(password_hash) === stamp ? { state: "open", user } : { state: "revoked" };
}

interface NewPassword {
  hash: string;
  /** Keeps the account's API keys valid, so that apps stay signed in. */
  keepsKeys: boolean;
}

/** Must run inside revoke(), since it ends sessions. Of several concurrent uses of a link, only one succeeds. */
export async function resetPassword(
  tx: Tx,
  realm: Realm,
  token: string,
  { hash: password_hash, keepsKeys }: NewPassword,
): Promise<ResetLink> {
  const taken = await consumeConfirmation(tx, passwordReset, realm, token);
  if (taken.state !== "open") return taken;
  await tx.selectFrom("users").select("id").where("id", "=", taken.data.user_id).forUpdate().execute();
  const reset = await checkReset(tx, taken.data);
  if (reset.state !== "open") return reset;
  const { user } = reset;
  await tx.updateTable("users").set({ password_hash }).where("id", "=", user.id).execute();
  await revokeConfirmations(tx, passwordReset, realm, { user_id: user.id });
  await endBrowserSessions(tx, user);
  if (!keepsKeys) await revokeApiKeys(tx, user);
  await clearLoginAttempts(tx, realm.id, user.delivery_email, "all");
  await sendMail(tx, realm, passwordChangedMail(realm, user.delivery_email));
  return reset;
}
