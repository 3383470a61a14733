import * as api from "@skein/api/realm-settings.ts";
import { featureLevel, getServerSettings, mergeBase, serverVersion } from "@skein/api/server-settings.ts";
import { revoke } from "../../events/revoke.ts";
import { handle, handlePublic, type BoundEndpoint } from "../../http/handle.ts";
import { renderMarkdown } from "../../markdown/render.ts";
import { externalMethods } from "../openid-connect/method.ts";
import { isOpenIdSetUp } from "../openid-connect/provider.ts";
import { hasPushRelay } from "../push-devices/relay.ts";
import { realmUrl } from "./address.ts";
import { deactivateRealm } from "./deactivate.ts";
import { findRealm } from "./find-realm.ts";
import { iconUrl } from "./icon.ts";
import { updateRealm } from "./update.ts";

export const realmEndpoints: BoundEndpoint[] = [
  handlePublic(getServerSettings, async ({ ctx, request }) => {
    const realm = await findRealm(ctx.db, request.host);
    const url = realmUrl(ctx.config, realm, request.origin);
    return {
      authentication_methods: {
        password: true,
        dev: ctx.config.development,
        email: true,
        ldap: false,
        remoteuser: false,
        saml: false,
        "openid connect": isOpenIdSetUp(ctx.config),
      },
      external_authentication_methods: externalMethods(ctx.config),
      zulip_feature_level: featureLevel,
      zulip_version: serverVersion,
      zulip_merge_base: mergeBase,
      push_notifications_enabled: hasPushRelay(ctx.config),
      is_incompatible: false,
      email_auth_enabled: true,
      require_email_format_usernames: true,
      realm_uri: url,
      realm_url: url,
      realm_name: realm.name,
      realm_icon: iconUrl(realm),
      realm_description: renderMarkdown(realm.description).html,
      // Clients offer to read without an account where it is true; here such people fetch files and pictures alone.
      realm_web_public_access_enabled: false,
    };
  }),

  handle(api.updateRealm, async ({ ctx, user, params }) => {
    await revoke(ctx, "update organization settings", (tx) => updateRealm(tx, user, params));
    return {};
  }),

  handle(api.deactivateRealm, async ({ ctx, user }) => {
    await revoke(ctx, "deactivate organization", (tx) => deactivateRealm(tx, user));
    return {};
  }),
];
