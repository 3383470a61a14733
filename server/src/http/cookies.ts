/** Reads and writes cookie headers. */

/** The value of the first cookie with this name. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  for (const pair of header?.split(";") ?? []) {
    const equals = pair.indexOf("=");
    if (equals >= 0 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim();
  }
  return undefined;
}

export interface Cookie {
  name: string;
  /** Only letters, digits, `-`, `_` and `.`, because it is not encoded. */
  value: string;
  /** Lifetime; 0 removes the cookie; if omitted, it lasts until the browser is closed. */
  seconds?: number;
  /** Sent over TLS only. */
  isSecure: boolean;
  /** Scripts may read it. */
  isReadable?: boolean;
}

/** SameSite=Lax: the cookie is not sent with requests of other sites' pages, except when the user follows a link. */
export function writeCookie({ name, value, seconds, isSecure, isReadable = false }: Cookie): string {
  return [
    `${name}=${value}`,
    "Path=/",
    ...(seconds === undefined ? [] : [`Max-Age=${seconds}`]),
    "SameSite=Lax",
    ...(isReadable ? [] : ["HttpOnly"]),
    ...(isSecure ? ["Secure"] : []),
  ].join("; ");
}
