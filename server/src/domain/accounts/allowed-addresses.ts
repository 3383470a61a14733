/** Which addresses may have accounts, by what the organization has set. */
import type { Realm } from "../../http/sessions.ts";
import type { Db } from "../../platform/db/connect.ts";
import { isOfDomains, listDomains } from "../realm-domains/queries.ts";
import { isEmail } from "../users/email.ts";
import { isDisposable } from "./disposable-domains.ts";

type Objection = (address: string) => string | undefined;

/** Tells why an address may not join; nothing when it may. Where domains are chosen, the choice is all that counts. */
export async function addressObjection(db: Db, realm: Realm): Promise<Objection> {
  const domains = realm.emails_restricted_to_domains ? await listDomains(db, realm.id) : undefined;
  return (address) => {
    if (!isEmail(address)) return "Invalid address.";
    if (domains) return isOfDomains(domains, address) ? undefined : "Outside the organization's domains.";
    return realm.disallow_disposable_email_addresses && isDisposable(address)
      ? "Disposable addresses may not join."
      : undefined;
  };
}
