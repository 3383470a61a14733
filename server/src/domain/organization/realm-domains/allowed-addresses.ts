/** Which e-mail addresses may have accounts, according to the organization's settings. */
import type { Realm } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { isOfDomains, listDomains } from "./queries.ts";
import { isEmail } from "../../base/email-address.ts";
import { disposableAddresses } from "./disposable-domains.ts";

/** Returns the reason why an address is not accepted, or undefined. */
type AddressCheck = (address: string) => string | undefined;

/** When the organization is restricted to domains, these alone decide; otherwise it may refuse disposable addresses. */
export async function addressChecker(db: Db, realm: Realm): Promise<AddressCheck> {
  const domains = realm.emails_restricted_to_domains ? await listDomains(db, realm.id) : undefined;
  const isDisposable = realm.disallow_disposable_email_addresses && !domains ? await disposableAddresses() : undefined;
  return (address) => {
    if (!isEmail(address)) return "Invalid address.";
    if (domains)
      return isOfDomains(domains, address)
        ? undefined
        : "This organization does not accept e-mail addresses of this domain.";
    return isDisposable?.(address) === true ? "Disposable e-mail addresses are not accepted." : undefined;
  };
}
