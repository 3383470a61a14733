import { abandonImport } from "../../domain/data/imports/run/abandon.ts";
import { byOperator, record } from "../../domain/organization/audit/record.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { findOrganization, realmOption } from "../accounts.ts";
import { command } from "../command.ts";
import { withDatabase } from "../database.ts";

export const importAbandon = command({
  args: [],
  options: { realm: realmOption },
  details: [
    "For an import that failed or was interrupted and will not be run again. Until it is finished or abandoned, no " +
      "accounts can be merged.",
    "Removes what the import has read from the export and not stored yet. People, channels and messages that it has " +
      "stored stay; a later import of the same export adds the rest.",
  ],
  examples: ["skein import abandon --realm denmark"],
  run: async ({ options, answer }) => {
    await withDatabase(async (db) => {
      const realm = await findOrganization(db, options.realm);
      const abandoned = await transaction(db, "abandon an import", async (tx) => {
        const found = await abandonImport(tx, realm.id);
        if (found)
          await record(tx, realm.id, byOperator, {
            action: "import.cancel",
            target: { kind: "import", id: null },
            before: { source: found.source, phase: found.phase },
          });
        return found;
      });
      if (!abandoned) throw new Error(`No import into ${realm.name} is unfinished.`);
      answer(
        { source: abandoned.source, phase: abandoned.phase },
        `Abandoned the import from ${abandoned.source}, which had come to: ${abandoned.phase}.`,
      );
    });
  },
});
