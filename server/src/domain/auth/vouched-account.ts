/** Somebody whose address another program vouches for, which the operator has told us to believe. */
import type { Realm } from "../../http/sessions.ts";
import type { Db } from "../../platform/db/connect.ts";
import { authenticationFailed, realmDeactivated, userDeactivated, type ProvenAccount } from "./password-login.ts";

/** The person's account; undefined where there is none. Throws for one that may not act. */
export async function findVouchedAccount(db: Db, realm: Realm, email: string): Promise<ProvenAccount | undefined> {
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

/** The same; throws where there is none, too. */
export async function accessVouchedAccount(db: Db, realm: Realm, email: string): Promise<ProvenAccount> {
  const account = await findVouchedAccount(db, realm, email);
  if (!account) throw authenticationFailed();
  return account;
}
