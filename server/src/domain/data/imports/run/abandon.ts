/** Gives up an import that is not finished. What it has stored stays, and is in the map: no other import stores it again. */
import { sql, type Selectable } from "kysely";
import { endQueues } from "../../../../events/end-queues.ts";
import { importLockKey, lockKinds } from "../../../../platform/db/advisory-locks.ts";
import type { ImportsTable } from "../../../../platform/db/schema.ts";
import type { Tx } from "../../../../platform/db/transaction.ts";
import { ImportBusy } from "../refused.ts";
import { settleChannels, type StoredChannel } from "./finish.ts";
import type { Report } from "./report.ts";
import { clearStaging } from "./staging.ts";

export type ImportRow = Selectable<ImportsTable>;

/** An organization has one at a time. Waits for the last commit of a process that was killed. */
export const findUnfinished = (tx: Tx, realmId: number): Promise<ImportRow | undefined> =>
  tx
    .selectFrom("imports")
    .selectAll()
    .where("realm_id", "=", realmId)
    .where("finished_at", "is", null)
    .forUpdate()
    .executeTakeFirst();

/** Abandons the organization's unfinished import, or only that of this file. Throws if it is running. */
export async function abandonImport(tx: Tx, realmId: number, fingerprint?: string): Promise<ImportRow | undefined> {
  const find = async () => {
    const unfinished = await findUnfinished(tx, realmId);
    return fingerprint === undefined || unfinished?.fingerprint === fingerprint ? unfinished : undefined;
  };
  if (!(await find())) return undefined;
  const { rows } = await sql<{ is_free: boolean }>`
    select pg_try_advisory_xact_lock(${sql.lit(lockKinds.imports)}, ${importLockKey(realmId)}::integer) as is_free`.execute(
    tx,
  );
  if (!rows[0]?.is_free) throw new ImportBusy("The import is running.");
  const unfinished = await find();
  if (unfinished) await abandon(tx, unfinished);
  return unfinished;
}

/** The caller has the lock of imports. */
export async function abandon(tx: Tx, { id, realm_id, report }: ImportRow): Promise<void> {
  const { rows: channels } = await sql<StoredChannel>`
    select conversation_id, is_new, data from import_places
    where realm_id = ${realm_id} and not is_direct and conversation_id is not null`.execute(tx);
  await settleChannels(tx, channels);
  await clearStaging(tx, realm_id);
  // As at the end of a run.
  const { imported } = report as Report; // as it was stored
  if (Object.values(imported).some((count) => count > 0)) await endQueues(tx, realm_id);
  await tx.updateTable("imports").set({ phase: "abandoned", finished_at: new Date() }).where("id", "=", id).execute();
}
