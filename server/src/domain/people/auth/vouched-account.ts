/** Accounts of users whose e-mail address is vouched for by another program that the operator has configured as trusted. */
import type { Realm } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import {
  authenticationFailed,
  realmDeactivated,
  userDeactivated,
  type AuthenticatedAccount,
} from "./password-login.ts";

/** The account, or undefined. Throws when the account or its organization is deactivated. */
export async function findVouchedAccount(
  db: Db,
  realm: Realm,
  email: string,
): Promise<AuthenticatedAccount | undefined> {
  if (realm.deactivated) throw realmDeactivated();
  const account = await db
    .selectFrom("users")
    .select(["id", "realm_id", "delivery_email", "is_active"])
    .where("realm_id", "=", realm.id)
    .where((where) => where(where.fn("lower", ["delivery_email"]), "=", email.trim().toLowerCase()))
    .where("is_bot", "=", false)
    .executeTakeFirst();
  if (account && !account.is_active) throw userDeactivated();
  return account;
}

/** The same, but also throws when there is no account. */
export async function accessVouchedAccount(db: Db, realm: Realm, email: string): Promise<AuthenticatedAccount> {
  const account = await findVouchedAccount(db, realm, email);
  if (!account) throw authenticationFailed();
  return account;
}
