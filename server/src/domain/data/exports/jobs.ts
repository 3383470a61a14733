/**
 * Creating exports. If a worker is killed halfway, nothing can be downloaded, and another worker starts over. An export whose
 * last attempt has failed, or whose last worker was killed, is marked as failed.
 */
import { sql } from "kysely";
import { z } from "zod";
import type { Context, TxContext } from "../../../context.ts";
import { accountById } from "../../../identity/account.ts";
import { enqueue, hasPendingJob, job } from "../../../jobs/job.ts";
import { transaction, type Tx } from "../../../platform/db/transaction.ts";
import { sendNotice } from "../../messages/send/notice.ts";
import { realmUrlWithoutRequest } from "../../organization/realm/address.ts";
import { isPending, lockExports, type ExportRow } from "./access.ts";
import { exportKey, exportType, exportUrl } from "./address.ts";
import { archive } from "./archive.ts";
import { emitExports } from "./events.ts";
import { packed } from "./packed.ts";

const attempts = 3;
const jobKey = (id: number): string => `export-${id}`;

export const makeExport = job({
  name: "make-export",
  payload: z.object({ id: z.int() }),
  maxAttempts: attempts,
  // One at a time: each reads much of the database.
  queue: () => "exports",
  run: async (ctx, { id }, { attempt, maxAttempts }) => {
    const exportRow = await ctx.db.selectFrom("realm_exports").selectAll().where("id", "=", id).executeTakeFirst();
    if (!exportRow || !isPending(exportRow)) return;
    try {
      const size = await store(ctx, exportRow);
      await transaction(ctx.db, "finish export", (tx) => finish(tx, ctx, exportRow, size));
    } catch (error) {
      if (attempt >= maxAttempts) await transaction(ctx.db, "fail export", (tx) => fail(tx, ctx, exportRow));
      throw error;
    }
  },
});

export const enqueueExport = (tx: Tx, id: number): Promise<void> =>
  enqueue(tx, makeExport, { id }, { key: jobKey(id) });

/** Returns the size of the file, which becomes visible only once it is complete. */
async function store(ctx: Context, exportRow: ExportRow): Promise<number> {
  let size = 0;
  const counted = async function* () {
    for await (const chunk of packed(archive(ctx, exportRow))) {
      size += chunk.length;
      yield chunk;
    }
  };
  await ctx.files.putStream(exportKey(exportRow), counted(), exportType);
  return size;
}

async function finish(tx: Tx, ctx: TxContext, exportRow: ExportRow, size: number): Promise<void> {
  const { realm_id, acting_user_id } = exportRow;
  if (!(await conclude(tx, exportRow, { finished_at: new Date(), size }))) return;
  const requester = await accountById(tx, acting_user_id);
  const site = realmUrlWithoutRequest(ctx.config, await hostOf(tx, realm_id));
  await emitExports(tx, realm_id, site);
  if (!requester) return;
  const text = `Your data export is ready: [download it](${exportUrl(site, exportRow)}).`;
  await sendNotice(tx, ctx, requester.realm, "notification-bot", { userIds: [requester.id] }, text);
}

async function fail(tx: Tx, ctx: TxContext, exportRow: ExportRow): Promise<void> {
  if (!(await conclude(tx, exportRow, { failed_at: new Date() }))) return;
  await emitExports(tx, exportRow.realm_id, realmUrlWithoutRequest(ctx.config, await hostOf(tx, exportRow.realm_id)));
}

/** Returns false if it was already concluded. */
async function conclude(
  tx: Tx,
  { id, realm_id }: ExportRow,
  outcome: { finished_at: Date; size: number } | { failed_at: Date },
): Promise<boolean> {
  await lockExports(tx, realm_id);
  const concluded = await tx
    .updateTable("realm_exports")
    .set(outcome)
    .where("id", "=", id)
    .where("finished_at", "is", null)
    .where("failed_at", "is", null)
    .returning("id")
    .executeTakeFirst();
  return concluded !== undefined;
}

const hostOf = (tx: Tx, realmId: number): Promise<{ host: string | null }> =>
  tx.selectFrom("realms").select("host").where("id", "=", realmId).executeTakeFirstOrThrow();

/** A worker that is killed in its last attempt reports nothing, so exports without a job are marked as failed. */
export const failLostExports = job({
  name: "fail-lost-exports",
  payload: z.object({}),
  schedule: "*/10 * * * *",
  run: async (ctx: Context) => {
    const { rows } = await sql<ExportRow>`
      select e.* from realm_exports e
      where e.finished_at is null and e.failed_at is null and e.requested_at < now() - interval '1 minute'
        and not ${hasPendingJob(sql`'export-' || e.id`)}`.execute(ctx.db);
    for (const lost of rows) await transaction(ctx.db, "fail lost export", (tx) => fail(tx, ctx, lost));
  },
});
