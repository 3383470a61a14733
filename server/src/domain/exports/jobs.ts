/**
 * Making exports. A worker that is killed half-way leaves nothing that could be fetched; another begins anew. What has
 * failed for the last time, or was lost with its last worker, is marked as failed and told so.
 */
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { sql } from "kysely";
import { z } from "zod";
import type { Context } from "../../context.ts";
import { accountById } from "../../http/sessions.ts";
import { enqueue, job } from "../../jobs/job.ts";
import { tar } from "../../platform/tar.ts";
import { transaction, type Tx } from "../../platform/db/transaction.ts";
import { sendNotice } from "../messages/notice.ts";
import { addressWithoutRequest } from "../realm/address.ts";
import { isUnderWay, lockExports, type ExportRow } from "./access.ts";
import { exportKey, exportType, exportUrl } from "./address.ts";
import { archive } from "./archive.ts";
import { emitExports } from "./events.ts";

const attempts = 3;
const jobKey = (id: number): string => `export-${id}`;

export const makeExport = job({
  name: "make-export",
  payload: z.object({ id: z.int() }),
  maxAttempts: attempts,
  // One at a time: each reads much of the database.
  queue: () => "exports",
  run: async (ctx, { id }, { attempt, maxAttempts }) => {
    const wanted = await ctx.db.selectFrom("realm_exports").selectAll().where("id", "=", id).executeTakeFirst();
    if (!wanted || !isUnderWay(wanted)) return;
    try {
      const size = await store(ctx, wanted);
      await transaction(ctx.db, "finish export", (tx) => finish(tx, ctx, wanted, size));
    } catch (error) {
      if (attempt >= maxAttempts) await transaction(ctx.db, "fail export", (tx) => fail(tx, ctx, wanted));
      throw error;
    }
  },
});

export const makeLater = (tx: Tx, id: number): Promise<void> => enqueue(tx, makeExport, { id }, { key: jobKey(id) });

/** Gives back how large it has become. The file appears when all of it is there. */
async function store(ctx: Context, wanted: ExportRow): Promise<number> {
  let size = 0;
  const counted = async function* () {
    for await (const chunk of compressed(tar(archive(ctx, wanted)))) {
      size += chunk.length;
      yield chunk;
    }
  };
  await ctx.files.putStream(exportKey(wanted), counted(), exportType);
  return size;
}

async function* compressed(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const gzip = createGzip();
  const fed = pipeline(chunks, gzip);
  // What goes wrong there ends the reading below with the same error.
  fed.catch(() => undefined);
  for await (const chunk of gzip) yield chunk as Buffer; // what a stream of bytes gives
  await fed;
}

async function finish(tx: Tx, ctx: Context, wanted: ExportRow, size: number): Promise<void> {
  const { realm_id, acting_user_id } = wanted;
  if (!(await conclude(tx, wanted, { finished_at: new Date(), size }))) return;
  const requester = await accountById(tx, acting_user_id);
  const site = addressWithoutRequest(ctx.config, await hostOf(tx, realm_id));
  await emitExports(tx, realm_id, site);
  if (!requester) return;
  const text = `The data export you asked for is ready: [download it](${exportUrl(site, wanted)}).`;
  await sendNotice(tx, ctx, requester.realm, "notification-bot", { userIds: [requester.id] }, text);
}

async function fail(tx: Tx, ctx: Context, wanted: ExportRow): Promise<void> {
  if (!(await conclude(tx, wanted, { failed_at: new Date() }))) return;
  await emitExports(tx, wanted.realm_id, addressWithoutRequest(ctx.config, await hostOf(tx, wanted.realm_id)));
}

/** False when somebody else has concluded it. */
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

/** A worker killed in its last attempt tells nobody; what no job is left for will never be finished. */
export const failLostExports = job({
  name: "fail-lost-exports",
  payload: z.object({}),
  schedule: "*/10 * * * *",
  run: async (ctx: Context) => {
    const { rows } = await sql<ExportRow>`
      select e.* from realm_exports e
      where e.finished_at is null and e.failed_at is null and e.requested_at < now() - interval '1 minute'
        and not exists (
          select from graphile_worker.jobs j
          where j.key = ${"export-"} || e.id and (j.attempts < j.max_attempts or j.locked_at is not null))`.execute(
      ctx.db,
    );
    for (const lost of rows) await transaction(ctx.db, "fail lost export", (tx) => fail(tx, ctx, lost));
  },
});
