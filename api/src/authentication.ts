import { z } from "zod";
import { endpoint, json } from "./endpoint.ts";
import { userObject } from "./users.ts";

/** Every API key is so many letters and digits. */
export const apiKeyLength = 32;

export const fetchApiKey = endpoint({
  operation: "fetch-api-key",
  method: "POST",
  path: "/fetch_api_key",
  only: "keys",
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

export const jwtFetchApiKey = endpoint({
  operation: "jwt-fetch-api-key",
  method: "POST",
  path: "/jwt/fetch_api_key",
  only: "keys",
  auth: "none",
  area: "Authentication",
  summary: "Get an API key by a JSON Web Token",
  description:
    "Trade a JSON Web Token, signed by a program that the organization trusts (HS256), for an API key made for the calling " +
    "client. Only where the operator of the server has set it up. Keys made earlier stay valid.",
  params: {
    token: z.string().default("").describe("The token. Its claim `email` is the address of the account."),
    include_profile: json(z.boolean()).default(false).describe("Whether to tell of the account, too."),
  },
  returns: {
    api_key: z.string().describe("The key; it is shown this once."),
    email: z.string().describe("The e-mail address to use with the key."),
    user: userObject.optional().describe("The account, if it was asked for."),
  },
});

export const regenerateApiKey = endpoint({
  operation: "regenerate-api-key",
  method: "POST",
  path: "/users/me/api_key/regenerate",
  only: "keys",
  auth: "user",
  area: "Authentication",
  summary: "Regenerate the API key",
  description: "Make a new API key for the calling account and revoke all others, the one of this request among them.",
  params: {},
  returns: { api_key: z.string().describe("The new key; it is shown this once.") },
});

export const fetchOwnApiKey = endpoint({
  operation: "fetch-own-api-key",
  method: "POST",
  path: "/fetch_api_key",
  only: "browsers",
  auth: "user",
  area: "Authentication",
  summary: "Get an API key of one's own",
  description:
    "Make an API key for whoever is signed in here and gives the password once more. Keys made earlier stay valid.",
  params: { password: z.string().describe("The account's password.") },
  returns: {
    api_key: z.string().describe("The key; it is shown this once."),
    email: z.string().describe("The e-mail address to use with the key."),
  },
});
