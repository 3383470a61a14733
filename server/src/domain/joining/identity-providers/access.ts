import { roles } from "@skein/api/users.ts";
import { ApiError } from "../../../errors.ts";
import type { Realm, User } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { accessAdministration } from "../../people/users/access.ts";
import type { ProviderRow } from "./queries.ts";

/**
 * The organization, locked until the transaction ends, for an owner who changes its providers. Administrators may not: whoever
 * controls a provider can sign in as anybody whose address it may vouch for, owners included.
 */
export async function accessProvidersForUpdate(tx: Tx, user: User): Promise<Realm> {
  if (user.role !== roles.owner) throw new ApiError("Must be an organization owner");
  return tx.selectFrom("realms").selectAll().where("id", "=", user.realm_id).forNoKeyUpdate().executeTakeFirstOrThrow();
}

/** For an administrator. */
export async function accessProvider(db: Db, user: User, id: number): Promise<ProviderRow> {
  accessAdministration(user);
  const row = await db
    .selectFrom("identity_providers")
    .selectAll()
    .where("realm_id", "=", user.realm_id)
    .where("id", "=", id)
    .executeTakeFirst();
  if (!row) throw new ApiError("Identity provider does not exist.", { status: 404 });
  return row;
}
