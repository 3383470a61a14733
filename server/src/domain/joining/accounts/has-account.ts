import type { Realm } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";

/** Whether this address has an account in the organization, active or not. */
export async function hasAccount(db: Db, realm: Realm, email: string): Promise<boolean> {
  const account = await db
    .selectFrom("users")
    .select("id")
    .where("realm_id", "=", realm.id)
    .where((where) => where(where.fn("lower", ["delivery_email"]), "=", email.toLowerCase()))
    .executeTakeFirst();
  return account !== undefined;
}
