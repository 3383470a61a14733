/** The settings of an LDAP provider: as owners give them, as they are stored, and as they are returned. */
import { X509Certificate } from "node:crypto";
import {
  syncGuard,
  syncMinutes,
  type IdentityProvider,
  type updateIdentityProvider,
} from "@skein/api/identity-providers.ts";
import type { ParamsOf } from "@skein/api/endpoint.ts";
import { z } from "zod";
import { ApiError } from "../../../errors.ts";
import type { ProviderRow } from "../identity-providers/queries.ts";
import { everybodyFilter, fillFilter, isFilter, personFilter } from "./filters.ts";

const storedSettings = z.object({
  url: z.string(),
  start_tls: z.boolean(),
  ca_certificate: z.string(),
  bind_dn: z.string(),
  user_base: z.string(),
  user_filter: z.string(),
  email_attribute: z.string(),
  name_attribute: z.string(),
  id_attribute: z.string(),
  group_base: z.string(),
  group_filter: z.string(),
  nested_groups: z.boolean(),
  sync: z.object({
    is_enabled: z.boolean(),
    interval_minutes: z.int(),
    deactivates_missing: z.boolean(),
    max_deactivations: z.int(),
    max_deactivation_percent: z.int(),
  }),
});
export type LdapSettings = z.output<typeof storedSettings>;
export type SyncResult = NonNullable<NonNullable<IdentityProvider["ldap"]>["sync"]["last_result"]>;

type Given = NonNullable<ParamsOf<typeof updateIdentityProvider>["ldap"]>;

export const ldapSettingsOf = (row: Pick<ProviderRow, "settings">): LdapSettings => storedSettings.parse(row.settings);

const unset: LdapSettings = {
  url: "",
  start_tls: false,
  ca_certificate: "",
  bind_dn: "",
  user_base: "",
  user_filter: "",
  email_attribute: "",
  name_attribute: "",
  id_attribute: "",
  group_base: "",
  group_filter: "(member={dn})",
  nested_groups: true,
  sync: {
    is_enabled: false,
    interval_minutes: syncMinutes.default,
    deactivates_missing: true,
    max_deactivations: syncGuard.people,
    max_deactivation_percent: syncGuard.percent,
  },
};

export interface ReadSettings {
  settings: LdapSettings;
  /** Undefined: as it was. */
  bindPassword: string | undefined;
}

/** The new settings. Throws unless they are complete. */
export function readLdapSettings(given: Given = {}, old: ProviderRow | undefined): ReadSettings {
  const { bind_password: bindPassword, sync, ...rest } = given;
  const before = old ? ldapSettingsOf(old) : unset;
  const settings: LdapSettings = {
    ...before,
    ...trimmed(rest),
    sync: { ...before.sync, ...defined(sync ?? {}) },
  };
  checkUrl(settings);
  checkCertificates(settings.ca_certificate);
  checkPeople(settings);
  checkGroups(settings);
  checkAccount(settings, bindPassword, old);
  return { settings, bindPassword };
}

const defined = <T extends object>(given: T): Partial<{ [K in keyof T]: Exclude<T[K], undefined> }> =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Partial<{
    [K in keyof T]: Exclude<T[K], undefined>;
  }>; // without the fields that are undefined

const trimmed = <T extends object>(given: T) =>
  defined(
    Object.fromEntries(
      Object.entries(given).map(([name, value]) => [name, typeof value === "string" ? value.trim() : value]),
    ) as T, // the same fields
  );

const loopback = ["localhost", "127.0.0.1", "[::1]"];

function checkUrl({ url: text, start_tls }: LdapSettings): void {
  const url = URL.parse(text);
  if (!url || !/^ldaps?:$/.test(url.protocol) || url.hostname === "")
    throw new ApiError("ldap.url must begin with ldaps:// or ldap://");
  if (url.username !== "" || url.password !== "" || !/^\/?$/.test(url.pathname) || url.search !== "")
    throw new ApiError("ldap.url must contain a host and a port, and nothing else.");
  if (url.protocol === "ldaps:" && start_tls) throw new ApiError("ldap.start_tls is for ldap:// URLs only.");
  if (url.protocol === "ldap:" && !start_tls && !loopback.includes(url.hostname))
    throw new ApiError("ldap.url must begin with ldaps://, or ldap.start_tls must be set: passwords are sent there.");
}

function checkCertificates(pem: string): void {
  if (pem === "") return;
  const certificates = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (certificates.length === 0 || !certificates.every(isCertificate))
    throw new ApiError("ldap.ca_certificate must contain certificates as PEM text.");
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}

const isAttribute = (name: string): boolean => /^[a-z][a-z0-9-]*$/i.test(name);
const isDn = (text: string): boolean => /^[a-z0-9.-]+\s*=/i.test(text);

function checkPeople(settings: LdapSettings): void {
  const { user_base, user_filter } = settings;
  if (!isDn(user_base)) throw new ApiError("ldap.user_base must be a DN, such as ou=people,dc=example,dc=com.");
  if (!user_filter.includes("{login}")) throw new ApiError("ldap.user_filter must contain {login}.");
  if (!isFilter(personFilter(user_filter, "x")) || !isFilter(everybodyFilter(user_filter)))
    throw new ApiError("ldap.user_filter is no LDAP filter.");
  for (const name of ["email_attribute", "name_attribute", "id_attribute"] as const)
    if (settings[name] !== "" && !isAttribute(settings[name])) throw new ApiError(`ldap.${name} is no attribute.`);
}

function checkGroups({ group_base, group_filter }: LdapSettings): void {
  if (group_base !== "" && !isDn(group_base)) throw new ApiError("ldap.group_base must be a DN, or empty.");
  if (!/\{(?:dn|uid)\}/.test(group_filter)) throw new ApiError("ldap.group_filter must contain {dn} or {uid}.");
  if (!isFilter(fillFilter(group_filter, { dn: "x", uid: "x" })))
    throw new ApiError("ldap.group_filter is no LDAP filter.");
}

/** A name without a password would be an anonymous bind that looks like a successful one. */
function checkAccount(
  { bind_dn, url }: LdapSettings,
  password: string | undefined,
  old: ProviderRow | undefined,
): void {
  const hasPassword = password === undefined ? (old?.sealed_client_secret ?? "") !== "" : password !== "";
  if (hasPassword !== (bind_dn !== ""))
    throw new ApiError("ldap.bind_dn and ldap.bind_password belong together: set both, or neither.");
  // Whoever changes the URL must know the password, because it is sent there.
  if (old && hasPassword && password === undefined && ldapSettingsOf(old).url !== url)
    throw new ApiError("Enter ldap.bind_password again when you change ldap.url.");
}

/** People are named by this attribute; another one is another name space. */
export const issuerOf = ({ id_attribute }: LdapSettings): string => `ldap:${id_attribute.toLowerCase()}`;

export const takesOverGroups = (row: ProviderRow): boolean =>
  row.groups_claim !== "" || (row.kind === "ldap" && ldapSettingsOf(row).group_base !== "");

export function toLdapObject(row: ProviderRow, last_result: SyncResult | null): NonNullable<IdentityProvider["ldap"]> {
  const { sync, ...settings } = ldapSettingsOf(row);
  return { ...settings, has_bind_password: row.sealed_client_secret !== "", sync: { ...sync, last_result } };
}
