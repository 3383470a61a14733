/** How the settings of an identity provider are written in a form. */
import type { UserGroup } from "@skein/api/user-groups.ts";

type Named = Pick<UserGroup, "id" | "name">;

/** Separated by spaces, commas or lines. */
export const words = (text: string): string[] => text.split(/[\s,]+/).filter((word) => word !== "");

/** A key for a provider of this name: it becomes part of URLs. */
export const keyOf = (name: string): string =>
  name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 40);

/** The certificates in a text: PEM texts one after another, or base64 without their frame, separated by empty lines. */
export function splitCertificates(text: string): string[] {
  const framed = text.match(/-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gs);
  const parts = framed ?? text.split(/\n\s*\n/);
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

/** Messages of the server that do not begin with the setting that they are about. */
const hints: readonly [beginning: string, setting: string][] = [
  ["There is already an identity provider with the key", "key"],
  ["Enter ldap.bind_password again", "ldap.bind_password"],
  ["Invalid domain", "allowed_domains"],
  ["Invalid scope", "scopes"],
  ["Invalid user group ID", "group_map"],
];

/** The setting that a message of the server is about: its first word, such as `saml.sso_url` or `saml["sso_url"]`. */
export function settingOf(message: string): string | undefined {
  const hint = hints.find(([beginning]) => message.startsWith(beginning));
  const [, name] = /^([a-z_]+(?:\.[a-z_]+|\["[a-z_]+"\])*)[ []/.exec(message) ?? [];
  return hint?.[1] ?? name?.replaceAll(/\["([a-z_]+)"\]/g, ".$1");
}

/** One group a line: the provider's name of it, an equals sign, and our name. */
export const showGroupMap = (map: Readonly<Record<string, number>>, groups: readonly Named[]): string =>
  Object.entries(map)
    .map(([theirs, id]) => `${theirs} = ${groups.find((group) => group.id === id)?.name ?? id}`)
    .join("\n");

/** The other way round; `unknown` is the first line that names no group of ours. */
export function readGroupMap(
  text: string,
  groups: readonly Named[],
): { ids: Record<string, number> } | { unknown: string } {
  const ids: Record<string, number> = {};
  for (const line of text.split("\n").filter((each) => each.trim() !== "")) {
    // Their names may contain equals signs, as those of LDAP do.
    const at = line.lastIndexOf("=");
    const [theirs, ours] = [line.slice(0, Math.max(at, 0)).trim(), line.slice(at + 1).trim()];
    const group = groups.find(({ id, name }) => name === ours || String(id) === ours);
    if (at < 0 || theirs === "" || !group) return { unknown: line.trim() };
    ids[theirs] = group.id;
  }
  return { ids };
}
