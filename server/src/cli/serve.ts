import { readConfig } from "../config.ts";
import { serve as serveUntilTold } from "../main.ts";
import { command } from "./command.ts";

export const serve = command({
  options: {
    roles: {
      type: "string",
      value: "ROLES",
      description: "What it does: any of api, relay, worker, separated by commas. Overrides SKEIN_ROLES.",
    },
  },
  run: async ({ options }) => {
    const roles = options.roles === undefined ? {} : { SKEIN_ROLES: options.roles };
    await serveUntilTold(readConfig({ ...process.env, ...roles }));
    process.exit(0); // nothing is left to do, whatever a library still holds on to
  },
});
