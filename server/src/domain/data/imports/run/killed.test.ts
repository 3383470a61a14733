/** Imports by processes of their own, which are killed at points that are chosen at random. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { getImports, runImport } from "@skein/api/imports.ts";
import { sql } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import { bareEnvironment } from "../../../../../test/command-line.ts";
import { importedState } from "../../../../../test/imported-state.ts";
import { mattermostExport } from "../../../../../test/mattermost-export.ts";
import { startOwnServer } from "../../../../../test/own-server.ts";
import { Chance } from "../../../../../test/random-export.ts";
import { newRealm, success, type TestRealm } from "../../../../../test/realm.ts";
import { startProcess, type ServerProcess } from "../../../../../test/server-process.ts";
import { writeBytes } from "../../../../../test/tiny-archives.ts";
import { readyImport } from "../../../../../test/uploaded-imports.ts";
import type { Db } from "../../../../platform/db/connect.ts";
import { releaseLostJobs } from "../../../../jobs/lost-workers.ts";
import { phases } from "./import-context.ts";
import type { Report } from "./report.ts";

const seed = Number(process.env["TEST_SEED"] ?? Date.now() % 100_000);
const kills = Number(process.env["TEST_KILLS"] ?? 3);
const posts = 3000;

interface Progress {
  phase: number;
  /** Steps within the phase: what is staged, or the checkpoint. */
  steps: number;
}

async function progressOf(db: Db, realmId: number): Promise<Progress | undefined> {
  const { rows } = await sql<{ phase: string; steps: number }>`
    select phase, case phase when ${phases[0]} then (select count(*) from import_messages where realm_id = ${realmId})
      when 'messages' then greatest(checkpoint - first_id + 1, 0) else checkpoint end as steps
    from imports where realm_id = ${realmId} and finished_at is null`.execute(db);
  const [row] = rows;
  return row && { phase: phases.findIndex((phase) => phase === row.phase), steps: row.steps };
}

/** In order. Some phases are over in a moment, so those that take longer are chosen more often. */
function choosePoints(chance: Chance): Progress[] {
  const choose = (): Progress => {
    const name = chance.of([
      "reading the export",
      "people",
      "files",
      "files",
      "topics",
      "messages",
      "messages",
      "messages",
    ] as const);
    const most = { "reading the export": posts, people: 1, files: 60, topics: 1, messages: posts }[name];
    return { phase: phases.indexOf(name), steps: chance.below(most) };
  };
  const isEarlier = (a: Progress, b: Progress) => a.phase - b.phase || a.steps - b.steps;
  return Array.from({ length: kills }, choose).toSorted(isEarlier);
}

/** Kills the process at this point of the import. False if it has ended before. */
async function killAt(child: ChildProcess, db: Db, realmId: number, point: Progress): Promise<boolean> {
  while (child.exitCode === null) {
    const progress = await progressOf(db, realmId);
    const isThere =
      progress && (progress.phase > point.phase || (progress.phase === point.phase && progress.steps >= point.steps));
    if (isThere) return child.kill("SIGKILL");
  }
  return false;
}

