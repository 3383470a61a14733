/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../subdomains.ts";
import type { Route } from "../route.ts";

export const checkSubdomain: Route<typeof declared.checkSubdomain> = {
  method: "GET",
  path: "/realm/subdomain/{subdomain}",
  texts: ["subdomain"],
};
