/** The OpenID Connect sign-in method, as listed to clients and on the sign-in page. */
import type { ReturnsOf } from "@skein/api/endpoint.ts";
import type { getServerSettings } from "@skein/api/server-settings.ts";
import type { Config } from "../../../config.ts";
import { isOpenIdSetUp } from "./provider.ts";

type LoginMethod = ReturnsOf<typeof getServerSettings>["external_authentication_methods"][number];

/** The method's name, which is part of its URLs. */
export const openIdBackend = "oidc";

export const externalMethods = (config: Config): LoginMethod[] =>
  isOpenIdSetUp(config)
    ? [
        {
          name: openIdBackend,
          display_name: config.openIdName,
          display_icon: null,
          login_url: `/accounts/login/social/${openIdBackend}`,
          signup_url: `/accounts/register/social/${openIdBackend}`,
        },
      ]
    : [];
