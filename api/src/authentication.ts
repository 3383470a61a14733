import { z } from "zod";
import { endpoint } from "./endpoint.ts";

/** Every API key is so many letters and digits. */
export const apiKeyLength = 32;

export const fetchApiKey = endpoint({
  operation: "fetch-api-key",
  method: "POST",
  path: "/fetch_api_key",
  auth: "none",
  area: "Authentication",
  summary: "Get an API key",
  description:
    "Trade an account's name and password for an API key made for the calling client. Keys made earlier stay valid.",
  params: {
    username: z.string().describe("The account's e-mail address."),
    password: z.string().describe("The account's password."),
  },
  returns: {
    api_key: z.string().describe("The key; it is shown this once."),
    email: z.string().describe("The e-mail address to use with the key."),
    user_id: z.int().describe("The account's ID."),
  },
});

export const regenerateApiKey = endpoint({
  operation: "regenerate-api-key",
  method: "POST",
  path: "/users/me/api_key/regenerate",
  auth: "user",
  area: "Authentication",
  summary: "Regenerate the API key",
  description: "Make a new API key for the calling account and revoke all others, the one of this request among them.",
  params: {},
  returns: { api_key: z.string().describe("The new key; it is shown this once.") },
});
