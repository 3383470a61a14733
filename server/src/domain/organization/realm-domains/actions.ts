import type { RealmDomain } from "@skein/api/realm-domains.ts";
import { ApiError } from "../../../errors.ts";
import { toEveryone } from "../../../events/audience.ts";
import { emit } from "../../../events/emit.ts";
import type { User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { accessDomainsForUpdate, noSuchDomain } from "./access.ts";
import { checkDomain } from "./domain-name.ts";

/** Returns its id and the normalized domain. */
export async function addDomain(tx: Tx, actor: User, given: RealmDomain): Promise<{ id: number; domain: string }> {
  await accessDomainsForUpdate(tx, actor);
  const { realm_id } = actor;
  const realm_domain = { domain: checkDomain(given.domain), allow_subdomains: given.allow_subdomains };
  const added = await tx
    .insertInto("realm_domains")
    .values({ realm_id, ...realm_domain })
    .onConflict((conflict) => conflict.doNothing())
    .returning(["id", "domain"])
    .executeTakeFirst();
  if (!added) throw new ApiError(`The domain ${realm_domain.domain} is already a part of your organization.`);
  emit(tx, realm_id, toEveryone, { type: "realm_domains", op: "add", realm_domain });
  return added;
}

export async function updateDomain(tx: Tx, actor: User, given: RealmDomain): Promise<void> {
  await accessDomainsForUpdate(tx, actor);
  const { realm_id } = actor;
  const realm_domain = { domain: given.domain.toLowerCase(), allow_subdomains: given.allow_subdomains };
  const changed = await tx
    .updateTable("realm_domains")
    .set({ allow_subdomains: realm_domain.allow_subdomains })
    .where("realm_id", "=", realm_id)
    .where("domain", "=", realm_domain.domain)
    .returning("id")
    .executeTakeFirst();
  if (!changed) throw noSuchDomain(given.domain);
  emit(tx, realm_id, toEveryone, { type: "realm_domains", op: "change", realm_domain });
}

/** Removing the last domain also lifts the restriction to domains, which would otherwise keep everyone out. */
export async function removeDomain(tx: Tx, actor: User, given: string): Promise<void> {
  const realm = await accessDomainsForUpdate(tx, actor);
  const { realm_id } = actor;
  const removed = await tx
    .deleteFrom("realm_domains")
    .where("realm_id", "=", realm_id)
    .where("domain", "=", given.toLowerCase())
    .returning("domain")
    .executeTakeFirst();
  if (!removed) throw noSuchDomain(given);
  emit(tx, realm_id, toEveryone, { type: "realm_domains", op: "remove", domain: removed.domain });
  const left = await tx.selectFrom("realm_domains").select("id").where("realm_id", "=", realm_id).limit(1).execute();
  if (left.length > 0 || !realm.emails_restricted_to_domains) return;
  await tx.updateTable("realms").set({ emails_restricted_to_domains: false }).where("id", "=", realm_id).execute();
  const property = "emails_restricted_to_domains";
  emit(tx, realm_id, toEveryone, { type: "realm", op: "update", property, value: false });
}
