/** What a client can learn about the server before anybody signs in. */
import { featureLevel, getServerSettings, mergeBase, serverVersion } from "@skein/api/server-settings.ts";
import { handlePublic, type BoundEndpoint } from "../../http/handle.ts";
import { renderMarkdown } from "../../markdown/render.ts";
import { externalMethods, isDirectory } from "./identity-providers/methods.ts";
import { hasPushRelay } from "../notifications/push-devices/relay.ts";
import { realmUrl } from "../organization/realm/address.ts";
import { acceptsPasswords } from "../people/auth/sign-in-methods.ts";
import { findRealm } from "../organization/realm/find-realm.ts";
import { iconUrl } from "../organization/realm/icon.ts";

export const serverSettingsEndpoints: BoundEndpoint[] = [
  handlePublic(getServerSettings, async ({ ctx, request }) => {
    const realm = await findRealm(ctx.db, request.host);
    const methods = await externalMethods(ctx, realm);
    const hasPasswords = acceptsPasswords(realm);
    const hasDirectory = methods.some(isDirectory);
    const url = realmUrl(ctx.config, realm, request.origin);
    return {
      authentication_methods: {
        password: hasPasswords || hasDirectory,
        dev: ctx.config.development,
        email: hasPasswords,
        ldap: hasDirectory,
        remoteuser: false,
        saml: methods.some(({ name }) => name.startsWith("saml:")),
        "openid connect": methods.some(({ name }) => /^oidc(?::|$)/.test(name)),
      },
      external_authentication_methods: methods,
      zulip_feature_level: featureLevel,
      zulip_version: serverVersion,
      zulip_merge_base: mergeBase,
      push_notifications_enabled: hasPushRelay(ctx.config),
      is_incompatible: false,
      email_auth_enabled: hasPasswords,
      require_email_format_usernames: !hasDirectory,
      realm_uri: url,
      realm_url: url,
      realm_name: realm.name,
      realm_icon: iconUrl(realm),
      realm_description: renderMarkdown(realm.description).html,
      // If true, clients offer to read without an account. Here people without one can fetch only files and pictures.
      realm_web_public_access_enabled: false,
    };
  }),
];
