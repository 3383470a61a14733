/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../audit-destinations.ts";
import type { Route } from "../route.ts";

export const createAuditDestination: Route<typeof declared.createAuditDestination> = {
  method: "POST",
  path: "/audit_log/destinations",
  texts: ["url"],
};
export const deleteAuditDestination: Route<typeof declared.deleteAuditDestination> = {
  method: "DELETE",
  path: "/audit_log/destinations/{destination_id}",
  texts: [],
};
export const getAuditDestinations: Route<typeof declared.getAuditDestinations> = {
  method: "GET",
  path: "/audit_log/destinations",
  texts: [],
};
export const updateAuditDestination: Route<typeof declared.updateAuditDestination> = {
  method: "PATCH",
  path: "/audit_log/destinations/{destination_id}",
  texts: ["url"],
};
