/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../exports.ts";
import type { Route } from "../route.ts";

export const createExport: Route<typeof declared.createExport> = { method: "POST", path: "/export/realm", texts: [] };
export const getExportConsents: Route<typeof declared.getExportConsents> = {
  method: "GET",
  path: "/export/realm/consents",
  texts: [],
};
export const getExports: Route<typeof declared.getExports> = { method: "GET", path: "/export/realm", texts: [] };
export const removeExport: Route<typeof declared.removeExport> = {
  method: "DELETE",
  path: "/export/realm/{export_id}",
  texts: [],
};
