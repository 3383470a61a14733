/**
 * Deletes an organization with everything in it: table by table, in transactions short enough not to block others. Each
 * transaction records its progress and stores jobs that remove the files of its rows. So a worker can be killed at any
 * time: whoever continues deletes what is left.
 */
import { sql, type RawBuilder } from "kysely";
import { z } from "zod";
import type { Context } from "../../../context.ts";
import { enqueueAll, job } from "../../../jobs/job.ts";
import { transaction, type Tx } from "../../../platform/db/transaction.ts";
import { inChunks } from "../../base/chunks.ts";
import { removeStored } from "../../messages/uploads/jobs.ts";
import { fileColumns } from "./files.ts";
import { lastTables, tablesInOrder } from "./tables.ts";

/** Few tables have an index by organization, so a search finds many rows, which several transactions delete. */
const foundAtOnce = 100_000;
const deletedAtOnce = 1000;

export const deletionKey = (id: number): string => `delete-realm-${id}`;

export const deleteRealm = job({
  name: "delete-realm",
  payload: z.strictObject({ id: z.int() }),
  maxAttempts: 100,
  queue: () => "realm-deletions",
  run: async (ctx, { id }) => {
    const requested = await ctx.db.selectFrom("realm_deletions").selectAll().where("id", "=", id).executeTakeFirst();
    if (!requested || requested.finished_at) return;
    await forgetReferences(ctx, id);
    const tables = await tablesInOrder(ctx.db);
    // Triggers of one table can add a row to another, which the next pass finds.
    const keeping = { keepsFiles: requested.keeps_files };
    while ((await deleteFromAll(ctx, id, tables, keeping)) > 0);
    await transaction(ctx.db, "finish deleting organization", (tx) => finish(tx, id, keeping));
    ctx.logger.info({ realm_id: id, name: requested.name }, "deleted the organization");
  },
});

/** Clears the references that would require a certain order among the rows of a table, or between two tables. */
async function forgetReferences({ db }: Context, id: number): Promise<void> {
  await sql`update user_groups set creator_id = null where realm_id = ${id} and creator_id is not null`.execute(db);
  await sql`update users set bot_owner_id = null where realm_id = ${id} and bot_owner_id is not null`.execute(db);
}

interface Keeping {
  /** Files belong to the cell that the organization has moved to as well. */
  keepsFiles: boolean;
}

async function deleteFromAll(ctx: Context, id: number, tables: readonly string[], keeping: Keeping): Promise<number> {
  let total = 0;
  for (const table of tables) total += await deleteFrom(ctx, id, table, keeping);
  return total;
}

async function deleteFrom(ctx: Context, id: number, table: string, keeping: Keeping): Promise<number> {
  for (let total = 0; ;) {
    const { rows } = await sql<{ place: string }>`
      select ctid::text as place from ${sql.table(table)} where realm_id = ${id} limit ${foundAtOnce}`.execute(ctx.db);
    if (rows.length === 0) return total;
    const places = rows.map(({ place }) => place);
    for (const some of inChunks(places, deletedAtOnce)) {
      const isSome = sql`t.ctid = any(${some}::text[]::tid[]) and t.realm_id = ${id}`;
      total += await transaction(ctx.db, "delete rows of an organization", async (tx) => {
        const deleted = await deleteRows(tx, table, isSome, keeping);
        await noteProgress(tx, id, table, deleted);
        return deleted;
      });
    }
  }
}

/** Returns how many rows there were. */
async function deleteRows(
  tx: Tx,
  table: string,
  condition: RawBuilder<unknown>,
  { keepsFiles }: Keeping,
): Promise<number> {
  const files = keepsFiles ? undefined : fileColumns[table];
  const { rows } = await sql<Record<string, unknown>>`
    delete from ${sql.table(table)} t where ${condition} returning ${sql.raw(files?.columns ?? "1")}`.execute(tx);
  const keys = files ? rows.flatMap(files.keys) : [];
  await enqueueAll(
    tx,
    removeStored,
    inChunks(keys, 100).map((some) => ({ keys: some })),
  );
  return rows.length;
}

const noteProgress = (tx: Tx, id: number, table: string, deleted: number) =>
  sql`update realm_deletions set deleting_from = ${table}, rows_deleted = rows_deleted + ${deleted}
    where id = ${id}`.execute(tx);

async function finish(tx: Tx, id: number, keeping: Keeping): Promise<void> {
  for (const table of lastTables) {
    const isOwn = table === "realms" ? sql`t.id = ${id}` : sql`t.realm_id = ${id}`;
    await noteProgress(tx, id, table, await deleteRows(tx, table, isOwn, keeping));
  }
  await sql`update realm_deletions set deleting_from = null, finished_at = now() where id = ${id}`.execute(tx);
}
