/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../audit-log.ts";
import type { Route } from "../route.ts";

export const getAuditActions: Route<typeof declared.getAuditActions> = {
  method: "GET",
  path: "/audit_log/actions",
  texts: [],
};
export const getAuditLog: Route<typeof declared.getAuditLog> = {
  method: "GET",
  path: "/audit_log",
  texts: ["target_kind"],
};
