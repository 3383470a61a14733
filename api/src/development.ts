/** Signing in without a password, on development servers only. Others reject it. */
import { z } from "zod";
import { fetchApiKey } from "./authentication.ts";
import { endpoint } from "./endpoint.ts";

const area = "Authentication";

export const devFetchApiKey = endpoint({
  operation: "dev-fetch-api-key",
  method: "POST",
  path: "/dev_fetch_api_key",
  only: "keys",
  auth: "none",
  scope: null,
  area,
  summary: "Get an API key without a password",
  description: "Create a key for any account. Only on development servers.",
  params: { username: fetchApiKey.params.username },
  returns: fetchApiKey.returns,
});

const account = z.strictObject({
  email: z.string().describe("For dev_fetch_api_key."),
  full_name: z.string(),
  realm_url: z.string().describe("The organization's address."),
});

export const devListUsers = endpoint({
  operation: "dev-list-users",
  method: "GET",
  path: "/dev_list_users",
  only: "keys",
  auth: "none",
  scope: null,
  area,
  summary: "List accounts to choose from",
  description: "The users one can sign in as without a password. Only on development servers.",
  params: {},
  returns: {
    direct_admins: z.array(account).describe("Administrators and owners."),
    direct_users: z.array(account).describe("All others."),
  },
});

export const endpoints = [devFetchApiKey, devListUsers];
