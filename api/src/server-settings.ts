import { z } from "zod";
import { endpoint } from "./endpoint.ts";

/** The level of the wire protocol this server speaks. */
export const featureLevel = 467;

/** The release of the protocol that the level belongs to; clients compare it with the releases they know. */
export const serverVersion = "11.0";

export const mergeBase = "";

const loginMethod = z.strictObject({
  name: z.string().describe("A stable name for programs."),
  display_name: z.string().describe("What to write on the button."),
  display_icon: z.string().nullable().describe("The URL of an icon for the button, if there is one."),
  login_url: z.string().describe("Where signing in begins, relative to the organization's address."),
  signup_url: z.string().describe("Where signing up begins, relative to the organization's address."),
});

export const getServerSettings = endpoint({
  operation: "get-server-settings",
  method: "GET",
  path: "/server_settings",
  auth: "none",
  scope: null,
  area: "Server and organization",
  summary: "Get server settings",
  description:
    "What a client needs to know before anybody signs in: which protocol the server speaks, which organization " +
    "answers at this address, and how to sign in.",
  params: {},
  returns: {
    authentication_methods: z
      .object({
        password: z.boolean(),
        dev: z.boolean(),
        email: z.boolean(),
        ldap: z.boolean(),
        remoteuser: z.boolean(),
        saml: z.boolean(),
        "openid connect": z.boolean(),
      })
      .catchall(z.boolean())
      .describe("Which authentication methods are enabled. Deprecated: see external_authentication_methods."),
    external_authentication_methods: z.array(loginMethod).describe("Other ways of signing in, in display order."),
    zulip_feature_level: z.int().describe("The protocol level. It only grows; features are named by it."),
    zulip_version: z.string().describe("The protocol release, for people to read."),
    zulip_merge_base: z.string().describe("The release this version was branched from; empty when unknown."),
    push_notifications_enabled: z.boolean().describe("Whether mobile push notifications can be sent."),
    is_incompatible: z.boolean().describe("Whether the calling client is too old for this server."),
    email_auth_enabled: z.boolean().describe("Whether signing in with e-mail address and password is on."),
    require_email_format_usernames: z.boolean().describe("Whether a user name must look like an e-mail address."),
    realm_uri: z.string().optional().describe("Deprecated name of realm_url."),
    realm_url: z.string().optional().describe("The organization's canonical address."),
    realm_name: z.string().optional().describe("The organization's name."),
    realm_icon: z.string().optional().describe("The URL of the organization's square logo."),
    realm_description: z.string().optional().describe("The organization's description, as HTML."),
    realm_web_public_access_enabled: z
      .boolean()
      .optional()
      .describe("Whether people without an account can read web-public channels."),
  },
});

export const endpoints = [getServerSettings];
