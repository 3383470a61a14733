/**
 * Inspecting and running uploaded exports. A worker that is killed leaves the import as it is: another one inspects it
 * again, or continues it where it stopped (run/run.ts). What can be explained to an owner ends the job: the import is
 * refused or has failed, with the reason. Anything else is retried first.
 */
import { sql } from "kysely";
import { z } from "zod";
import { ApiError } from "../../../../errors.ts";
import type { Context, TxContext } from "../../../../context.ts";
import { accountById } from "../../../../identity/account.ts";
import { hasPendingJob, job } from "../../../../jobs/job.ts";
import { smallMemory, type SmallMemory } from "../../../../platform/small-memory.ts";
import { transaction, type Tx } from "../../../../platform/db/transaction.ts";
import { realmUrlWithoutRequest } from "../../../organization/realm/address.ts";
import { sendNotice } from "../../../messages/send/notice.ts";
import { listExisting } from "../draft-plan.ts";
import { fingerprintOf, openExport } from "../export-file.ts";
import { inspect, type Inspection } from "../inspect.ts";
import { ImportBusy, ImportRefused } from "../refused.ts";
import { slackFetcher } from "../run/fetch-file.ts";
import type { Report } from "../run/report.ts";
import { runImport } from "../run/run.ts";
import { hasToken } from "../slack/hosted-files.ts";
import { ArchiveRefused, type Source } from "../source.ts";
import type { ImportState, RealmImportRow } from "./access.ts";
import { endImport } from "./actions.ts";
import { changeImport } from "./events.ts";
import { inspectName, runName } from "./job-names.ts";
import { withLocalCopy } from "./local-copy.ts";
import { readPlan, storeDraft } from "./plan.ts";
import { ProgressReporter } from "./progress.ts";

/** How long a file is kept that is not imported. */
export const daysKept = 7;

const unexpected = "An unexpected error occurred on the server. Its log has the details.";

export const inspectUploaded = job({
  ...inspectName,
  run: (ctx, { id }, attempt) => conclude(ctx, id, attempt, "inspecting", { work: inspectRow, giveUp: refuse }),
});

export const runUploaded = job({
  ...runName,
  run: (ctx, { id, fetches_files: fetchesFiles = false }, attempt) =>
    conclude(ctx, id, attempt, "running", {
      work: (_, row) => runRow(ctx, row, { fetchesFiles }),
      giveUp: fail,
    }),
});

/** Works on an import in this state. Gives up for a reason that an owner understands, or after the last attempt. */
async function conclude(
  ctx: Context,
  id: number,
  { attempt, maxAttempts }: { attempt: number; maxAttempts: number },
  state: ImportState,
  {
    work,
    giveUp,
  }: {
    work: (ctx: Context, row: RealmImportRow) => Promise<void>;
    giveUp: (ctx: Context, row: RealmImportRow, reason: string) => Promise<void>;
  },
): Promise<void> {
  const row = await findImport(ctx, id, state);
  if (!row) return;
  try {
    await work(ctx, row);
  } catch (error) {
    const reason = reasonOf(error);
    if (reason !== undefined || attempt >= maxAttempts) await giveUp(ctx, row, reason ?? unexpected);
    if (reason === undefined) throw error;
  }
}

const findImport = (ctx: Context, id: number, state: string): Promise<RealmImportRow | undefined> =>
  ctx.db.selectFrom("realm_imports").selectAll().where("id", "=", id).where("state", "=", state).executeTakeFirst();

/** What the owner can understand, and what no further attempt would change. */
function reasonOf(error: unknown): string | undefined {
  // The lock of a worker that was killed ends a little later.
  if (error instanceof ImportBusy) return undefined;
  return error instanceof ArchiveRefused || error instanceof ImportRefused || error instanceof ApiError
    ? error.message
    : undefined;
}

async function inspectRow(ctx: Context, row: RealmImportRow): Promise<void> {
  const organization = { db: ctx.db, realm: { id: row.realm_id } };
  const progress = new ProgressReporter(ctx, row);
  const memory = smallMemoryOf(ctx);
  const onMessage = (done: number): void => {
    if (done % 100 !== 0) return;
    progress.report({ phase: "inspecting", done, total: 0 });
    memory.keep();
  };
  await withLocalCopy(ctx, row, async (path) => {
    let found: Inspection;
    try {
      found = await inspect(async (note) =>
        watched(await openExport(path, note, organization, { canFetch: hasToken }), onMessage),
      );
    } finally {
      memory.end();
      await progress.stop();
    }
    const fingerprint = await fingerprintOf(path);
    const existing = await listExisting(organization);
    const source = await openExport(path, () => undefined, organization);
    try {
      await transaction(ctx.db, "store the plan of an import", async (tx) => {
        await storeDraft(tx, row, source, existing);
        const inspection = JSON.stringify(found).replaceAll(String.raw`\u0000`, "");
        const change = { state: "ready", inspection, fingerprint, progress: null };
        // Canceled in the meantime: nothing is stored.
        if (!(await changeImport(tx, row, ["inspecting"], change))) throw new Canceled();
      });
    } catch (error) {
      if (!(error instanceof Canceled)) throw error;
    } finally {
      await source.close();
    }
  });
}

class Canceled extends Error {}

