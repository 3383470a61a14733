/**
 * A server with its own database, for tests of work that covers all organizations at once, so that no other worker does it
 * meanwhile. It runs no workers; a test runs their jobs when it needs them.
 */
import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import { inject } from "vitest";
import type { App } from "../src/app.ts";
import { connect, type Db } from "../src/platform/db/connect.ts";
import type { Job } from "../src/jobs/job.ts";
import { atEndOfFile } from "./end-of-file.ts";
import { startNode, stopNode } from "./nodes.ts";

export type OwnServer = App & { url: string };

async function inSharedDatabase(work: (db: Db) => Promise<unknown>): Promise<void> {
  const db = connect({ url: inject("postgresUrl"), connections: 1, name: "test" });
  await work(db);
  await db.destroy();
}

/** Its database is empty, or a copy of another one that nobody uses. */
export async function startOwnServer(
  environment: Record<string, string> = {},
  { template = "template1" } = {},
): Promise<OwnServer> {
  const name = `own_${randomBytes(4).toString("hex")}`;
  await inSharedDatabase((db) => sql`create database ${sql.id(name)} template ${sql.id(template)}`.execute(db));
  const url = new URL(inject("postgresUrl"));
  url.pathname = `/${name}`;
  const node = await startNode({
    environment: { SKEIN_DATABASE_URL: url.href, SKEIN_LOG_NAME: name, SKEIN_ROLES: "api,relay", ...environment },
  });
  atEndOfFile(async () => {
    await stopNode(node);
    await inSharedDatabase((db) => dropSlots(db, name));
  });
  return node;
}

/** Drops the replication slot; otherwise PostgreSQL would retain its log for a relay that never returns. */
async function dropSlots(db: Db, database: string): Promise<void> {
  // PostgreSQL may not have noticed yet that the relay disconnected.
  await sql`select pg_terminate_backend(active_pid, 30000) from pg_replication_slots
    where database = ${database} and active`.execute(db);
  await sql`select pg_drop_replication_slot(slot_name) from pg_replication_slots
    where database = ${database}`.execute(db);
}

/** Runs all due jobs of this kind, as a worker would; returns their number. */
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
