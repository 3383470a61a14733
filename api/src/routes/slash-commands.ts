/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../slash-commands.ts";
import type { Route } from "../route.ts";

export const runSlashCommand: Route<typeof declared.runSlashCommand> = {
  method: "POST",
  path: "/zcommand",
  texts: ["command"],
};
