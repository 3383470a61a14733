import { readConfig } from "../config.ts";
import { migrate as applyMigrations } from "../platform/db/migrate.ts";
import { command, print } from "./command.ts";
import { reach } from "./database.ts";

export const migrate = command({
  options: {},
  run: async ({ json, answer }) => {
    const applied = await reach(readConfig(process.env), (url) =>
      applyMigrations(url, ({ name, milliseconds }) => {
        if (!json) print(`${name}  ${milliseconds} ms`);
      }),
    );
    answer({ applied }, applied.length === 0 ? "The database is up to date." : `Applied ${applied.length}.`);
  },
});
