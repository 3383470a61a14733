/** API keys: each has a name, scopes, and possibly an end. Only the response that creates a key contains the key itself. */
import { z } from "zod";
import { endpoint, json, list, textUpTo } from "./endpoint.ts";

const area = "Authentication";

export const maxKeyName = 100;
/** How many keys of their own making people can have. */
export const maxPersonalKeys = 100;

export const apiKeyObject = z.strictObject({
  id: z.int().describe("The key's ID, which is not the key."),
  name: z.string().describe("The name its owner gave it, or the app that signed in."),
  kind: z
    .enum(["device", "personal", "bot"])
    .describe("device: from signing in with an app; personal: created by its owner; bot: the key of a bot."),
  scopes: z.array(z.string()).describe('What the key may be used for; `["*"]` for everything.'),
  created_at: z.int().describe("When the key was created, in Unix seconds."),
  expires_at: z.int().nullable().describe("When the key stops working, in Unix seconds; null if it does not."),
  last_used_at: z.int().nullable().describe("The hour in which the key was last used, in Unix seconds; null if never."),
  last_used_ip: z.string().nullable().describe("The IP address it was first used from in that hour."),
  is_current: z.boolean().describe("Whether this request used the key."),
});
export type ApiKeyObject = z.output<typeof apiKeyObject>;

const key_id = json(z.int()).describe("The key's ID.");
const name = textUpTo(maxKeyName).describe("A name that tells its owner what the key is for.");

export const getApiKeys = endpoint({
  operation: "get-api-keys",
  method: "GET",
  path: "/users/me/api_keys",
  auth: "user",
  scope: "account",
  area,
  summary: "List API keys",
  description: "List the keys of the calling account, the newest first, and the scopes that it can give to new ones.",
  params: {},
  returns: {
    api_keys: z.array(apiKeyObject).describe("The keys."),
    available_scopes: z
      .array(
        z.strictObject({
          name: z.string().describe("The scope."),
          description: z.string().describe("What it permits."),
        }),
      )
      .describe("The scopes the account can give to a new key."),
  },
});

export const createApiKey = endpoint({
  operation: "create-api-key",
  method: "POST",
  path: "/users/me/api_keys",
  auth: "user",
  scope: "account",
  stepUp: true,
  area,
  summary: "Create an API key",
  description:
    "Create a key for a program, which may do what its scopes say, until it expires. A key cannot create one with more " +
    `scopes or a later end than its own. An account can have ${maxPersonalKeys} such keys.`,
  params: {
    name,
    scopes: json(list(textUpTo(100), 50)).describe("What the key may be used for. At least one."),
    expires_at: json(z.int())
      .optional()
      .describe("When the key stops working, in Unix seconds. Needed if the organization limits how long keys live."),
  },
  returns: { ...apiKeyObject.shape, api_key: z.string().describe("The key; it is shown this once.") },
});

export const updateApiKey = endpoint({
  operation: "update-api-key",
  method: "PATCH",
  path: "/users/me/api_keys/{key_id}",
  auth: "user",
  scope: "account",
  area,
  summary: "Rename an API key",
  description: "Change the name of one of the calling account's keys. Its scopes and its end cannot be changed.",
  params: { key_id, name },
  returns: {},
});

export const deleteApiKey = endpoint({
  operation: "delete-api-key",
  method: "DELETE",
  path: "/users/me/api_keys/{key_id}",
  auth: "user",
  scope: "account",
  area,
  summary: "Revoke an API key",
  description:
    "Revoke one of the calling account's keys, possibly the one used for this request. No request with it succeeds after " +
    "the response, and its event queues end.",
  params: { key_id },
  returns: {},
});

const user_id = json(z.int()).describe("The account's ID.");

export const getUserApiKeys = endpoint({
  operation: "get-user-api-keys",
  method: "GET",
  path: "/users/{user_id}/api_keys",
  auth: "user",
  scope: "admin",
  area,
  summary: "List a user's API keys",
  description: "List the keys of an account, the newest first. For administrators.",
  params: { user_id },
  returns: { api_keys: z.array(apiKeyObject).describe("The keys.") },
});

export const deleteUserApiKey = endpoint({
  operation: "delete-user-api-key",
  method: "DELETE",
  path: "/users/{user_id}/api_keys/{key_id}",
  auth: "user",
  scope: "admin",
  area,
  summary: "Revoke a user's API key",
  description:
    "Revoke a key of an account. For administrators; the keys of owners can be revoked by owners only. The key of a bot " +
    "is replaced with regenerate-bot-api-key instead.",
  params: { user_id, key_id },
  returns: {},
});

export const apiKeyEvents = [
  z.strictObject({ type: z.literal("api_key"), op: z.enum(["add", "update"]), api_key: apiKeyObject }),
  z.strictObject({ type: z.literal("api_key"), op: z.literal("remove"), api_key_id: z.int() }),
] as const;

export const endpoints = [getApiKeys, createApiKey, updateApiKey, deleteApiKey, getUserApiKeys, deleteUserApiKey];
