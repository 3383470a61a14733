/** How people get in: signing in, registering, accepting invitations, setting up organizations. */
import { greetLater } from "./accounts/jobs.ts";
import { accountPages } from "./accounts/pages.ts";
import { developmentEndpoints } from "./development.ts";
import { emailChangePages } from "./email-change/pages.ts";
import { identityProviderEndpoints } from "./identity-providers/endpoints.ts";
import { ldapPages } from "./ldap/pages.ts";
import { syncDirectories } from "./ldap/sync/run.ts";
import { openIdPages } from "./openid-connect/pages.ts";
import { samlPages } from "./saml/pages.ts";
import { serverSettingsEndpoints } from "./server-settings.ts";
import { newOrganizationPages } from "./setup/new-organization-pages.ts";
import { setupPages } from "./setup/pages.ts";
import { codePages } from "./sign-in/code-pages.ts";
import { fetchKeyEndpoints } from "./sign-in/fetch-key.ts";
import { loginPages } from "./sign-in/login-pages.ts";
import { passkeyPages } from "./sign-in/passkey-pages.ts";
import { resetPages } from "./sign-in/reset-pages.ts";
import { setUpPages } from "./sign-in/set-up-pages.ts";
import type { Area } from "../../area.ts";

export const joining: Area = {
  endpoints: [...developmentEndpoints, ...fetchKeyEndpoints, ...identityProviderEndpoints, ...serverSettingsEndpoints],
  pages: (ctx) => [
    ...accountPages(ctx),
    ...emailChangePages(ctx),
    ...loginPages(ctx),
    ...codePages(ctx),
    ...setUpPages(ctx),
    ...passkeyPages(ctx),
    ...openIdPages(ctx),
    ...samlPages(ctx),
    ...ldapPages(ctx),
    ...setupPages(ctx),
    ...newOrganizationPages(ctx),
    ...resetPages(ctx),
  ],
  jobs: [greetLater],
  chores: [syncDirectories],
};
