/** Provisioning: tokens for directories that manage accounts and groups over SCIM, and what their attributes fill in. */
import { z } from "zod";
import { endpoint, json, textUpTo } from "./endpoint.ts";

const area = "Provisioning";

export const maxScimTokens = 20;
export const maxScimAttributes = 50;

export const scimToken = z.strictObject({
  id: z.int().describe("The token's ID, which is not the token."),
  name: z.string().describe("What the token is for."),
  created_at: z.int().describe("When the token was created, in Unix seconds."),
  last_used_at: z.int().nullable().describe("The hour in which it was last used, in Unix seconds; null if never."),
});
export type ScimToken = z.output<typeof scimToken>;

export const getScimTokens = endpoint({
  operation: "get-scim-tokens",
  method: "GET",
  path: "/scim/tokens",
  auth: "user",
  scope: "admin",
  area,
  summary: "List SCIM tokens",
  description: "List the tokens with which directories provision this organization. For owners.",
  params: {},
  returns: { tokens: z.array(scimToken).describe("The tokens, the newest first.") },
});

export const createScimToken = endpoint({
  operation: "create-scim-token",
  method: "POST",
  path: "/scim/tokens",
  auth: "user",
  scope: "admin",
  stepUp: true,
  area,
  summary: "Create a SCIM token",
  description:
    "Create a token with which a directory can create, change and deactivate all accounts and its own groups over SCIM 2.0, " +
    `at \`/scim/v2\`. For owners. An organization can have ${maxScimTokens} tokens.`,
  params: { name: textUpTo(100).describe("What the token is for, such as the directory's name.") },
  returns: {
    id: scimToken.shape.id,
    name: scimToken.shape.name,
    token: z.string().describe("The token; it is shown this once."),
    created_at: scimToken.shape.created_at,
  },
});

export const deleteScimToken = endpoint({
  operation: "delete-scim-token",
  method: "DELETE",
  path: "/scim/tokens/{token_id}",
  auth: "user",
  scope: "admin",
  area,
  summary: "Revoke a SCIM token",
  description: "Revoke a token. No request with it succeeds after the response. For owners.",
  params: { token_id: json(z.int()).describe("The token's ID.") },
  returns: {},
});

export const getScimSettings = endpoint({
  operation: "get-scim-settings",
  method: "GET",
  path: "/realm/scim",
  auth: "user",
  scope: "admin",
  area,
  summary: "Get the settings of provisioning",
  description: "Which SCIM attributes fill in which profile fields. For owners.",
  params: {},
  returns: {
    attribute_map: z.record(z.string(), z.int()).describe("IDs of custom profile fields by the attribute's path."),
  },
});

export const updateScimSettings = endpoint({
  operation: "update-scim-settings",
  method: "PATCH",
  path: "/realm/scim",
  auth: "user",
  scope: "admin",
  stepUp: true,
  area,
  summary: "Change the settings of provisioning",
  description:
    "Choose which SCIM attributes fill in which profile fields. A path is the name of an attribute, such as `title`, or " +
    "`urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department`, or a name of your own below " +
    "`urn:ietf:params:scim:schemas:extension:skein:2.0:User`. For owners.",
  params: {
    attribute_map: json(z.record(z.string().max(200), z.int()), 2 * maxScimAttributes).describe(
      "IDs of custom profile fields by the attribute's path. Replaces all others.",
    ),
  },
  returns: {},
});

export const endpoints = [getScimTokens, createScimToken, deleteScimToken, getScimSettings, updateScimSettings];
