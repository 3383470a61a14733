import { roles } from "@skein/api/users.ts";
import { ApiError } from "../../../errors.ts";
import type { Realm, User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";

/** The organization, locked until the transaction ends, for an owner who changes its domains. */
export async function accessDomainsForUpdate(tx: Tx, user: User): Promise<Pick<Realm, "emails_restricted_to_domains">> {
  if (user.role !== roles.owner) throw new ApiError("Must be an organization owner");
  return tx
    .selectFrom("realms")
    .select("emails_restricted_to_domains")
    .where("id", "=", user.realm_id)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
}

export const noSuchDomain = (domain: string) => new ApiError(`No entry found for domain ${domain}.`);
