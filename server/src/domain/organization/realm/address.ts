/** The host name and URL of an organization. */
import { defaultHost, type Config } from "../../../config.ts";

interface Hosted {
  host: string | null;
}

type ExternalAddress = Pick<Config, "externalUrl">;

/** Its host name, which is also the domain of its placeholder e-mail addresses. */
export const realmHost = (config: ExternalAddress, realm: Hosted): string => realm.host ?? defaultHost(config);

/** Its URL without a trailing slash. `origin`, the URL the client used, is the fallback when none is configured. */
export function realmUrl({ externalUrl }: ExternalAddress, realm: Hosted, origin: string): string {
  if (externalUrl === "") return origin;
  const url = new URL(externalUrl);
  if (realm.host !== null) url.hostname = realm.host;
  return url.href.replace(/\/+$/, "");
}

/** Its URL where there is no request to take the origin from: in mail, notices and jobs. */
export function realmUrlWithoutRequest(config: Config, realm: Hosted): string {
  return realmUrl(config, realm, `http://${realm.host ?? config.host}:${config.port}`);
}
