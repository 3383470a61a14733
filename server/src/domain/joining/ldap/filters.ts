/** LDAP filters (RFC 4515) with placeholders, and names of entries (RFC 4514). */
import { FilterParser } from "ldapts";

/** Nothing that somebody types can end the value, or match more than itself. */
const escapeValue = (text: string): string =>
  text.replaceAll(/[\0()*\\]/g, (sign) => `\\${sign.charCodeAt(0).toString(16).padStart(2, "0")}`);

/** Puts values into a filter's placeholders. */
export const fillFilter = (filter: string, values: Readonly<Record<string, string>>): string =>
  filter.replaceAll(/\{([a-z]+)\}/g, (whole, name: string) => {
    const value = values[name];
    return value === undefined ? whole : escapeValue(value);
  });

/** The filter for one person, as somebody names them. */
export const personFilter = (filter: string, login: string): string => fillFilter(filter, { login });
/** The filter for all people. */
export const everybodyFilter = (filter: string): string => filter.replaceAll("{login}", "*");

export function isFilter(text: string): boolean {
  try {
    FilterParser.parseString(text);
    return text.startsWith("(");
  } catch {
    return false;
  }
}

/** For comparing names of entries: neither case nor spaces around separators matter. */
export const normalizeDn = (dn: string): string => dn.toLowerCase().replaceAll(/\s*([,=+])\s*/g, "$1");

export const isUnder = (dn: string, base: string): boolean =>
  normalizeDn(dn) === normalizeDn(base) || normalizeDn(dn).endsWith(`,${normalizeDn(base)}`);

/** `crew` of `cn=crew,ou=groups,dc=example,dc=com`. */
export function firstValue(dn: string): string {
  const [, value = ""] = /^[^=]*=((?:\\.|[^,+\\])*)/.exec(dn) ?? [];
  const escaped = value.trim().replaceAll(/(?:\\[0-9a-f]{2})+/gi, (hex) => {
    return Buffer.from(hex.replaceAll("\\", ""), "hex").toString();
  });
  return escaped.replaceAll(/\\(.)/g, "$1");
}
