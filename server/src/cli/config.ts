import { settings } from "../config.ts";
import { command, table } from "./command.ts";

export const config = command({
  options: {},
  run: async ({ answer }) => {
    const rows = Object.values(settings).map((declared) => ({
      variable: declared.variable,
      meaning: declared.meaning,
      default: declared.default,
      current: current(process.env[declared.variable], declared.default, "secret" in declared),
    }));
    const lines = rows.map((row): [string, string] => [row.variable, describe(row)]);
    answer(rows, table(lines));
  },
});

/** Shows that a secret is set, but not its value. */
function current(given: string | undefined, fallback: string, isSecret: boolean): string {
  if (given === undefined || given === "") return fallback;
  return isSecret ? "(set)" : given;
}

function describe(row: { meaning: string; default: string; current: string }): string {
  const fallback = `Default: ${row.default === "" ? "empty" : row.default}.`;
  return `${row.meaning} ${fallback}${row.current === row.default ? "" : ` Now: ${row.current}.`}`;
}
