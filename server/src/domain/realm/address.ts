/** Where an organization is found. */
import { defaultHost, type Config } from "../../config.ts";

interface Hosted {
  host: string | null;
}

type ExternalAddress = Pick<Config, "externalUrl">;

/** Its host name; the domain of its stand-in e-mail addresses. */
export const realmHost = (config: ExternalAddress, realm: Hosted): string => realm.host ?? defaultHost(config);

/** Its address without a trailing slash. `origin` is the address the client used, which stands in for an unset one. */
export function realmUrl({ externalUrl }: ExternalAddress, realm: Hosted, origin: string): string {
  if (externalUrl === "") return origin;
  const url = new URL(externalUrl);
  if (realm.host !== null) url.hostname = realm.host;
  return url.href.replace(/\/+$/, "");
}

/** Its address where no request tells one: in mail, notices and other work done later. */
export function addressWithoutRequest(config: Config, realm: Hosted): string {
  return realmUrl(config, realm, `http://${realm.host ?? config.host}:${config.port}`);
}
