import { featureLevel, getServerSettings, mergeBase, serverVersion } from "@skein/api/server-settings.ts";
import { handlePublic, type BoundEndpoint } from "../../http/handle.ts";
import { renderMarkdown } from "../../markdown/render.ts";
import { realmUrl } from "./address.ts";
import { findRealm } from "./find-realm.ts";
import { iconUrl } from "./icon.ts";

export const realmEndpoints: BoundEndpoint[] = [
  handlePublic(getServerSettings, async ({ ctx, request }) => {
    const realm = await findRealm(ctx.db, request.host);
    const url = realmUrl(ctx.config, realm, request.origin);
    return {
      authentication_methods: {
        password: true,
        dev: false,
        email: true,
        ldap: false,
        remoteuser: false,
        saml: false,
        "openid connect": false,
      },
      external_authentication_methods: [],
      zulip_feature_level: featureLevel,
      zulip_version: serverVersion,
      zulip_merge_base: mergeBase,
      push_notifications_enabled: false,
      is_incompatible: false,
      email_auth_enabled: true,
      require_email_format_usernames: true,
      realm_uri: url,
      realm_url: url,
      realm_name: realm.name,
      realm_icon: iconUrl(realm),
      realm_description: renderMarkdown(realm.description).html,
      realm_web_public_access_enabled: false,
    };
  }),
];
