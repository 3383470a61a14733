/** Single sign-on: the identity providers at which the people of an organization sign in. */
import { z } from "zod";
import { endpoint, fewValues, json, list, textUpTo } from "./endpoint.ts";

const area = "Single sign-on";

export const maxProviders = 100;
const maxName = 50;
const maxUrl = 500;
const maxClaim = 200;
const maxFilter = 1000;
const maxDomains = 100;

const maxCertificates = 10;
const maxCertificate = 10_000;
/** Federations publish larger ones, about many providers. */
const maxMetadata = 100_000;

/** What a sync may be told. */
export const syncMinutes = { min: 5, max: 10_080, default: 60 };
/** How many people one sync may deactivate unless somebody has chosen otherwise: whichever is less. */
export const syncGuard = { people: 5, percent: 10 };
/** A dry run lists no more changes than this. */
export const maxListedChanges = 1000;

const kind = z
  .enum(["oidc", "saml", "ldap"])
  .describe("oidc: OpenID Connect. saml: SAML 2.0. ldap: LDAP or Active Directory.");

const attributeTexts = {
  email_attribute: "The attribute with the e-mail address; if empty, one of the usual names, else the NameID.",
  name_attribute: "The attribute with the full name; if empty, one of the usual names, else first and last name.",
  subject_attribute:
    "The attribute that identifies a person and never changes; if empty, the NameID, which must not be transient.",
};

const samlObject = z
  .strictObject({
    sso_url: z.string().describe("Where people sign in at the provider."),
    certificates: z
      .array(
        z.strictObject({
          certificate: z.string().describe("The certificate, as PEM text."),
          fingerprint: z.string().describe("Its SHA-256 fingerprint, in hexadecimal with colons."),
          expires_at: z.int().describe("Its end, in Unix seconds. It is accepted until it is removed."),
        }),
      )
      .describe("The certificates with whose keys the provider may sign."),
    requires_signed_response: z
      .boolean()
      .describe("Whether the response must be signed as well. Its assertion always has to be."),
    email_attribute: z.string().describe(attributeTexts.email_attribute),
    name_attribute: z.string().describe(attributeTexts.name_attribute),
    subject_attribute: z.string().describe(attributeTexts.subject_attribute),
    entity_id: z.string().describe("To be registered at the provider: what this organization is called there."),
    metadata_url: z.string().describe("Where the provider can load the organization's metadata."),
  })
  .meta({ id: "SamlSettings" });

const ldapTexts = {
  url: "The directory's URL: `ldaps://host` or `ldap://host`, with a port if it is not the usual one.",
  start_tls:
    "Whether a connection to an `ldap://` URL is encrypted by StartTLS. It has to be, unless the directory is on this machine.",
  ca_certificate:
    "The certificates, as PEM text, of the authorities that may have issued the directory's certificate; if empty, those that " +
    "the server trusts.",
  bind_dn:
    "The account that searches, as its DN or, in Active Directory, as `name@domain`; if both are empty, anonymous.",
  user_base: "The DN under which people are searched for.",
  user_filter:
    "How to find somebody by what they type: an LDAP filter with `{login}`, such as `(|(uid={login})(mail={login}))`. A sync " +
    "finds everybody whom `*` instead of it matches.",
  email_attribute: "The attribute with the e-mail address; if empty, `mail`.",
  name_attribute: "The attribute with the full name; if empty, `displayName`, else `cn`.",
  id_attribute:
    "The attribute that identifies a person and never changes; if empty, `entryUUID`, or `objectGUID` of Active Directory.",
  group_base:
    "The DN under which groups are; others do not count. If empty, groups come from `groups_claim` alone, wherever they are.",
  group_filter:
    "How to find the groups of somebody: an LDAP filter with `{dn}` or `{uid}`, such as `(member={dn})`. Used if `group_base` is " +
    "set and `groups_claim` is not.",
  nested_groups: "Whether members of a group are members of the groups that contain it as well.",
  is_enabled: "Whether accounts follow the directory regularly, and not at sign-in alone.",
  interval_minutes: "How often, in minutes.",
  deactivates_missing:
    "Whether accounts are deactivated when their people are disabled in the directory or no longer found, and reactivated when " +
    "they come back.",
  max_deactivations: "How many people one sync may deactivate. If there are more, it changes nothing.",
  max_deactivation_percent:
    "The same, as a percentage of the people who have signed in with the provider and are active, rounded up.",
};

const ldapSyncResult = z
  .strictObject({
    finished_at: z.int().describe("When it ended, in Unix seconds."),
    problem: z.string().nullable().describe("Why it changed nothing or not everything; null if all went well."),
    people: z.int().describe("How many people the directory has, as far as the filter finds them."),
    changes: z.int().describe("How many changes it made."),
    deactivations: z.int().describe("How many of them were deactivations."),
  })
  .meta({ id: "LdapSyncResult" });

