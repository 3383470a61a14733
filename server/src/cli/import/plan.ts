import { stringify } from "yaml";
import { describe, openExport } from "../../domain/data/imports/export-file.ts";
import { draftPlan } from "../../domain/data/imports/draft-plan.ts";
import { findOrganization, realmOption } from "../accounts.ts";
import { command } from "../command.ts";
import { withDatabase } from "../database.ts";
import { fileArgument, fileDetails } from "./file-argument.ts";

const explanation = `# The plan of an import: \`skein import run FILE --plan THIS_FILE\`.
# Whatever is removed from it is done as without a plan.
#
# threads.unthreaded: messages outside of threads go to a topic for each "month" or "day", or to a "single" one.
# people: with another email, somebody gets the account that has it. account: "inactive" creates an account that cannot be
#   used until an administrator reactivates it. Whoever has no email is inactive in any case.
# channels: action "new", "merge" (into the existing channel called \`into\`) or "skip"; \`name\` of a new one.
`;

export const importPlan = command({
  args: [fileArgument],
  options: { realm: realmOption },
  details: [fileDetails, "Prints what `skein import run` would do by default, as YAML to be edited."],
  examples: ["skein import plan export.zip > plan.yaml"],
  run: async ({ args: [path = ""], options, answer }) => {
    await describe(path);
    const plan = await withDatabase(async (db) => {
      const realm = await findOrganization(db, options.realm);
      const source = await openExport(path, () => undefined, { db, realm });
      try {
        return await draftPlan(source, { db, realm });
      } finally {
        await source.close();
      }
    });
    answer(plan, explanation + stringify(plan).trimEnd());
  },
});
