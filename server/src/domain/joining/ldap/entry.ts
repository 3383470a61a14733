/** What an entry of a directory says about a person. */
import type { Entry } from "ldapts";
import { readClaims, type Person } from "../identity-providers/person.ts";
import type { LdapSettings } from "./settings.ts";

const usualNames = {
  email: ["mail"],
  name: ["displayName", "cn"],
  id: ["entryUUID", "objectGUID"],
};

const chosen = (name: string, usual: readonly string[]): readonly string[] => (name === "" ? usual : [name]);

const namesOf = ({ email_attribute, name_attribute, id_attribute }: LdapSettings) => ({
  email: chosen(email_attribute, usualNames.email),
  name: chosen(name_attribute, usualNames.name),
  id: chosen(id_attribute, usualNames.id),
});

/** What is asked for. */
export const attributesOf = (settings: LdapSettings, groupsClaim: string): string[] => {
  const { email, name, id } = namesOf(settings);
  const others = ["givenName", "sn", "uid", "userAccountControl", ...(groupsClaim === "" ? [] : [groupsClaim])];
  return [...new Set([...email, ...name, ...id, ...others])];
};

type Value = string | Buffer;

function valuesOf(entry: Entry, name: string): Value[] {
  const key = Object.keys(entry).find((each) => each !== "dn" && each.toLowerCase() === name.toLowerCase());
  return key === undefined ? [] : [entry[key] ?? []].flat();
}

export const textsOf = (entry: Entry, name: string): string[] =>
  valuesOf(entry, name).filter((value) => typeof value === "string");

/** As tools of Active Directory show it: the first three parts are stored with their bytes reversed. */
function toGuid(bytes: Buffer): string {
  const part = (from: number, to: number) => bytes.subarray(from, to);
  const parts = [part(0, 4).toReversed(), part(4, 6).toReversed(), part(6, 8).toReversed(), part(8, 10), part(10, 16)];
  return parts.map((each) => Buffer.from(each).toString("hex")).join("-");
}

/** The same, in the order in which a search needs the bytes. */
function fromGuid(text: string): Buffer {
  const bytes = Buffer.from(text.replaceAll("-", ""), "hex");
  const part = (from: number, to: number) => bytes.subarray(from, to);
  return Buffer.concat([part(0, 4).toReversed(), part(4, 6).toReversed(), part(6, 8).toReversed(), part(8, 16)]);
}

const isGuid = (name: string): boolean => name.toLowerCase() === "objectguid";

/** The one value that identifies the person; undefined if there is none, or several. */
export function idOf(settings: LdapSettings, entry: Entry): string | undefined {
  for (const name of namesOf(settings).id) {
    const [value, ...others] = valuesOf(entry, name);
    if (value === undefined) continue;
    if (others.length > 0) return undefined;
    if (typeof value === "string") return value;
    return isGuid(name) && value.length === 16 ? toGuid(value) : value.toString("hex");
  }
  return undefined;
}

/** By which attribute and value an entry with this id can be searched for, in the order of likelihood. */
export const waysToFind = (settings: LdapSettings, id: string): { attribute: string; value: string | Buffer }[] =>
  namesOf(settings).id.map((attribute) => ({ attribute, value: isGuid(attribute) ? fromGuid(id) : id }));

/** In Active Directory: ACCOUNTDISABLE. */
export const isDisabled = (entry: Entry): boolean =>
  textsOf(entry, "userAccountControl").some((flags) => (Number(flags) & 2) !== 0);

/** Throws a ProviderProblem unless the entry says who it is. */
export function toPerson(
  settings: LdapSettings,
  entry: Entry,
  { issuer, groups }: Pick<Person, "issuer" | "groups">,
): Person {
  const names = namesOf(settings);
  const addresses = names.email.flatMap((name) => textsOf(entry, name));
  const first = (list: readonly string[]): string | undefined =>
    list.flatMap((name) => textsOf(entry, name)).find((text) => text.trim() !== "");
  const claims = {
    sub: idOf(settings, entry),
    // Several addresses do not say which one counts.
    email: addresses.length === 1 ? addresses[0] : undefined,
    // The organization has chosen the directory, and which domains it may vouch for.
    email_verified: true,
    name: first(names.name),
    given_name: first(["givenName"]),
    family_name: first(["sn"]),
  };
  return { ...readClaims(claims, "the entry"), issuer, sid: undefined, groups };
}
