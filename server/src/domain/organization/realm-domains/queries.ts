import type { RealmDomain } from "@skein/api/realm-domains.ts";
import type { Db } from "../../../platform/db/connect.ts";

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
