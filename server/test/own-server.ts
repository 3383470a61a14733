/**
 * A server with a database of its own, for tests about work that is done for all organizations at once: nobody else's
 * workers do it meanwhile. It has none itself; what they would do a test has done when it wants it.
 */
import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import { afterAll, inject } from "vitest";
import type { App } from "../src/app.ts";
import { connect, type Db } from "../src/platform/db/connect.ts";
import type { Job } from "../src/jobs/job.ts";
import { startNode, stopNode } from "./nodes.ts";

export type OwnServer = App & { url: string };

const leavings: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const cleanUp of leavings.splice(0)) await cleanUp();
});

async function inSharedDatabase(work: (db: Db) => Promise<unknown>): Promise<void> {
  const db = connect({ url: inject("postgresUrl"), connections: 1, name: "test" });
  await work(db);
  await db.destroy();
}

export async function startOwnServer(environment: Record<string, string> = {}): Promise<OwnServer> {
  const name = `own_${randomBytes(4).toString("hex")}`;
  await inSharedDatabase((db) => sql`create database ${sql.id(name)}`.execute(db));
  const url = new URL(inject("postgresUrl"));
  url.pathname = `/${name}`;
  const node = await startNode({
    environment: { SKEIN_DATABASE_URL: url.href, SKEIN_LOG_NAME: name, SKEIN_ROLES: "api,relay", ...environment },
  });
  leavings.push(async () => {
    await stopNode(node);
    await inSharedDatabase((db) => dropSlots(db, name));
  });
  return node;
}

/** The engine would keep all that is written from now on for a relay that will not come back. */
async function dropSlots(db: Db, database: string): Promise<void> {
  // The engine may not have noticed yet that the relay is gone.
  await sql`select pg_terminate_backend(active_pid, 30000) from pg_replication_slots
    where database = ${database} and active`.execute(db);
  await sql`select pg_drop_replication_slot(slot_name) from pg_replication_slots
    where database = ${database}`.execute(db);
}

/** Does the jobs of this kind that wait and are due, as a worker would; gives back how many there were. */
export async function doJobs({ ctx }: OwnServer, job: Job): Promise<number> {
  const { rows } = await sql<{ id: string; payload: unknown; attempts: number }>`
    select j.id, p.payload, j.attempts from graphile_worker.jobs j join graphile_worker._private_jobs p on p.id = j.id
    where j.task_identifier = ${job.name} and j.run_at <= now() order by j.id`.execute(ctx.db);
  for (const { id, payload, attempts } of rows) {
    await job.run(ctx, job.payload.parse(payload), { attempt: attempts + 1, maxAttempts: job.maxAttempts });
    await sql`select graphile_worker.complete_jobs(${[id]}::bigint[])`.execute(ctx.db);
  }
  return rows.length;
}