const ldapObject = z
  .strictObject({
    url: z.string().describe(ldapTexts.url),
    start_tls: z.boolean().describe(ldapTexts.start_tls),
    ca_certificate: z.string().describe(ldapTexts.ca_certificate),
    bind_dn: z.string().describe(ldapTexts.bind_dn),
    has_bind_password: z.boolean().describe("Whether the password of that account is stored. It is never returned."),
    user_base: z.string().describe(ldapTexts.user_base),
    user_filter: z.string().describe(ldapTexts.user_filter),
    email_attribute: z.string().describe(ldapTexts.email_attribute),
    name_attribute: z.string().describe(ldapTexts.name_attribute),
    id_attribute: z.string().describe(ldapTexts.id_attribute),
    group_base: z.string().describe(ldapTexts.group_base),
    group_filter: z.string().describe(ldapTexts.group_filter),
    nested_groups: z.boolean().describe(ldapTexts.nested_groups),
    sync: z
      .strictObject({
        is_enabled: z.boolean().describe(ldapTexts.is_enabled),
        interval_minutes: z.int().describe(ldapTexts.interval_minutes),
        deactivates_missing: z.boolean().describe(ldapTexts.deactivates_missing),
        max_deactivations: z.int().describe(ldapTexts.max_deactivations),
        max_deactivation_percent: z.int().describe(ldapTexts.max_deactivation_percent),
        last_result: ldapSyncResult.nullable().describe("How the last sync ended; null if there was none yet."),
      })
      .describe("How accounts follow the directory."),
  })
  .meta({ id: "LdapSettings" });

export const identityProviderObject = z
  .strictObject({
    id: z.int().describe("The provider's ID."),
    kind,
    key: z.string().describe("Its name in URLs."),
    name: z.string().describe("Its name on the sign-in page."),
    issuer: z
      .string()
      .describe(
        "The URL that identifies the provider; the entity ID of a SAML provider; of an LDAP provider, what identifies people there.",
      ),
    client_id: z.string().describe("What the provider calls this organization. Only of OpenID Connect providers."),
    has_client_secret: z.boolean().describe("Whether a client secret is stored. It is never returned."),
    scopes: z.array(z.string()).describe("What is requested besides `openid`, `email` and `profile`."),
    allowed_domains: z
      .array(z.string())
      .describe("The e-mail domains that the provider may vouch for; if empty, all of them."),
    creates_accounts: z.boolean().describe("Whether people without an account get one when they first sign in."),
    groups_claim: z
      .string()
      .describe(
        "The claim or attribute that lists a person's groups, of LDAP `memberOf`; empty if groups are not taken over.",
      ),
    group_map: z
      .record(z.string(), z.int())
      .describe(
        "From the provider's names of groups to IDs of user groups. Sign-ins change the members of these groups.",
      ),
    is_enabled: z.boolean().describe("Whether people can sign in there."),
    is_only: z.boolean().describe("Whether the organization accepts no other way to sign in."),
    redirect_uri: z.string().describe("To be registered at the provider: where people return to. Empty for LDAP."),
    backchannel_logout_uri: z
      .string()
      .describe("To be registered at the provider: where it reports ended sessions. Only of OpenID Connect providers."),
    saml: samlObject.nullable().describe("The settings of a SAML provider; null for others."),
    ldap: ldapObject.nullable().describe("The settings of an LDAP provider; null for others."),
    created_at: z.int().describe("When it was added, in Unix seconds."),
  })
  .meta({ id: "IdentityProvider" });
export type IdentityProvider = z.output<typeof identityProviderObject>;

const provider_id = json(z.int()).describe("The provider's ID.");
const name = textUpTo(maxName).describe("Its name on the sign-in page.");
const issuer = textUpTo(maxUrl).describe(
  "The URL that identifies the provider, without `/.well-known/openid-configuration`. It must begin with https://. For SAML, " +
    "the provider's entity ID; not needed if `saml` has metadata. Not for LDAP.",
);
const client_id = textUpTo(maxClaim).describe("What the provider calls this organization. For OpenID Connect only.");
const client_secret = textUpTo(maxUrl).describe("The client secret; empty for a public client.");
const options = {
  scopes: json(list(textUpTo(maxClaim), 20)).describe("What to request besides `openid`, `email` and `profile`."),
  allowed_domains: json(list(textUpTo(80), maxDomains)).describe(
    "The e-mail domains that the provider may vouch for; if empty, all of them.",
  ),
  creates_accounts: json(z.boolean()).describe("Whether people without an account get one when they first sign in."),
  groups_claim: textUpTo(maxClaim).describe(
    "The claim or attribute that lists a person's groups, such as `groups`, or `memberOf` of LDAP; empty to leave groups alone.",
  ),
  group_map: json(z.record(z.string().max(maxClaim), z.int()), fewValues).describe(
    "From the provider's names of groups to IDs of user groups. An LDAP group is named by its DN or the first value of it.",
  ),
};

