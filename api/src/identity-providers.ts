/** Single sign-on: the identity providers at which the people of an organization sign in. */
import { z } from "zod";
import { endpoint, fewValues, json, list, textUpTo } from "./endpoint.ts";

const area = "Single sign-on";

export const maxProviders = 100;
const maxName = 50;
const maxUrl = 500;
const maxClaim = 200;
const maxDomains = 100;

export const identityProviderObject = z
  .strictObject({
    id: z.int().describe("The provider's ID."),
    kind: z.enum(["oidc"]).describe("oidc: OpenID Connect."),
    key: z.string().describe("Its name in URLs."),
    name: z.string().describe("Its name on the sign-in page."),
    issuer: z.string().describe("The URL that identifies the provider."),
    client_id: z.string().describe("What the provider calls this organization."),
    has_client_secret: z.boolean().describe("Whether a client secret is stored. It is never returned."),
    scopes: z.array(z.string()).describe("What is requested besides `openid`, `email` and `profile`."),
    allowed_domains: z
      .array(z.string())
      .describe("The e-mail domains that the provider may vouch for; if empty, all of them."),
    creates_accounts: z.boolean().describe("Whether people without an account get one when they first sign in."),
    groups_claim: z.string().describe("The claim that lists a person's groups; empty if groups are not taken over."),
    group_map: z
      .record(z.string(), z.int())
      .describe(
        "From the provider's names of groups to IDs of user groups. Sign-ins change the members of these groups.",
      ),
    is_enabled: z.boolean().describe("Whether people can sign in there."),
    is_only: z.boolean().describe("Whether the organization accepts no other way to sign in."),
    redirect_uri: z.string().describe("To be registered at the provider: where people return to."),
    backchannel_logout_uri: z.string().describe("To be registered at the provider: where it reports ended sessions."),
    created_at: z.int().describe("When it was added, in Unix seconds."),
  })
  .meta({ id: "IdentityProvider" });
export type IdentityProvider = z.output<typeof identityProviderObject>;

const provider_id = json(z.int()).describe("The provider's ID.");
const name = textUpTo(maxName).describe("Its name on the sign-in page.");
const issuer = textUpTo(maxUrl).describe(
  "The URL that identifies the provider, without `/.well-known/openid-configuration`. It must begin with https://.",
);
const client_id = textUpTo(maxClaim).describe("What the provider calls this organization.");
const client_secret = textUpTo(maxUrl).describe("The client secret; empty for a public client.");
const options = {
  scopes: json(list(textUpTo(maxClaim), 20)).describe("What to request besides `openid`, `email` and `profile`."),
  allowed_domains: json(list(textUpTo(80), maxDomains)).describe(
    "The e-mail domains that the provider may vouch for; if empty, all of them.",
  ),
  creates_accounts: json(z.boolean()).describe("Whether people without an account get one when they first sign in."),
  groups_claim: textUpTo(maxClaim).describe(
    "The claim that lists a person's groups, such as `groups`; empty to leave groups alone.",
  ),
  group_map: json(z.record(z.string().max(maxClaim), z.int()), fewValues).describe(
    "From the provider's names of groups to IDs of user groups.",
  ),
};

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
  area,
  summary: "Add an identity provider",
  description:
    "Let people sign in at an OpenID Connect provider. For owners, because a provider decides who is who. Register the URL " +
    "`/complete/oidc/{key}/` of the organization there first. An organization can have " +
    `${maxProviders} providers.`,
  params: {
    key: textUpTo(40).describe("Its name in URLs: lowercase letters, digits and hyphens. It cannot be changed."),
    name,
    issuer,
    client_id,
    client_secret: client_secret.default(""),
    scopes: options.scopes.default([]),
    allowed_domains: options.allowed_domains.default([]),
    creates_accounts: options.creates_accounts.default(true),
    groups_claim: options.groups_claim.default(""),
    group_map: options.group_map.default({}),
  },
  returns,
});

export const updateIdentityProvider = endpoint({
  operation: "update-identity-provider",
  method: "PATCH",
  path: "/realm/identity_providers/{provider_id}",
  auth: "user",
  scope: "admin",
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
  description: "Fetch the provider's configuration and keys, and state what is wrong with them. For administrators.",
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
