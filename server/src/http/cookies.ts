/** Cookies, as headers have them. */

/** The value of the first cookie of this name. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  for (const pair of header?.split(";") ?? []) {
    const equals = pair.indexOf("=");
    if (equals >= 0 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim();
  }
  return undefined;
}

export interface Cookie {
  name: string;
  /** Of letters, digits, `-`, `_` and `.`: nothing here is encoded. */
  value: string;
  /** How long it is kept; 0 takes it away; left out: until the browser is closed. */
  seconds?: number;
  /** Sent over TLS alone. */
  isSecure: boolean;
  /** Scripts of our own pages may read it. */
  isReadable?: boolean;
}

/** Never sent by what another site's page does, but by following a link from there. */
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
