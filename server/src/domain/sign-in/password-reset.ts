/**
 * A new password for who can read the account's mail. Asking takes the same steps for every address, so that neither
 * the answer nor its time tells whether there is an account; the mail does.
 */
import { hash } from "node:crypto";
import { sql } from "kysely";
import { z } from "zod";
import type { Context } from "../../context.ts";
import { ApiError } from "../../errors.ts";
import { rateLimitHit } from "../../http/rate-limit.ts";
import { accountById, type Realm, type User } from "../../http/sessions.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { endBrowserSessions } from "../auth/browser-sessions.ts";
import { clearLoginTries } from "../auth/login-limit.ts";
import {
  countRecentConfirmations,
  createConfirmation,
  peekConfirmation,
  purpose,
  revokeConfirmations,
  takeConfirmation,
} from "../confirmations/confirmations.ts";
import { sendMail } from "../mail/send.ts";
import { addressWithoutRequest } from "../realm/address.ts";
import { isEmail } from "../users/email.ts";
import { noAccountMail, passwordChangedMail, resetMail } from "./mails.ts";

export const resetPath = "/accounts/password/reset";

const passwordReset = purpose({
  name: "password reset",
  data: z.strictObject({
    email: z.string(),
    /** Nobody's: who reads the mail was told. */
    user_id: z.int().nullable(),
    /** Stands for the password there was: once there is another the link is of no use. */
    stamp: z.string(),
  }),
});

const validMilliseconds = 24 * 3600 * 1000;
/** How many mails one address may be sent, in how many seconds. */
const limits = [
  { mails: 2, seconds: 3600 },
  { mails: 5, seconds: 24 * 3600 },
];

const stampOf = (passwordHash: string | null): string => hash("sha256", passwordHash ?? "", "base64url");

/** Throws for what is no address, and for one that was sent too many. */
export async function mailPasswordReset(tx: Tx, ctx: Context, realm: Realm, given: string): Promise<void> {
  const email = given.trim().toLowerCase();
  if (!isEmail(email)) throw new ApiError("Invalid address.");
  // Whoever else asks for this address waits until this is counted.
  await sql`select pg_advisory_xact_lock(${realm.id}::int, hashtext(${email}))`.execute(tx);
  if (ctx.config.rateLimits) await refuseTooMany(tx, realm, email);
  const account = await tx
    .selectFrom("users")
    .select(["id", "delivery_email", "password_hash"])
    .where("realm_id", "=", realm.id)
    .where((where) => where(where.fn("lower", ["delivery_email"]), "=", email))
    .where("is_active", "=", true)
    .where("is_bot", "=", false)
    .executeTakeFirst();
  const token = await createConfirmation(tx, passwordReset, {
    realm,
    data: { email, user_id: account?.id ?? null, stamp: stampOf(account?.password_hash ?? null) },
    expiresAt: new Date(Date.now() + validMilliseconds),
  });
  // What the request says of our address is not to be trusted: whoever asks would choose where the link leads.
  const siteUrl = addressWithoutRequest(ctx.config, realm);
  await sendMail(
    tx,
    realm,
    account
      ? resetMail(realm, account.delivery_email, `${siteUrl}${resetPath}/${token}/`)
      : noAccountMail(realm, email, siteUrl),
  );
}

async function refuseTooMany(tx: Tx, realm: Realm, email: string): Promise<void> {
  for (const { mails, seconds } of limits) {
    const count = await countRecentConfirmations(tx, passwordReset, realm, { seconds, data: { email } });
    if (count >= mails) throw rateLimitHit(seconds);
  }
}

export type LinkState = "used" | "revoked" | "expired" | "unknown";
export type Resettable = { state: "open"; user: User } | { state: LinkState };

/** Whose password the link may change now. */
export async function peekReset(db: Db, realm: Realm, token: string): Promise<Resettable> {
  const confirmation = await peekConfirmation(db, passwordReset, realm, token);
  return confirmation.state === "open" ? judge(db, confirmation.data) : confirmation;
}

async function judge(db: Db, { user_id, email, stamp }: z.output<typeof passwordReset.data>): Promise<Resettable> {
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

/** Inside revoke(): whoever was signed in is so no longer. Of several who use one link at once, one does. */
export async function resetPassword(tx: Tx, realm: Realm, token: string, newHash: string): Promise<Resettable> {
  const taken = await takeConfirmation(tx, passwordReset, realm, token);
  if (taken.state !== "open") return taken;
  await tx.selectFrom("users").select("id").where("id", "=", taken.data.user_id).forUpdate().execute();
  const judged = await judge(tx, taken.data);
  if (judged.state !== "open") return judged;
  const { user } = judged;
  await tx.updateTable("users").set({ password_hash: newHash }).where("id", "=", user.id).execute();
  await revokeConfirmations(tx, passwordReset, realm, { user_id: user.id });
  await endBrowserSessions(tx, user);
  await clearLoginTries(tx, realm.id, user.delivery_email);
  await sendMail(tx, realm, passwordChangedMail(realm, user.delivery_email));
  return judged;
}