const saml = json(
  z.strictObject({
    metadata: textUpTo(maxMetadata)
      .optional()
      .describe("The provider's metadata (XML): sets `issuer`, `sso_url` and `certificates`."),
    sso_url: textUpTo(maxUrl).optional().describe("Where people sign in at the provider, by redirect."),
    certificates: list(textUpTo(maxCertificate), maxCertificates)
      .optional()
      .describe(
        "The certificates with whose keys the provider may sign, as PEM text; several while keys are replaced.",
      ),
    requires_signed_response: z
      .boolean()
      .optional()
      .describe("Whether the response must be signed as well. Its assertion always has to be."),
    email_attribute: textUpTo(maxClaim).optional().describe(attributeTexts.email_attribute),
    name_attribute: textUpTo(maxClaim).optional().describe(attributeTexts.name_attribute),
    subject_attribute: textUpTo(maxClaim).optional().describe(attributeTexts.subject_attribute),
  }),
  fewValues,
)
  .optional()
  .describe("The settings of a SAML provider. What is left out stays as it is.");

const ldap = json(
  z.strictObject({
    url: textUpTo(maxUrl).optional().describe(ldapTexts.url),
    start_tls: z.boolean().optional().describe(ldapTexts.start_tls),
    ca_certificate: textUpTo(maxCertificate).optional().describe(ldapTexts.ca_certificate),
    bind_dn: textUpTo(maxUrl).optional().describe(ldapTexts.bind_dn),
    bind_password: textUpTo(maxUrl).optional().describe("The password of that account."),
    user_base: textUpTo(maxUrl).optional().describe(ldapTexts.user_base),
    user_filter: textUpTo(maxFilter).optional().describe(ldapTexts.user_filter),
    email_attribute: textUpTo(maxClaim).optional().describe(ldapTexts.email_attribute),
    name_attribute: textUpTo(maxClaim).optional().describe(ldapTexts.name_attribute),
    id_attribute: textUpTo(maxClaim).optional().describe(ldapTexts.id_attribute),
    group_base: textUpTo(maxUrl).optional().describe(ldapTexts.group_base),
    group_filter: textUpTo(maxFilter).optional().describe(ldapTexts.group_filter),
    nested_groups: z.boolean().optional().describe(ldapTexts.nested_groups),
    sync: z
      .strictObject({
        is_enabled: z.boolean().optional().describe(ldapTexts.is_enabled),
        interval_minutes: z
          .int()
          .min(syncMinutes.min)
          .max(syncMinutes.max)
          .optional()
          .describe(ldapTexts.interval_minutes),
        deactivates_missing: z.boolean().optional().describe(ldapTexts.deactivates_missing),
        max_deactivations: z.int().min(0).max(1_000_000).optional().describe(ldapTexts.max_deactivations),
        max_deactivation_percent: z.int().min(0).max(100).optional().describe(ldapTexts.max_deactivation_percent),
      })
      .optional()
      .describe("How accounts follow the directory."),
  }),
  fewValues,
)
  .optional()
  .describe(
    "The settings of an LDAP provider. What is left out stays as it is; a new provider needs `url`, `user_base` and " +
      "`user_filter`.",
  );

const returns = { identity_provider: identityProviderObject.describe("The provider.") };

export const getIdentityProviders = endpoint({
  operation: "get-identity-providers",
  method: "GET",
  path: "/realm/identity_providers",
  auth: "user",
  scope: "admin",
  area,
  summary: "List identity providers",
  description: "List the organization's identity providers, in the order of the sign-in page. For administrators.",
  params: {},
  returns: { identity_providers: z.array(identityProviderObject).describe("The providers.") },
});

export const createIdentityProvider = endpoint({
  operation: "create-identity-provider",
  method: "POST",
  path: "/realm/identity_providers",
  auth: "user",
  scope: "admin",
  stepUp: true,
  area,
  summary: "Add an identity provider",
  description:
    "Let people sign in at an OpenID Connect or SAML provider, or with their LDAP or Active Directory password. For owners, " +
    "because a provider decides who is who. Register the URL `/complete/oidc/{key}/` or `/complete/saml/` of the organization " +
    `at the provider first; LDAP needs no such thing. An organization can have ${maxProviders} providers.`,
  params: {
    key: textUpTo(40).describe("Its name in URLs: lowercase letters, digits and hyphens. It cannot be changed."),
    kind: kind.default("oidc"),
    name,
    issuer: issuer.default(""),
    client_id: client_id.default(""),
    client_secret: client_secret.default(""),
    scopes: options.scopes.default([]),
    allowed_domains: options.allowed_domains.default([]),
    creates_accounts: options.creates_accounts.default(true),
    groups_claim: options.groups_claim.default(""),
    group_map: options.group_map.default({}),
    saml,
    ldap,
  },
  returns,
});

