/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../imports.ts";
import type { Route } from "../route.ts";

export const cancelImport: Route<typeof declared.cancelImport> = {
  method: "DELETE",
  path: "/import/realm/{import_id}",
  texts: [],
};
export const createImport: Route<typeof declared.createImport> = {
  method: "POST",
  path: "/import/realm",
  texts: ["file_name"],
};
export const getImportPlan: Route<typeof declared.getImportPlan> = {
  method: "GET",
  path: "/import/realm/{import_id}/plan",
  texts: [],
};
export const getImportReport: Route<typeof declared.getImportReport> = {
  method: "GET",
  path: "/import/realm/{import_id}/report",
  texts: [],
};
export const getImports: Route<typeof declared.getImports> = { method: "GET", path: "/import/realm", texts: [] };
export const inspectImport: Route<typeof declared.inspectImport> = {
  method: "POST",
  path: "/import/realm/{import_id}/inspect",
  texts: [],
};
export const runImport: Route<typeof declared.runImport> = {
  method: "POST",
  path: "/import/realm/{import_id}/run",
  texts: [],
};
export const updateImportPlan: Route<typeof declared.updateImportPlan> = {
  method: "PATCH",
  path: "/import/realm/{import_id}/plan",
  texts: ["unthreaded"],
};
