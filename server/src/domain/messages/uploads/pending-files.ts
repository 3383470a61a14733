/**
 * Files whose bytes are stored before anything in the database refers to them. Each is marked as pending first; the
 * transaction that keeps it removes the mark. If that transaction is known to have failed, the bytes are removed at
 * once. If the outcome is unknown, because the connection broke during the commit or the process died, both stay, and a
 * sweep a day later asks the database.
 */
import { sql } from "kysely";
import type { Context } from "../../../context.ts";
import { enqueueAll } from "../../../jobs/job.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { transaction, type Tx } from "../../../platform/db/transaction.ts";
import { removeStored } from "./jobs.ts";

/** Must run before the bytes are stored. */
export async function markPending(db: Db, key: string): Promise<void> {
  await sql`
    insert into pending_files (file_key) values (${key})
    on conflict (file_key) do update set since = now()`.execute(db);
}

/** Belongs in the transaction that makes the database refer to the file. */
export async function clearPending(tx: Tx, key: string): Promise<void> {
  await tx.deleteFrom("pending_files").where("file_key", "=", key).execute();
}

/** For a file that nothing can refer to. The bytes go first: a mark without bytes does no harm. */
export async function discardFile({ db, files }: Context, key: string): Promise<void> {
  await files.remove(key);
  await db.deleteFrom("pending_files").where("file_key", "=", key).execute();
}

const batchSize = 500;

/** Removes files that have been pending for a day and have not become an upload. Returns how many there were. */
export async function sweepPendingFiles({ db }: Context): Promise<number> {
  for (let swept = 0; ;) {
    const gone = await transaction(db, "sweep pending files", async (tx) => {
      const { rows } = await sql<{ key: string; is_kept: boolean }>`
        delete from pending_files where file_key in (
          select file_key from pending_files where since < now() - interval '1 day'
          order by since limit ${batchSize} for update skip locked)
        returning file_key as key, exists (
          select from attachments a where 'uploads/' || a.path_id = file_key and a.path_id = substr(file_key, 9)) as is_kept`.execute(
        tx,
      );
      const orphans = rows.filter(({ is_kept }) => !is_kept);
      await enqueueAll(
        tx,
        removeStored,
        orphans.map(({ key }) => ({ keys: [key] })),
      );
      return { found: rows.length, orphans: orphans.length };
    });
    swept += gone.orphans;
    if (gone.found < batchSize) return swept;
  }
}
