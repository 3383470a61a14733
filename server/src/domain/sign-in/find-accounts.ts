/** Which organizations of this server somebody has an account with. Only the mailbox itself is told. */
import type { Context } from "../../context.ts";
import { ApiError } from "../../errors.ts";
import type { Realm } from "../../http/sessions.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { sendMail } from "../mail/send.ts";
import { addressWithoutRequest } from "../realm/address.ts";
import { isEmail } from "../users/email.ts";
import { foundAccountsMail } from "./mails.ts";

/** `realm` is where it was asked. */
export async function mailFoundAccounts(tx: Tx, ctx: Context, realm: Realm, given: string): Promise<void> {
  const email = given.trim().toLowerCase();
  if (!isEmail(email)) throw new ApiError("Invalid address.");
  const realms = await tx
    .selectFrom("users")
    .innerJoin("realms", "realms.id", "users.realm_id")
    .select(["realms.name", "realms.host"])
    .where((where) => where(where.fn("lower", ["users.delivery_email"]), "=", email))
    .where("users.is_active", "=", true)
    .where("users.is_bot", "=", false)
    .where("realms.deactivated", "=", false)
    .orderBy("realms.name")
    .execute();
  const found = realms.map((one) => ({ realm: one.name, url: `${addressWithoutRequest(ctx.config, one)}/login/` }));
  await sendMail(tx, realm, foundAccountsMail(email, found));
}
