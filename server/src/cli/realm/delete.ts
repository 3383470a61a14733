import { requestDeletion } from "../../domain/data/deletion/request.ts";
import type { Db } from "../../platform/db/connect.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { findOrganization, realmOption } from "../accounts.ts";
import { command, UsageError } from "../command.ts";
import { withDatabase } from "../database.ts";
import { untilDone } from "../progress.ts";

export const realmDelete = command({
  options: {
    realm: realmOption,
    confirm: { type: "string", value: "NAME", description: "The organization's display name, to confirm." },
    wait: {
      type: "boolean",
      description: "Wait until everything is deleted, and print the progress to standard error.",
    },
  },
  details: [
    "Deletes an organization with all its accounts, messages and files. This cannot be undone: back up or export first " +
      "(`skein realm export`).",
    "The organization is deactivated at once. A worker deletes its data in small steps, and continues after a restart. " +
      "`skein realm list` shows how far it is. Copies in backups remain until those expire.",
  ],
  examples: ['skein realm delete --realm denmark --confirm "Court of Denmark" --wait'],
  run: async ({ options, answer }) => {
    await withDatabase(async (db) => {
      const realm = await findOrganization(db, options.realm);
      const { id, name, string_id } = realm;
      if (options.confirm !== name)
        throw new UsageError(`This deletes all data of ${name}. To confirm, add: --confirm "${name}"`);
      await transaction(db, "request deletion of organization", (tx) => requestDeletion(tx, realm));
      if (!options.wait) {
        const text = `${name} is deactivated, and a worker deletes its data. See \`skein realm list\` for the progress.`;
        answer({ id, string_id, name, finished: false }, text);
        return;
      }
      const rows = await untilDone(() => progressOf(db, id));
      answer({ id, string_id, name, finished: true, rows_deleted: rows }, `Deleted ${name}: ${rows} rows.`);
    });
  },
});

async function progressOf(db: Db, id: number): Promise<{ done?: number; progress: string }> {
  const { deleting_from, rows_deleted, finished_at } = await db
    .selectFrom("realm_deletions")
    .selectAll()
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  if (finished_at) return { done: rows_deleted, progress: `${rows_deleted} rows, done` };
  return {
    progress: deleting_from === null ? "waiting for a worker" : `${rows_deleted} rows, deleting from ${deleting_from}`,
  };
}
