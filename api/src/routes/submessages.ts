/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../submessages.ts";
import type { Route } from "../route.ts";

export const addSubmessage: Route<typeof declared.addSubmessage> = {
  method: "POST",
  path: "/submessage",
  texts: ["msg_type", "content"],
};
