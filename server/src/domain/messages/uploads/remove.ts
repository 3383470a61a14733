/**
 * Removes files: at their owner's request, or because nothing needs them any more. The row is deleted first, then the
 * file.
 */
import { sql, type RawBuilder } from "kysely";
import type { Context } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import { toUser } from "../../../events/audience.ts";
import { emit } from "../../../events/emit.ts";
import type { User } from "../../../identity/account.ts";
import { enqueueAll } from "../../../jobs/job.ts";
import { transaction, type Tx } from "../../../platform/db/transaction.ts";
import { keysOf, removeStored } from "./jobs.ts";
import { uploadSpaceUsed } from "./queries.ts";

export async function removeAttachment(tx: Tx, owner: User, id: number): Promise<void> {
  const gone = await tx
    .deleteFrom("attachments")
    .where("realm_id", "=", owner.realm_id)
    .where("owner_id", "=", owner.id)
    .where("id", "=", id)
    .returning(["id", "owner_id", "path_id"])
    .execute();
  if (gone.length === 0) throw new ApiError("Invalid attachment");
  await removeStoredAndEmit(tx, owner.realm_id, gone);
}

/**
 * How long a file is kept that no message carries: it was never sent, or its last message was edited or deleted. Longer
 * than deleted messages are kept, so that a restored message has its files.
 */
const unclaimedDays = 35;
const batchSize = 200;

/** Removes the unclaimed files of one organization, in bounded steps. A file in a scheduled message is still needed. */
export async function removeUnclaimed(ctx: Context, realmId: number): Promise<number> {
  for (let removed = 0; ;) {
    const gone = await transaction(ctx.db, "remove unclaimed uploads", async (tx) => {
      const { rows } = await sql<RemovedAttachment>`
        delete from attachments where id in (
          select a.id from attachments a
          where a.realm_id = ${realmId} and a.unclaimed_since < now() - ${`${unclaimedDays} days`}::interval
            and not exists (
              select from scheduled_messages s
              where s.realm_id = a.realm_id and position(a.path_id in s.content) > 0)
          order by a.id limit ${batchSize} for update of a skip locked)
        returning id, owner_id, path_id`.execute(tx);
      await removeStoredAndEmit(tx, realmId, rows);
      return rows.length;
    });
    removed += gone;
    if (gone < batchSize) return removed;
  }
}

/** Removes the files of one organization that meet the condition on `a`, unless a scheduled message needs them. */
export async function removeAttachments(tx: Tx, realmId: number, condition: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<RemovedAttachment>`
    delete from attachments a where a.realm_id = ${realmId} and ${condition}
      and not exists (
        select from scheduled_messages s where s.realm_id = a.realm_id and position(a.path_id in s.content) > 0)
    returning a.id, a.owner_id, a.path_id`.execute(tx);
  await removeStoredAndEmit(tx, realmId, rows);
  return rows.length;
}

interface RemovedAttachment {
  id: number;
  owner_id: number;
  path_id: string;
}

async function removeStoredAndEmit(tx: Tx, realmId: number, gone: RemovedAttachment[]): Promise<void> {
  if (gone.length === 0) return;
  await enqueueAll(
    tx,
    removeStored,
    gone.map(({ path_id }) => ({ keys: keysOf(path_id) })),
  );
  const upload_space_used = await uploadSpaceUsed(tx, realmId);
  for (const { id, owner_id } of gone)
    emit(tx, realmId, toUser(owner_id), { type: "attachment", op: "remove", attachment: { id }, upload_space_used });
}