/** The same source, which reports how many messages were read. */
function watched(source: Source, onMessage: (done: number) => void): Source {
  async function* messages() {
    let done = 0;
    for await (const message of source.messages()) {
      onMessage(++done);
      yield message;
    }
  }
  return { ...source, messages };
}

/** A process that serves requests does not stop for collecting garbage. */
const smallMemoryOf = ({ config }: Context): SmallMemory =>
  config.roles.includes("api") ? { keep: () => undefined, end: () => undefined } : smallMemory();

interface RunOptions {
  fetchesFiles?: boolean;
  /** Called before each batch commits; tests stop the run there. */
  onBatch?: () => void;
}

export async function runRow(ctx: Context, row: RealmImportRow, options: RunOptions): Promise<void> {
  const report = (await findFinished(ctx, row)) ?? (await perform(ctx, row, options));
  await transaction(ctx.db, "finish an import", async (tx) => {
    await endImport(tx, row, { state: "finished", reason: null, report: JSON.stringify(report) });
    await notify(tx, ctx, row, report);
  });
}

/** The report, if a worker was killed between the end of the run and the note of it. */
async function findFinished({ db }: Context, row: RealmImportRow): Promise<Report | undefined> {
  if (row.run_at === null || row.fingerprint === null) return undefined;
  const finished = await db
    .selectFrom("imports")
    .select("report")
    .where("realm_id", "=", row.realm_id)
    .where("fingerprint", "=", row.fingerprint)
    .where("phase", "=", "finished")
    .where("finished_at", ">=", row.run_at)
    .orderBy("id", "desc")
    .executeTakeFirst();
  return finished?.report as Report | undefined; // as it was stored
}

async function perform(ctx: Context, row: RealmImportRow, { fetchesFiles, onBatch }: RunOptions): Promise<Report> {
  const plan = await readPlan(ctx.db, row);
  const fetcher = fetchesFiles ? slackFetcher(ctx.outbound) : undefined;
  const progress = new ProgressReporter(ctx, row);
  const memory = smallMemoryOf(ctx);
  try {
    return await withLocalCopy(ctx, row, (path) =>
      runImport(ctx, {
        realmId: row.realm_id,
        open: (noteSkipped) =>
          openExport(path, noteSkipped, { db: ctx.db, realm: { id: row.realm_id } }, fetcher ?? {}),
        fingerprint: row.fingerprint ?? "",
        plan,
        ...(fetcher ? { fetcher } : {}),
        ...(onBatch ? { onBatch } : {}),
        onProgress: (reported) => {
          progress.report(reported);
          memory.keep();
        },
      }),
    );
  } finally {
    memory.end();
    await progress.stop();
  }
}

async function notify(tx: Tx, ctx: TxContext, row: RealmImportRow, { imported }: Report): Promise<void> {
  const requester = await accountById(tx, row.acting_user_id);
  if (!requester) return;
  const realm = await tx.selectFrom("realms").select("host").where("id", "=", row.realm_id).executeTakeFirstOrThrow();
  const address = `${realmUrlWithoutRequest(ctx.config, realm)}/#organization/imports`;
  const text = `Your import is finished: ${imported.messages} messages. [Read the report](${address}).`;
  await sendNotice(tx, ctx, requester.realm, "notification-bot", { userIds: [requester.id] }, text);
}

const refuse = (ctx: Context, row: RealmImportRow, reason: string): Promise<void> =>
  transaction(ctx.db, "refuse an import", async (tx) => {
    const current = await lock(tx, row, ["inspecting"]);
    if (current) await endImport(tx, current, { state: "refused", reason });
  });

const fail = (ctx: Context, row: RealmImportRow, reason: string): Promise<void> =>
  transaction(ctx.db, "fail an import", async (tx) => {
    await changeImport(tx, row, ["running"], { state: "failed", reason, progress: null });
  });

const lock = (tx: Tx, { id }: { id: number }, states: readonly string[]): Promise<RealmImportRow | undefined> =>
  tx
    .selectFrom("realm_imports")
    .selectAll()
    .where("id", "=", id)
    .where("state", "in", states)
    .forUpdate()
    .executeTakeFirst();

/**
 * Ends what would wait forever: imports whose worker was killed in its last attempt, and those that nobody has continued
 * for some days.
 */
export const sweepImports = job({
  name: "sweep-imports",
  payload: z.object({}),
  schedule: "*/10 * * * *",
  run: async (ctx: Context) => {
    const { rows: lost } = await sql<RealmImportRow>`
      select i.* from realm_imports i
      where i.state in ('inspecting', 'running') and i.changed_at < now() - interval '1 minute'
        and not ${hasPendingJob(sql`'import-' || i.id`)}`.execute(ctx.db);
    for (const row of lost) await (row.state === "running" ? fail(ctx, row, unexpected) : refuse(ctx, row, unexpected));
    const { rows: old } = await sql<RealmImportRow>`
      select * from realm_imports
      where state in ('ready', 'failed') and changed_at < now() - make_interval(days => ${daysKept})
        or state = 'uploading' and upload_id is null`.execute(ctx.db);
    for (const row of old)
      await transaction(ctx.db, "expire an import", async (tx) => {
        const current = await lock(tx, row, [row.state]);
        if (current) await endImport(tx, current, { state: "expired" });
      }).catch((error: unknown) => {
        // The command line imports the same file: later, then.
        if (!(error instanceof ImportBusy)) throw error;
      });
  },
});