export const updateIdentityProvider = endpoint({
  operation: "update-identity-provider",
  method: "PATCH",
  path: "/realm/identity_providers/{provider_id}",
  auth: "user",
  scope: "admin",
  stepUp: true,
  area,
  summary: "Update an identity provider",
  description: "Change some settings of an identity provider. For owners.",
  params: {
    provider_id,
    name: name.optional(),
    issuer: issuer.optional(),
    client_id: client_id.optional(),
    client_secret: client_secret.optional(),
    scopes: options.scopes.optional(),
    allowed_domains: options.allowed_domains.optional(),
    creates_accounts: options.creates_accounts.optional(),
    groups_claim: options.groups_claim.optional(),
    group_map: options.group_map.optional(),
    saml,
    ldap,
    is_enabled: json(z.boolean()).optional().describe("Whether people can sign in there."),
    is_only: json(z.boolean())
      .optional()
      .describe(
        "Whether the organization accepts no other way to sign in, passwords included. Only owners who have signed in " +
          "with the provider themselves can turn it on.",
      ),
  },
  returns,
});

export const deleteIdentityProvider = endpoint({
  operation: "delete-identity-provider",
  method: "DELETE",
  path: "/realm/identity_providers/{provider_id}",
  auth: "user",
  scope: "admin",
  stepUp: true,
  area,
  summary: "Remove an identity provider",
  description:
    "Remove an identity provider. For owners. Accounts stay, and people who are signed in stay signed in; accounts that " +
    "never had a password can get one by resetting it.",
  params: { provider_id },
  returns: {},
});

export const testIdentityProvider = endpoint({
  operation: "test-identity-provider",
  method: "POST",
  path: "/realm/identity_providers/{provider_id}/test",
  auth: "user",
  scope: "admin",
  area,
  summary: "Test an identity provider",
  description:
    "Fetch the provider's configuration and keys, and state what is wrong with them. Of a SAML provider the certificates " +
    "are checked. With an LDAP provider a connection is made, and somebody is searched for. For administrators.",
  params: { provider_id },
  returns: {
    problem: z.string().nullable().describe("What is wrong; null if nothing is."),
    algorithms: z.array(z.string()).describe("How the provider may sign, of what is accepted here."),
  },
});

const ldapChange = z
  .strictObject({
    user_id: z.int().describe("Whose account it is."),
    kind: z
      .enum(["rename", "change_email", "deactivate", "reactivate", "join_group", "leave_group"])
      .describe("What changes."),
    before: z.string().nullable().describe("The name or address before; null for other changes."),
    after: z.string().nullable().describe("The name or address afterwards; null for other changes."),
    user_group_id: z.int().nullable().describe("The user group that is joined or left; null for other changes."),
  })
  .meta({ id: "LdapChange" });
export type LdapChange = z.output<typeof ldapChange>;

export const syncIdentityProvider = endpoint({
  operation: "sync-identity-provider",
  method: "POST",
  path: "/realm/identity_providers/{provider_id}/sync",
  auth: "user",
  scope: "admin",
  area,
  summary: "Sync with an LDAP provider",
  description:
    "State what a sync with the directory would change, or have it done now instead of at the next interval. For owners. Only " +
    "accounts whose people have signed in with the provider are changed.",
  params: {
    provider_id,
    dry_run: json(z.boolean())
      .default(true)
      .describe("Whether nothing is to change. Otherwise a sync begins soon, and `last_result` tells how it ended."),
  },
  returns: {
    plan: z
      .strictObject({
        people: z.int().describe("How many people the directory has, as far as the filter finds them."),
        accounts: z.int().describe("How many accounts belong to people of the provider."),
        change_count: z.int().describe("How many changes there are."),
        deactivations: z.int().describe("How many of them are deactivations."),
        changes: z.array(ldapChange).describe(`The first ${maxListedChanges} changes.`),
        problem: z
          .string()
          .nullable()
          .describe("Why a sync would change nothing, such as too many deactivations; null if nothing prevents it."),
      })
      .nullable()
      .describe("What would change; null unless `dry_run` is set."),
  },
});

export const endpoints = [
  getIdentityProviders,
  createIdentityProvider,
  updateIdentityProvider,
  deleteIdentityProvider,
  testIdentityProvider,
  syncIdentityProvider,
];
