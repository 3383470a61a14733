/** The import itself: everything of `skein import run` that needs the server's code. */
import { basename } from "node:path";
import { byOperator, record } from "../../domain/organization/audit/record.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { constants, getPriority, setPriority } from "node:os";
import { readConfig } from "../../config.ts";
import { slackFetcher } from "../../domain/data/imports/run/fetch-file.ts";
import type { Progress } from "../../domain/data/imports/run/import-context.ts";
import type { Plan } from "../../domain/data/imports/run/plan.ts";
import type { Report } from "../../domain/data/imports/run/report.ts";
import { runImport } from "../../domain/data/imports/run/run.ts";
import { fingerprintOf, openExport } from "../../domain/data/imports/export-file.ts";
import { connect } from "../../platform/db/connect.ts";
import { compareSchema, demandKnownSchema } from "../../platform/db/schema-state.ts";
import { openFileStore } from "../../platform/open-file-store.ts";
import { smallMemory } from "../../platform/small-memory.ts";
import { Outbound } from "../../platform/outbound.ts";
import { findOrganization } from "../accounts.ts";
import { txContext } from "../context.ts";
import { explainUnreachable } from "../database.ts";

interface PerformOptions {
  realm: string | undefined;
  plan: Plan | undefined;
  fetchesFiles: boolean;
  onProgress: (progress: Progress) => void;
}

export async function performImport(
  path: string,
  { realm: shortName, plan, fetchesFiles, onProgress }: PerformOptions,
): Promise<{ report: Report; source: string; realmName: string }> {
  // The server that people use comes first, if it is on the same machine. Whoever runs this under nice may have gone further.
  setPriority(Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL));
  const config = readConfig(process.env);
  demandKnownSchema(await explainUnreachable(config, compareSchema));
  const db = connect({ url: config.databaseUrl, connections: 8, writesInBulk: true, name: "skein import" });
  try {
    const realm = await findOrganization(db, shortName);
    const memory = smallMemory();
    const fetcher = fetchesFiles ? slackFetcher(new Outbound(config.outboundAllow)) : undefined;
    let source = "";
    // In many transactions, of which the first one is this.
    await transaction(db, "record import", (tx) =>
      record(tx, realm.id, byOperator, {
        action: "import.run",
        target: { kind: "import", id: null },
        after: { file_name: basename(path) },
      }),
    );
    const report = await runImport(
      { ...txContext(config), db, files: await openFileStore(config) },
      {
        realmId: realm.id,
        open: async (noteSkipped) => {
          const opened = await openExport(path, noteSkipped, { db, realm }, fetcher ?? {});
          source = opened.name;
          return opened;
        },
        fingerprint: await fingerprintOf(path),
        ...(plan ? { plan } : {}),
        ...(fetcher ? { fetcher } : {}),
        onProgress: (progress) => {
          onProgress(progress);
          memory.keep();
        },
      },
    );
    return { report, source, realmName: realm.name };
  } finally {
    await db.destroy();
  }
}
