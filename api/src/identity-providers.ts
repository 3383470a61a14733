/** Single sign-on: the identity providers at which the people of an organization sign in. */
import { z } from "zod";
import { endpoint, fewValues, json, list, textUpTo } from "./endpoint.ts";

const area = "Single sign-on";

export const maxProviders = 100;
const maxName = 50;
const maxUrl = 500;
const maxClaim = 200;
const maxDomains = 100;

const maxCertificates = 10;
const maxCertificate = 10_000;
/** Federations publish larger ones, about many providers. */
const maxMetadata = 100_000;

const kind = z.enum(["oidc", "saml"]).describe("oidc: OpenID Connect. saml: SAML 2.0.");

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

export const identityProviderObject = z
  .strictObject({
    id: z.int().describe("The provider's ID."),
    kind,
    key: z.string().describe("Its name in URLs."),
    name: z.string().describe("Its name on the sign-in page."),
    issuer: z.string().describe("The URL that identifies the provider; the entity ID of a SAML provider."),
    client_id: z.string().describe("What the provider calls this organization. Empty for SAML."),
    has_client_secret: z.boolean().describe("Whether a client secret is stored. It is never returned."),
    scopes: z.array(z.string()).describe("What is requested besides `openid`, `email` and `profile`."),
    allowed_domains: z
      .array(z.string())
      .describe("The e-mail domains that the provider may vouch for; if empty, all of them."),
    creates_accounts: z.boolean().describe("Whether people without an account get one when they first sign in."),
    groups_claim: z
      .string()
      .describe("The claim or attribute that lists a person's groups; empty if groups are not taken over."),
    group_map: z
      .record(z.string(), z.int())
      .describe(
        "From the provider's names of groups to IDs of user groups. Sign-ins change the members of these groups.",
      ),
    is_enabled: z.boolean().describe("Whether people can sign in there."),
    is_only: z.boolean().describe("Whether the organization accepts no other way to sign in."),
    redirect_uri: z.string().describe("To be registered at the provider: where people return to."),
    backchannel_logout_uri: z
      .string()
      .describe("To be registered at the provider: where it reports ended sessions. Empty for SAML."),
    saml: samlObject.nullable().describe("The settings of a SAML provider; null for others."),
    created_at: z.int().describe("When it was added, in Unix seconds."),
  })
  .meta({ id: "IdentityProvider" });
export type IdentityProvider = z.output<typeof identityProviderObject>;

const provider_id = json(z.int()).describe("The provider's ID.");
const name = textUpTo(maxName).describe("Its name on the sign-in page.");
const issuer = textUpTo(maxUrl).describe(
  "The URL that identifies the provider, without `/.well-known/openid-configuration`. It must begin with https://. For SAML, " +
    "the provider's entity ID; not needed if `saml` has metadata.",
);
const client_id = textUpTo(maxClaim).describe("What the provider calls this organization. Not for SAML.");
const client_secret = textUpTo(maxUrl).describe("The client secret; empty for a public client.");
const options = {
  scopes: json(list(textUpTo(maxClaim), 20)).describe("What to request besides `openid`, `email` and `profile`."),
  allowed_domains: json(list(textUpTo(80), maxDomains)).describe(
    "The e-mail domains that the provider may vouch for; if empty, all of them.",
  ),
  creates_accounts: json(z.boolean()).describe("Whether people without an account get one when they first sign in."),
  groups_claim: textUpTo(maxClaim).describe(
    "The claim or attribute that lists a person's groups, such as `groups`; empty to leave groups alone.",
  ),
  group_map: json(z.record(z.string().max(maxClaim), z.int()), fewValues).describe(
    "From the provider's names of groups to IDs of user groups.",
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
    "Let people sign in at an OpenID Connect or SAML provider. For owners, because a provider decides who is who. Register " +
    "the URL `/complete/oidc/{key}/` or `/complete/saml/` of the organization there first. An organization can have " +
    `${maxProviders} providers.`,
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
    "are checked. For administrators.",
  params: { provider_id },
  returns: {
    problem: z.string().nullable().describe("What is wrong; null if nothing is."),
    algorithms: z.array(z.string()).describe("How the provider may sign, of what is accepted here."),
  },
});

export const endpoints = [
  getIdentityProviders,
  createIdentityProvider,
  updateIdentityProvider,
  deleteIdentityProvider,
  testIdentityProvider,
];
