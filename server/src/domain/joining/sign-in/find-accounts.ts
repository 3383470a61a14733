/** Finding the organizations that an e-mail address has accounts in. The result goes to that address only. */
import type { TxContext } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import type { Realm } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { sendMail } from "../../base/mail/send.ts";
import { realmUrlWithoutRequest } from "../../organization/realm/address.ts";
import { isEmail } from "../../base/email-address.ts";
import { foundAccountsMail } from "./mails.ts";

/** `realm` is the organization whose page was used. */
export async function mailFoundAccounts(tx: Tx, ctx: TxContext, realm: Realm, given: string): Promise<void> {
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
  const found = realms.map((one) => ({ realm: one.name, url: `${realmUrlWithoutRequest(ctx.config, one)}/login/` }));
  await sendMail(tx, realm, foundAccountsMail(email, found));
}
