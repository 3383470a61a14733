/** The sign-in methods besides passwords, as listed to clients and on the sign-in page. */
import type { ReturnsOf } from "@skein/api/endpoint.ts";
import type { getServerSettings } from "@skein/api/server-settings.ts";
import type { Context } from "../../../context.ts";
import type { Realm } from "../../../identity/account.ts";
import { acceptsPasswords } from "../../people/auth/sign-in-methods.ts";
import { isOpenIdSetUp } from "../openid-connect/provider.ts";
import { listUsableProviders, loginPath, signupPath } from "./queries.ts";

type LoginMethod = ReturnsOf<typeof getServerSettings>["external_authentication_methods"][number];

/** The name of OpenID Connect, which is part of its URLs. */
export const openIdBackend = "oidc";

/** Whether the usual form takes its names and passwords, too. */
export const isDirectory = ({ name }: Pick<LoginMethod, "name">): boolean => name.startsWith("ldap:");

/** The organization's own providers, then the operator's. */
export async function externalMethods(
  { config, db }: Pick<Context, "config" | "db">,
  realm: Realm,
): Promise<LoginMethod[]> {
  const own = await listUsableProviders(db, realm);
  const methods = own.map((row): LoginMethod => ({
    name: `${row.kind}:${row.key}`,
    display_name: row.name,
    display_icon: null,
    login_url: loginPath(row),
    signup_url: signupPath(row),
  }));
  if (isOpenIdSetUp(config) && acceptsPasswords(realm))
    methods.push({
      name: openIdBackend,
      display_name: config.openIdName,
      display_icon: null,
      login_url: `/accounts/login/social/${openIdBackend}`,
      signup_url: `/accounts/register/social/${openIdBackend}`,
    });
  return methods;
}
