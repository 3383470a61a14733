import { readConfig } from "../config.ts";
import { serve as serveUntilStopped } from "../main.ts";
import { command } from "./command.ts";

export const serve = command({
  options: {
    roles: {
      type: "string",
      value: "ROLES",
      description: "Roles of this process: api, relay, worker, separated by commas. Overrides SKEIN_ROLES.",
    },
  },
  run: async ({ options }) => {
    const roles = options.roles === undefined ? {} : { SKEIN_ROLES: options.roles };
    await serveUntilStopped(readConfig({ ...process.env, ...roles }));
    process.exit(0); // everything is stopped; do not wait for handles that libraries keep open
  },
});
