/** Where an organization is found. */
import type { Config } from "../../config.ts";

interface Hosted {
  host: string | null;
}

type ExternalAddress = Pick<Config, "externalUrl">;

/** Its host name; the domain of its stand-in e-mail addresses. */
export function realmHost({ externalUrl }: ExternalAddress, realm: Hosted): string {
  return realm.host ?? (externalUrl === "" ? "localhost" : new URL(externalUrl).hostname);
}

/** Its address without a trailing slash. `origin` is the address the client used, which stands in for an unset one. */
export function realmUrl({ externalUrl }: ExternalAddress, realm: Hosted, origin: string): string {
  if (externalUrl === "") return origin;
  const url = new URL(externalUrl);
  if (realm.host !== null) url.hostname = realm.host;
  return url.href.replace(/\/+$/, "");
}
