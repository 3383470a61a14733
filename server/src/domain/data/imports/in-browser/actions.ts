import { ApiError } from "../../../../errors.ts";
import type { Config } from "../../../../config.ts";
import type { User } from "../../../../identity/account.ts";
import { enqueue } from "../../../../jobs/job.ts";
import type { Tx } from "../../../../platform/db/transaction.ts";
import { shownName } from "../../../messages/uploads/file-name.ts";
import { removeStored } from "../../../messages/uploads/jobs.ts";
import { abandonUpload, root, startUploadOfParts, takeParts } from "../../../messages/uploads/resumable/upload.ts";
import { ImportBusy } from "../refused.ts";
import { abandonImport } from "../run/abandon.ts";
import { accessImportForUpdate, accessImports, type RealmImportRow } from "./access.ts";
import { changeImport, emitImport } from "./events.ts";
import { enqueueInspection, enqueueRun } from "./job-names.ts";
import { toImport } from "./queries.ts";

export const maxImportBytes = ({ maxImportMebibytes }: Pick<Config, "maxImportMebibytes">): number =>
  maxImportMebibytes * 1024 ** 2;

/** Announces a file, which the same user uploads. */
export async function startImport(
  tx: Tx,
  config: Config,
  actor: User,
  { file_name, size }: { file_name: string; size: number },
): Promise<{ id: number; upload_url: string }> {
  accessImports(actor);
  refuseTooLarge(config, size);
  const upload_id = await startUploadOfParts(tx, actor, { name: file_name, size });
  const row = await tx
    .insertInto("realm_imports")
    .values({ realm_id: actor.realm_id, acting_user_id: actor.id, file_name: shownName(file_name), size, upload_id })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  if (!row) throw new ApiError("Another import into this organization has not ended. Finish it or cancel it first.");
  emitImport(tx, row);
  return { id: row.id, upload_url: `${root}/${upload_id}` };
}

function refuseTooLarge(config: Config, size: number): void {
  const { maxImportMebibytes } = config;
  if (maxImportMebibytes === 0)
    throw new ApiError("This server does not accept exports of other chats here. Its operator can import them.");
  if (size > maxImportBytes(config))
    throw new ApiError(
      `The file is larger than this server accepts for imports (${maxImportMebibytes} MiB). Its operator can import it, or raise the limit.`,
      { status: 413 },
    );
}

export async function beginInspection(tx: Tx, actor: User, id: number): Promise<void> {
  const row = await accessImportForUpdate(tx, actor, id, ["uploading"]);
  const parts = row.upload_id === null ? undefined : await takeParts(tx, row.upload_id);
  if (!parts) throw new ApiError("The file is not uploaded completely.");
  await tx
    .insertInto("realm_import_parts")
    .values(parts.map((file_key, index) => ({ import_id: id, realm_id: row.realm_id, number: index, file_key })))
    .execute();
  await enqueueInspection(tx, id);
  await changeImport(tx, row, ["uploading"], { state: "inspecting", upload_id: null });
}

export async function beginRun(tx: Tx, actor: User, id: number, fetchesFiles: boolean): Promise<void> {
  const row = await accessImportForUpdate(tx, actor, id, ["ready", "failed"]);
  if (fetchesFiles && !toImport(row).inspection?.files.fetchable)
    throw new ApiError("This export has no files that can be fetched.");
  await enqueueRun(tx, id, fetchesFiles);
  const run_at = row.run_at ?? new Date();
  await changeImport(tx, row, ["ready", "failed"], { state: "running", reason: null, progress: null, run_at });
}

export async function cancelImport(tx: Tx, actor: User, id: number): Promise<void> {
  const row = await accessImportForUpdate(tx, actor, id, ["uploading", "inspecting", "ready", "failed"]);
  try {
    await endImport(tx, row, { state: "canceled" });
  } catch (error) {
    throw error instanceof ImportBusy ? new ApiError(error.message) : error;
  }
}

/** Removes the file and the plan, and what a run that failed has left in the staging tables. */
export async function endImport(
  tx: Tx,
  row: RealmImportRow,
  outcome: Parameters<typeof changeImport>[3],
): Promise<void> {
  const { id, state, upload_id, realm_id, fingerprint } = row;
  if (state === "failed" && fingerprint !== null) await abandonImport(tx, realm_id, fingerprint);
  const parts = await tx.deleteFrom("realm_import_parts").where("import_id", "=", id).returning("file_key").execute();
  const keys = parts.map(({ file_key }) => file_key);
  if (keys.length > 0) await enqueue(tx, removeStored, { keys });
  await tx.deleteFrom("realm_import_people").where("import_id", "=", id).execute();
  await tx.deleteFrom("realm_import_channels").where("import_id", "=", id).execute();
  await changeImport(tx, row, [state], { progress: null, upload_id: null, finished_at: new Date(), ...outcome });
  if (upload_id !== null) await abandonUpload(tx, upload_id);
}
