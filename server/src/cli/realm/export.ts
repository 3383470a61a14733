import { exportTypes } from "@skein/api/exports.ts";
import type { Config } from "../../config.ts";
import type { ExportRow } from "../../domain/data/exports/access.ts";
import { requestOperatorExport } from "../../domain/data/exports/actions.ts";
import { exportKey, exportUrl } from "../../domain/data/exports/address.ts";
import { archive } from "../../domain/data/exports/archive.ts";
import { packed } from "../../domain/data/exports/packed.ts";
import { everything } from "../../domain/data/exports/scope.ts";
import { zulipArchive } from "../../domain/data/exports/zulip/archive.ts";
import { realmUrlWithoutRequest } from "../../domain/organization/realm/address.ts";
import type { Db } from "../../platform/db/connect.ts";
import { auditedCommand } from "../../domain/organization/audit/audited.ts";
import { byOperator, record } from "../../domain/organization/audit/record.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { openFileStore } from "../../platform/open-file-store.ts";
import { SecretBox } from "../../platform/secret-box.ts";
import { findOrganization, realmOption } from "../accounts.ts";
import { command, UsageError } from "../command.ts";
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
    everything: {
      type: "boolean",
      description: "Export all data of everybody, for moving to another server. Needs --output.",
    },
    format: {
      type: "string",
      value: "FORMAT",
      default: "skein",
      description: "skein, or zulip for what Zulip 12 can import. The latter needs --output.",
    },
    output: { type: "string", value: "FILE", description: "Wait for the export and write it to this new file." },
    wait: { type: "boolean", description: "Wait for the export and print its URL." },
  },
  details: [
    "A worker creates the export; the organization's owner is notified when it is ready and can download it. docs/export.md " +
      "describes its contents. --output needs the server's file store (SKEIN_FILES_DIR or SKEIN_S3_BUCKET).",
    "With --everything or --format zulip this command writes the file itself, and the server keeps no copy. --everything " +
      "includes private messages of people who were not asked. `skein import run` reads exports of both formats.",
  ],
  examples: [
    "skein realm export --output denmark.tar.gz",
    "skein realm export --realm denmark --consented --wait",
    "skein realm export --everything --output denmark.tar.gz",
    "skein realm export --everything --format zulip --output denmark-for-zulip.tar.gz",
  ],
  run: async ({ options, answer }) => {
    const { format, output } = options;
    if (format !== "skein" && format !== "zulip") throw new UsageError("--format is skein or zulip.");
    if (options.everything && options.consented) throw new UsageError("Choose --consented or --everything.");
    const limited = options.consented ? exportTypes.withConsent : exportTypes.public;
    const export_type = options.everything ? everything : limited;
    if (options.everything || format === "zulip") {
      if (output === undefined)
        throw new UsageError(`${options.everything ? "--everything" : "--format zulip"} needs --output.`);
      const size = await writeDirectly(output, { realm: options.realm, format, export_type });
      answer({ finished: true, size, file: output }, `Wrote ${formatBytes(size)} to ${output}.`);
      return;
    }
    await withDatabase(async (db, config) => {
      const realm = await findOrganization(db, options.realm);
      const site = realmUrlWithoutRequest(config, realm);
      const request = () =>
        transaction(db, "request export", (tx) =>
          auditedCommand(tx, realm, { kind: "export", id: (id: number) => id, action: "export.create" }, () =>
            requestOperatorExport(tx, realm, export_type, site),
          ),
        );
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

interface DirectExport {
  realm: string | undefined;
  format: "skein" | "zulip";
  export_type: number;
}

/** Returns the size of the file. */
const writeDirectly = (path: string, { realm: shortName, format, export_type }: DirectExport): Promise<number> =>
  withDatabase(async (db, config) => {
    const realm = await findOrganization(db, shortName);
    const files = await openFileStore(config);
    const secretBox = new SecretBox(config.secret, config.secondSecret);
    const requested = { id: null, realm_id: realm.id, export_type };
    return writeNewFile(path, async (file) => {
      // Before anything leaves the server.
      await transaction(db, "record export", (tx) =>
        record(tx, realm.id, byOperator, {
          action: "export.create",
          target: { kind: "export", id: null },
          after: { export_type, format },
        }),
      );
      const contents = format === "zulip" ? zulipArchive : archive;
      await file.writeFile(packed(contents({ db, files, secretBox }, requested)));
      return (await file.stat()).size;
    });
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
