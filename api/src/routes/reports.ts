/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../reports.ts";
import type { Route } from "../route.ts";

export const reportMessage: Route<typeof declared.reportMessage> = {
  method: "POST",
  path: "/messages/{message_id}/report",
  texts: ["report_type", "description"],
};
