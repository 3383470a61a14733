/**
 * Imports an export into a living organization. It is read into staging tables first, and stored from there in phases; each
 * batch is a transaction that also stores the checkpoint and the report. So a run that is killed continues where it
 * stopped, and ends with the same rows: ids are assigned once, from the staged order.
 */
import { endQueues } from "../../../../events/end-queues.ts";
import { importLockKey, lockKinds } from "../../../../platform/db/advisory-locks.ts";
import { sql } from "kysely";
import type { Db } from "../../../../platform/db/connect.ts";
import { transaction, type Tx } from "../../../../platform/db/transaction.ts";
import { accountById, type User } from "../../../../identity/account.ts";
import { roles } from "@skein/api/users.ts";
import { finishFirst, findUnfinishedMerge } from "../../merge/begin.ts";
import { systemGroupIds } from "../../../organization/permissions/group-settings.ts";
import { columnOf, realmPermissionNames } from "../../../organization/permissions/realm-permissions.ts";
import { demandSameOrigin } from "../origin.ts";
import { ImportBusy, ImportRefused } from "../refused.ts";
import type { NoteSkipped, Source } from "../source.ts";
import { abandon, findUnfinished, type ImportRow } from "./abandon.ts";
import { storeEmoji } from "./emoji.ts";
import { storeOwnThings, storeSettings } from "./extras/extras.ts";
import type { FileFetcher } from "./fetch-file.ts";
import { storeFiles } from "./files.ts";
import { finish } from "./finish.ts";
import { phases, type Import, type Phase, type Progress } from "./import-context.ts";
import { storeMessages } from "./messages.ts";
import { noteWhetherNew } from "./new-organization.ts";
import { putInOrder } from "./order.ts";
import { storePeople } from "./people.ts";
import { storePlaces } from "./places.ts";
import { toPlan, type Plan } from "./plan.ts";
import { storeProfiles } from "./profiles.ts";
import { storeReadState } from "./read-state.ts";
import { emptyReport, skipInto, type Report } from "./report.ts";
import { clearStaging, stage } from "./staging.ts";
import { Statistics } from "./statistics.ts";
import { storeTopics } from "./topics.ts";

export interface ImportOptions {
  realmId: number;
  /** Opened once the lock is held; what it leaves out is counted. */
  open: (noteSkipped: NoteSkipped) => Promise<Source>;
  /** Identifies the export: an unfinished import of another one is abandoned. */
  fingerprint: string;
  plan?: Plan;
  fetcher?: FileFetcher;
  onProgress?: (progress: Progress) => void;
  /** Called before each batch commits; tests stop the run here. */
  onBatch?: () => void;
}

export async function runImport(ctx: Import["ctx"], options: ImportOptions): Promise<Report> {
  return withLock(ctx.db, options.realmId, () => runLocked(ctx, options));
}

/** The lock is that of a connection, so it ends with the process. */
async function withLock<T>(db: Db, realmId: number, work: () => Promise<T>): Promise<T> {
  return db.connection().execute(async (connection) => {
    const { rows } = await sql<{ is_free: boolean }>`
      select pg_try_advisory_lock(${sql.lit(lockKinds.imports)}, ${importLockKey(realmId)}::integer) as is_free`.execute(
      connection,
    );
    if (!rows[0]?.is_free) throw new ImportBusy("Another import into this organization is running.");
    try {
      return await work();
    } finally {
      await sql`select pg_advisory_unlock(${sql.lit(lockKinds.imports)}, ${importLockKey(realmId)}::integer)`.execute(
        connection,
      );
    }
  });
}

async function runLocked(ctx: Import["ctx"], options: ImportOptions): Promise<Report> {
  const { realmId, onProgress = () => undefined } = options;
  let note: NoteSkipped = () => undefined;
  const source = await options.open((reason, sourceId) => note(reason, sourceId));
  try {
    await demandSameOrigin(ctx.db, realmId, source);
    const owner = await findOwner(ctx.db, realmId);
    const row = await findOrBegin(ctx.db, realmId, source, options.fingerprint);
    const run: Import = {
      ctx,
      db: ctx.db,
      id: row.id,
      source,
      fetcher: options.fetcher,
      plan: options.plan ?? toPlan({}),
      owner,
      realmId,
      report: row.report as Report, // as it was stored
      ids: { first: row.first_id ?? 0, end: row.end_id ?? 0 },
      batch: async (name, checkpoint, change) => {
        const { value, report } = await transaction(ctx.db, name, async (tx) => {
          const counted = structuredClone(run.report);
          const result = await change(tx, counted);
          await storeCheckpoint(tx, run, checkpoint, counted);
          options.onBatch?.();
          return { value: result, report: counted };
        });
        run.report = report;
        await run.statistics.afterBatch();
        return value;
      },
      checkpointWithin: async (tx, checkpoint, count) => {
        count(run.report);
        await storeCheckpoint(tx, run, checkpoint, run.report);
        options.onBatch?.();
      },
      statistics: new Statistics(ctx.db),
      onProgress,
    };
    await noteWhetherNew(run);
    await runPhases(run, row, (report) => (note = skipInto(report)));
    return run.report;
  } finally {
    await source.close();
  }
}

