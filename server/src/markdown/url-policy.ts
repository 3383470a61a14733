/** Which URLs may become links, and how they are written. */
import { decodeEntities } from "./entities.ts";

const allowedSchemes: ReadonlySet<string> = new Set(
  (
    "http https ftp file bitcoin geo im irc ircs magnet mailto matrix mid mms news nntp openpgp4fpr sip sms smsto ssh tel " +
    "urn webcal wtai xmpp"
  ).split(" "),
);

/** Schemes whose URLs have a host and a path even without `//`. */
const schemesWithHost: ReadonlySet<string> = new Set("http https ftp file mms nntp sip ssh".split(" "));

export interface SplitUrl {
  /** Lowercase; empty when there is none. */
  scheme: string;
  host: string;
  path: string;
  query: string;
  fragment: string;
}

const schemePattern = /^[A-Za-z][A-Za-z0-9+.-]*:/;
const hostEnd = /[/?#]/;
// oxlint-disable-next-line no-control-regex -- these are the characters to remove
const controlsAtStart = /^[\0-\x20]+/;
const dropped = /[\t\r\n]/g;
// oxlint-disable-next-line no-control-regex -- see above
const isUnusual = /^[\0-\x20]|[\t\r\n]/;

/** Splits a URL as RFC 3986 does, without validating it. `undefined` when a bracket in the host is not closed. */
export function splitUrl(url: string): SplitUrl | undefined {
  let rest = isUnusual.test(url) ? url.replace(controlsAtStart, "").replaceAll(dropped, "") : url;
  const scheme = schemePattern.exec(rest)?.[0] ?? "";
  rest = rest.slice(scheme.length);
  let host = "";
  if (rest.startsWith("//")) {
    const end = rest.slice(2).search(hostEnd);
    host = end === -1 ? rest.slice(2) : rest.slice(2, end + 2);
    rest = rest.slice(2 + host.length);
    if (host.includes("[") !== host.includes("]")) return undefined;
  }
  const [beforeFragment, fragment] = cut(rest, "#");
  const [path, query] = cut(beforeFragment, "?");
  return { scheme: scheme.slice(0, -1).toLowerCase(), host, path, query, fragment };
}

function cut(text: string, separator: string): [string, string] {
  const index = text.indexOf(separator);
  return index === -1 ? [text, ""] : [text.slice(0, index), text.slice(index + 1)];
}

function joinUrl({ scheme, host, path, query, fragment }: SplitUrl): string {
  let url = path;
  if (host !== "" || (schemesWithHost.has(scheme) && !path.startsWith("//"))) {
    url = `//${host}${path === "" || path.startsWith("/") ? "" : "/"}${path}`;
  }
  if (scheme !== "") url = `${scheme}:${url}`;
  if (query !== "") url += `?${query}`;
  if (fragment !== "") url += `#${fragment}`;
  return url;
}

/** The URL to link to; empty for one that leads nowhere, `undefined` for one that must not be a link. */
function allowedUrl(typed: string): string | undefined {
  const url = typed.replaceAll(" ", "%20");
  const split = splitUrl(url);
  if (split === undefined) return "";
  const { scheme, host, path, query, fragment } = split;
  if (scheme === "") {
    if (host === "" && path.includes("@")) return joinUrl({ ...split, scheme: "mailto" });
    if (host === "" && path.startsWith("/")) return joinUrl(split);
    if (host === "" && path === "" && query === "" && fragment !== "") return joinUrl(split);
    return allowedUrl(joinUrlWithoutScheme(split));
  }
  return allowedSchemes.has(scheme) ? joinUrl(split) : undefined;
}

/** A name without a scheme is taken for a host. */
const joinUrlWithoutScheme = (split: SplitUrl): string =>
  split.host === "" ? `http://${joinUrl(split)}` : `http:${joinUrl(split)}`;

/** Whether a link may have this scheme: none, or one that cannot run code. */
export const isAllowedScheme = (scheme: string): boolean => scheme === "" || allowedSchemes.has(scheme.toLowerCase());

/**
 * The URL for a link's href, relative where it leads into the organization itself. Entities are decoded before the check,
 * and serialize.ts escapes all of it, so that the browser opens exactly the URL that was checked.
 */
export function toHref(typed: string, realmUrl: string | undefined): string | undefined {
  const url = allowedUrl(decodeEntities(typed));
  if (url === undefined || realmUrl === undefined || !url.startsWith(realmUrl)) return url;
  const local = url.slice(realmUrl.length);
  return local.startsWith("/#") || local.startsWith("/user_uploads/") ? local.slice(1) : url;
}