function startImport(realm: TestRealm, file: string): ChildProcess {
  const { config } = realm.ctx;
  const args = ["import", "run", file, "--realm", realm.host.split(".")[0] ?? "", "--json"];
  const child = spawn(process.execPath, [join(import.meta.dirname, "../../../../../bin/skein.js"), ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...bareEnvironment(),
      SKEIN_DATABASE_URL: config.databaseUrl,
      SKEIN_NATS_URL: config.natsUrl,
      SKEIN_LOG_NAME: config.logName,
      SKEIN_FILES_DIR: config.filesDir,
      SKEIN_SECRET: config.secret,
    },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** Runs it to its end. The lock of a process that was killed ends a little later. */
async function finishImport(realm: TestRealm, file: string): Promise<Report> {
  for (;;) {
    const child = startImport(realm, file);
    const { stdout, stderr } = child;
    if (!stdout || !stderr) throw new Error("unreachable: both are pipes");
    const [output, errors] = await Promise.all([text(stdout), text(stderr), once(child, "exit")]);
    if (child.exitCode === 0) return JSON.parse(output) as Report; // what the command promises
    if (!errors.includes("Another import into this organization is running.")) throw new Error(errors);
  }
}

test("an import continues although the process that was killed is still storing what it has read", async () => {
  const realm = await newRealm();
  const { db } = realm.ctx;
  const file = writeBytes("export.zip", mattermostExport(20, seed));
  // Holds up whoever stages the first person.
  const blocker = await db.startTransaction().execute();
  const { rows } = await sql<{ pid: number }>`
    insert into import_people (realm_id, n, source_id, data) values (${realm.id}, 1, 'blocker', '{}')
    returning pg_backend_pid() as pid`.execute(blocker);
  const countWaiting = async (): Promise<number> => {
    const { rows: waiting } = await sql`
      with recursive waiting (pid) as (
        select ${rows[0]?.pid ?? 0}::integer
        union select a.pid from pg_stat_activity a, waiting w where w.pid = any(pg_blocking_pids(a.pid)))
      select from waiting offset 1`.execute(db);
    return waiting.length;
  };
  const child = startImport(realm, file);
  await expect.poll(countWaiting, { timeout: 60_000 }).toBe(1);
  child.kill("SIGKILL");
  await once(child, "exit");
  const report = finishImport(realm, file);
  await expect.poll(countWaiting, { timeout: 60_000 }).toBe(2);
  await blocker.rollback().execute();

  expect((await report).imported.messages).toBeGreaterThanOrEqual(20);
});

test(`an import that is killed again and again ends like one that is not (TEST_SEED=${seed})`, async () => {
  const chance = new Chance(seed);
  const file = writeBytes("export.zip", mattermostExport(posts, seed));
  const [calm, shaken] = [await newRealm(), await newRealm()];
  const report = await finishImport(calm, file);

  let killed = 0;
  for (const point of choosePoints(chance)) {
    const child = startImport(shaken, file);
    child.stdout?.resume();
    child.stderr?.resume();
    const ended = once(child, "exit");
    if (await killAt(child, shaken.ctx.db, shaken.id, point)) killed++;
    await ended;
  }
  const last = await finishImport(shaken, file);

  expect(killed).toBeGreaterThan(0);
  expect(last).toEqual(report);
  expect(await importedState(shaken)).toEqual(await importedState(calm));
});

test(`a worker that is killed during an import is replaced by another (TEST_SEED=${seed})`, async () => {
  const chance = new Chance(seed);
  const bytes = mattermostExport(posts, seed);
  const server = await startOwnServer();
  const { db } = server.ctx;
  const startWorker = (name: string): Promise<ServerProcess> =>
    startProcess(server, { environment: { SKEIN_ROLES: "worker", SKEIN_NODE_NAME: name, SKEIN_HEALTH_PORT: "0" } });
  const imported = async (points: readonly Progress[]) => {
    const realm = await newRealm([server]);
    const queue = await realm.admin.register(["realm_import"]);
    let worker = await startWorker("worker-0");
    const { id } = await readyImport(realm.admin, queue, bytes);
    success(await realm.admin.call(runImport, { import_id: id }));
    for (const [n, point] of points.entries()) {
      expect(await killAt(worker.child, db, realm.id, point)).toBe(true);
      await worker.ended;
      // As if it had been silent for long enough.
      await sql`delete from job_workers`.execute(db);
      await sql`
        update graphile_worker._private_jobs set locked_at = now() - interval '1 hour' where locked_at is not null`.execute(
        db,
      );
      expect(await releaseLostJobs(db)).toBe(1);
      worker = await startWorker(`worker-${n + 1}`);
    }
    const find = async () => success(await realm.admin.call(getImports, {})).imports.find((one) => one.id === id);
    await expect.poll(async () => (await find())?.state, { timeout: 60_000 }).toMatch(/^(finished|failed)$/);
    worker.child.kill("SIGKILL");
    await worker.ended;
    return { found: await find(), state: await importedState(realm) };
  };

  const calm = await imported([]);
  const shaken = await imported([{ phase: phases.indexOf("messages"), steps: chance.below(posts / 2) }]);

  expect(shaken.found).toMatchObject({ state: "finished", report: calm.found?.report });
  expect(shaken.state).toEqual(calm.state);
});