async function storeCheckpoint(tx: Tx, { id }: Import, checkpoint: number, report: Report): Promise<void> {
  await tx
    .updateTable("imports")
    .set({ checkpoint, report: JSON.stringify(report) })
    .where("id", "=", id)
    .execute();
}

/** Somebody who may do everything: an import creates channels, groups and emoji also where owners may not. */
async function findOwner(db: Db, realmId: number): Promise<User> {
  const row = await db
    .selectFrom("users")
    .select("id")
    .where("realm_id", "=", realmId)
    .where("role", "=", roles.owner)
    .where("is_active", "=", true)
    .where("is_bot", "=", false)
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
  const owner = row && (await accountById(db, row.id));
  if (!owner)
    throw new ImportRefused("The organization has no owner. Create one with `skein user create --role owner`.");
  const owners = (await systemGroupIds(db, realmId)).get("role:owners") ?? 0;
  const permissions = Object.fromEntries(realmPermissionNames.map((name) => [columnOf(name), owners]));
  return { ...owner, realm: { ...owner.realm, ...permissions } };
}

/**
 * The unfinished import of the same export, or a new one. Locks the organization as a merge of accounts does when it
 * begins, so that one of the two begins and the other is refused.
 */
const findOrBegin = (db: Db, realmId: number, source: Source, fingerprint: string): Promise<ImportRow> =>
  transaction(db, "begin an import", async (tx) => {
    await tx.selectFrom("realms").select("id").where("id", "=", realmId).forNoKeyUpdate().execute();
    const merge = await findUnfinishedMerge(tx, { id: realmId });
    if (merge) throw new ImportRefused(finishFirst(merge));
    const unfinished = await findUnfinished(tx, realmId);
    if (unfinished) {
      const isSame = unfinished.source === source.name && unfinished.fingerprint === fingerprint;
      if (isSame && (unfinished.phase === phases[0] || (await isStaged(tx, realmId)))) return unfinished;
      await abandon(tx, unfinished);
    }
    return tx
      .insertInto("imports")
      .values({
        realm_id: realmId,
        source: source.name,
        fingerprint,
        phase: phases[0],
        report: JSON.stringify(emptyReport()),
      })
      .returningAll()
      .executeTakeFirstOrThrow();
  });

/** The staging tables are unlogged: after a crash of PostgreSQL they are empty. */
async function isStaged(db: Db, realmId: number): Promise<boolean> {
  const { rows } = await sql`
    select from import_people where realm_id = ${realmId}
    union all select from import_places where realm_id = ${realmId} limit 1`.execute(db);
  return rows.length > 0;
}

type Work = (run: Import, checkpoint: number) => Promise<void>;

const works: Record<Exclude<Phase, "reading the export" | "putting messages in order">, Work> = {
  people: storePeople,
  channels: storePlaces,
  emoji: storeEmoji,
  settings: storeSettings,
  profiles: storeProfiles,
  files: storeFiles,
  topics: storeTopics,
  messages: storeMessages,
  "own things": storeOwnThings,
  "read state": storeReadState,
  finishing: finish,
};

async function runPhases(run: Import, row: ImportRow, countInto: (report: Report) => void): Promise<void> {
  let { checkpoint } = row;
  for (const [index, phase] of phases.entries()) {
    if (index < phases.findIndex((one) => one === row.phase)) continue;
    run.onProgress({ phase, done: 0, total: 0 });
    if (phase === "reading the export") {
      run.report = emptyReport();
      countInto(run.report);
      await stage(run);
      await advance(run, phases[index + 1]);
    } else if (phase === "putting messages in order")
      await transaction(run.db, "put imported messages in order", async (tx) => {
        await putInOrder(tx, run);
        await tx
          .updateTable("imports")
          .set({ first_id: run.ids.first, end_id: run.ids.end })
          .where("id", "=", run.id)
          .execute();
        await advanceWithin(tx, run, phases[index + 1]);
      });
    else {
      run.statistics.begin(phase);
      await works[phase](run, checkpoint);
      await run.statistics.update();
      await advance(run, phases[index + 1]);
    }
    checkpoint = 0;
  }
}

const advance = (run: Import, next: Phase | undefined): Promise<void> =>
  transaction(run.db, "advance an import", (tx) => advanceWithin(tx, run, next));

async function advanceWithin(tx: Tx, run: Import, next: Phase | undefined): Promise<void> {
  const report = JSON.stringify(run.report);
  if (next !== undefined) {
    await tx.updateTable("imports").set({ phase: next, checkpoint: 0, report }).where("id", "=", run.id).execute();
    return;
  }
  // No events describe history, inactive accounts and what is unread: clients register anew, once.
  if (Object.values(run.report.imported).some((count) => count > 0)) await endQueues(tx, run.realmId);
  await clearStaging(tx, run.realmId);
  await tx
    .updateTable("imports")
    .set({ phase: "finished", finished_at: new Date(), report })
    .where("id", "=", run.id)
    .execute();
}
