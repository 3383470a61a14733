/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../read-receipts.ts";
import type { Route } from "../route.ts";

export const getReadReceipts: Route<typeof declared.getReadReceipts> = {
  method: "GET",
  path: "/messages/{message_id}/read_receipts",
  texts: [],
};
