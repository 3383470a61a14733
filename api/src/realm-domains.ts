/** The e-mail domains of users who may join an organization that restricts them. */
import { z } from "zod";
import { endpoint, json, jsonOrText, textUpTo } from "./endpoint.ts";

export const maxDomainLength = 80;

const realmDomain = z
  .strictObject({
    domain: z.string(),
    allow_subdomains: z.boolean().describe("Whether addresses of its subdomains count too."),
  })
  .meta({ id: "RealmDomain" });
export type RealmDomain = z.output<typeof realmDomain>;

const area = "Server and organization";
const allowSubdomains = json(z.boolean()).describe("Whether addresses of its subdomains may join too.");
const domainInPath = z.string().describe("The domain.");

export const getRealmDomains = endpoint({
  operation: "get-realm-domains",
  method: "GET",
  path: "/realm/domains",
  auth: "user",
  scope: "users:read",
  area,
  summary: "Get allowed domains",
  description: "The domains whose addresses may join while the organization is restricted to domains.",
  params: {},
  returns: { domains: z.array(realmDomain).describe("In the order they were added.") },
});

export const addRealmDomain = endpoint({
  operation: "add-realm-domain",
  method: "POST",
  path: "/realm/domains",
  auth: "user",
  scope: "admin",
  area,
  summary: "Allow a domain",
  description: "Allow users with e-mail addresses of a domain to join. For owners.",
  params: {
    domain: jsonOrText(textUpTo(maxDomainLength)).describe("The domain."),
    allow_subdomains: allowSubdomains,
  },
  returns: { new_domain: z.tuple([z.int(), z.string()]).describe("A number for it, and the domain.") },
});

export const updateRealmDomain = endpoint({
  operation: "update-realm-domain",
  method: "PATCH",
  path: "/realm/domains/{domain}",
  auth: "user",
  scope: "admin",
  area,
  summary: "Update an allowed domain",
  description: "Change whether a domain's subdomains are included. For owners.",
  params: { domain: domainInPath, allow_subdomains: allowSubdomains },
  returns: {},
});

export const removeRealmDomain = endpoint({
  operation: "remove-realm-domain",
  method: "DELETE",
  path: "/realm/domains/{domain}",
  auth: "user",
  scope: "admin",
  area,
  summary: "Remove an allowed domain",
  description: "Remove a domain from the list. Removing the last one ends the restriction. For owners.",
  params: { domain: domainInPath },
  returns: {},
});

export const realmDomainState = {
  realm_domains: z.array(realmDomain).describe("Domains whose addresses may join, in the order they were added."),
};

export const realmDomainEvents = [
  z.strictObject({
    type: z.literal("realm_domains"),
    op: z.enum(["add", "change"]),
    realm_domain: realmDomain,
  }),
  z.strictObject({ type: z.literal("realm_domains"), op: z.literal("remove"), domain: z.string() }),
] as const;

export const endpoints = [getRealmDomains, addRealmDomain, updateRealmDomain, removeRealmDomain];
