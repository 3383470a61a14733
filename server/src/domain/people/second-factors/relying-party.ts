/** What passkeys are made for: an organization's host. One of another host is not accepted, even of the same server. */
import type { Config } from "../../../config.ts";
import type { Realm } from "../../../identity/account.ts";
import { realmUrl } from "../../organization/realm/address.ts";

export interface RelyingParty {
  /** The host name. */
  id: string;
  /** The only origin whose pages may use the passkeys. */
  origin: string;
  name: string;
}

export function relyingParty(config: Config, realm: Realm, requestOrigin: string): RelyingParty {
  const { hostname, origin } = new URL(realmUrl(config, realm, requestOrigin));
  return { id: hostname, origin, name: realm.name };
}
