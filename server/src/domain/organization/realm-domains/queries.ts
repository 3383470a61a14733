import type { RealmDomain } from "@skein/api/realm-domains.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { User } from "../../../identity/account.ts";

export const listDomains = (db: Db, realmId: number): Promise<RealmDomain[]> =>
  db
    .selectFrom("realm_domains")
    .select(["domain", "allow_subdomains"])
    .where("realm_id", "=", realmId)
    .orderBy("id")
    .execute();

/** Whether an e-mail address belongs to one of the domains. */
export function isOfDomains(domains: readonly RealmDomain[], email: string): boolean {
  const domain = email.slice(email.lastIndexOf("@") + 1).toLowerCase();
  return domains.some(
    (known) => domain === known.domain || (known.allow_subdomains && domain.endsWith(`.${known.domain}`)),
  );
}

/** 0 if there is no such domain. */
export async function domainId(db: Db, { realm_id }: Pick<User, "realm_id">, domain: string): Promise<number> {
  const row = await db
    .selectFrom("realm_domains")
    .select("id")
    .where("realm_id", "=", realm_id)
    .where("domain", "=", domain.toLowerCase())
    .executeTakeFirst();
  return row?.id ?? 0;
}
