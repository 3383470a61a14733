import { exportTypes } from "@skein/api/exports.ts";
import type { Config } from "../../config.ts";
import type { ExportRow } from "../../domain/data/exports/access.ts";
import { requestOperatorExport } from "../../domain/data/exports/actions.ts";
import { exportKey, exportUrl } from "../../domain/data/exports/address.ts";
import { realmUrlWithoutRequest } from "../../domain/organization/realm/address.ts";
import type { Db } from "../../platform/db/connect.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { openFileStore } from "../../platform/open-file-store.ts";
import { findOrganization, realmOption } from "../accounts.ts";
import { command } from "../command.ts";
import { withDatabase } from "../database.ts";
import { formatBytes } from "../format.ts";
import { writeNewFile } from "../new-file.ts";
import { untilDone } from "../progress.ts";

export const realmExport = command({
  options: {
    realm: realmOption,
    consented: {
      type: "boolean",
      description: "Include the private data of people who have consented to it in their settings.",
    },
    output: { type: "string", value: "FILE", description: "Wait for the export and write it to this new file." },
    wait: { type: "boolean", description: "Wait for the export and print its URL." },
  },
  details: [
    "A worker creates the export; the organization's owner is notified when it is ready and can download it. docs/export.md " +
      "describes its contents. --output needs the server's file store (SKEIN_FILES_DIR or SKEIN_S3_BUCKET).",
  ],
  examples: ["skein realm export --output denmark.tar.gz", "skein realm export --realm denmark --consented --wait"],
  run: async ({ options, answer }) => {
    const export_type = options.consented ? exportTypes.withConsent : exportTypes.public;
    await withDatabase(async (db, config) => {
      const realm = await findOrganization(db, options.realm);
      const site = realmUrlWithoutRequest(config, realm);
      const request = () =>
        transaction(db, "request export", (tx) => requestOperatorExport(tx, realm, export_type, site));
      if (options.output !== undefined) {
        // Created before the export, which may take long, to find out now whether that is possible.
        const made = await writeNewFile(options.output, async (file) => {
          const finished = await untilFinished(db, await request());
          await file.writeFile(await stored(config, finished));
          return finished;
        });
        const result = { id: made.id, finished: true, size: made.size ?? 0, url: exportUrl(site, made) };
        answer({ ...result, file: options.output }, `Wrote ${formatBytes(result.size)} to ${options.output}.`);
        return;
      }
      const id = await request();
      if (!options.wait) {
        answer({ id, finished: false }, `Requested export ${id}. The owner is notified when it is ready.`);
        return;
      }
      const made = await untilFinished(db, id);
      const url = exportUrl(site, made);
      answer({ id, finished: true, size: made.size ?? 0, url }, `Export ${id} is ready: ${url}`);
    });
  },
});

async function untilFinished(db: Db, id: number): Promise<ExportRow> {
  const made = await untilDone(() => resultOf(db, id));
  if (made.failed_at) throw new Error(`Export ${id} failed. The worker's log has the reason.`);
  return made;
}

async function resultOf(db: Db, id: number): Promise<{ done?: ExportRow; progress: string }> {
  const row = await db.selectFrom("realm_exports").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
  return row.finished_at || row.failed_at
    ? { done: row, progress: "the export has ended" }
    : { progress: "waiting for a worker to create the export" };
}

async function stored(config: Config, made: ExportRow) {
  const file = await (await openFileStore(config)).open(exportKey(made));
  if (!file) throw new Error("The export is not in this machine's file store: set SKEIN_FILES_DIR or SKEIN_S3_BUCKET.");
  return file.body;
}
