import { z } from "zod";
import { endpoint, json } from "./endpoint.ts";
import { passkeyProof } from "./passkeys.ts";
import { secondFactorCode } from "./second-factors.ts";
import { userObject } from "./users.ts";

/** The number of letters and digits in an API key. */
export const apiKeyLength = 32;

export const fetchApiKey = endpoint({
  operation: "fetch-api-key",
  method: "POST",
  path: "/fetch_api_key",
  only: "keys",
  auth: "none",
  scope: null,
  area: "Authentication",
  summary: "Get an API key",
  description:
    "Exchange an e-mail address and password for a new API key. Existing keys stay valid. A client that cannot ask for a " +
    "second factor can use a key that its user creates in the browser instead.",
  params: {
    username: z.string().describe("The account's e-mail address."),
    password: z.string().describe("The account's password."),
    second_factor_code: secondFactorCode,
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
  scope: null,
  area: "Authentication",
  summary: "Get an API key by a JSON Web Token",
  description:
    "Exchange a JSON Web Token, signed by a program that the organization trusts (HS256), for a new API key. " +
    "Only if the server's operator has configured it. Existing keys stay valid.",
  params: {
    token: z.string().default("").describe("The token. Its claim `email` is the address of the account."),
    include_profile: json(z.boolean()).default(false).describe("Whether to include the account's profile."),
  },
  returns: {
    api_key: z.string().describe("The key; it is shown this once."),
    email: z.string().describe("The e-mail address to use with the key."),
    user: userObject.optional().describe("The account, if it was requested."),
  },
});

export const regenerateApiKey = endpoint({
  operation: "regenerate-api-key",
  method: "POST",
  path: "/users/me/api_key/regenerate",
  only: "keys",
  auth: "user",
  scope: "account",
  area: "Authentication",
  summary: "Regenerate the API key",
  description:
    "Create a new API key for the calling account and revoke all others, including the one used for this request.",
  params: {},
  returns: { api_key: z.string().describe("The new key; it is shown this once.") },
});

export const fetchOwnApiKey = endpoint({
  operation: "fetch-own-api-key",
  method: "POST",
  path: "/fetch_api_key",
  only: "browsers",
  auth: "user",
  scope: "account",
  area: "Authentication",
  summary: "Get an API key of one's own",
  description: "Create an API key for the signed-in user, who must enter the password again. Existing keys stay valid.",
  params: {
    password: z.string().describe("The account's password."),
    second_factor_code: secondFactorCode,
    passkey: passkeyProof,
  },
  returns: {
    api_key: z.string().describe("The key; it is shown this once."),
    email: z.string().describe("The e-mail address to use with the key."),
  },
});

export const endpoints = [fetchApiKey, fetchOwnApiKey, jwtFetchApiKey, regenerateApiKey];
