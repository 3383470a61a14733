/** Servers with the demo organization, each with its own copy of the database. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { sql } from "kysely";
import { inject } from "vitest";
import { startApp } from "../../src/app.ts";
import { fillWithDemo } from "../../src/cli/demo/fill.ts";
import { makeOwner, type Owner } from "../../src/cli/development-owner.ts";
import { readConfig } from "../../src/config.ts";
import { connect, type Db } from "../../src/platform/db/connect.ts";
import { migrate } from "../../src/platform/db/migrate.ts";
import { startOwnServer } from "../own-server.ts";
import { demoNow } from "./demo-process.ts";
import { Performer } from "./perform.ts";

const settings = { SKEIN_DEVELOPMENT: "true", SKEIN_ROLES: "api,relay,worker" };

async function withDatabase<T>(url: string, work: (db: Db) => Promise<T>): Promise<T> {
  const db = connect({ url, connections: 1, name: "test" });
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}

export async function startDemoServers(count: number): Promise<Performer[]> {
  const template = `demo_${randomBytes(4).toString("hex")}`;
  await withDatabase(inject("postgresUrl"), (db) => sql`create database ${sql.id(template)}`.execute(db));
  const url = new URL(inject("postgresUrl"));
  url.pathname = `/${template}`;
  await migrate(url.href);
  const owner = await fill(url.href);
  const servers = [];
  for (let index = 0; index < count; index++) servers.push(await startOwnServer(settings, { template }));
  return servers.map((server) => new Performer(server.url, { email: owner.email, key: owner.api_key }));
}

async function fill(databaseUrl: string): Promise<Owner> {
  const owner = await withDatabase(databaseUrl, makeOwner);
  const config = readConfig({
    SKEIN_DATABASE_URL: databaseUrl,
    SKEIN_NATS_URL: inject("natsUrl"),
    SKEIN_LOG_NAME: "demo",
    SKEIN_FILES_DIR: join(inject("scratchFolder"), "files"),
    SKEIN_SMTP_URL: inject("smtpUrl"),
    SKEIN_SECRET: "a secret of the test nodes, long enough",
    SKEIN_LOG_LEVEL: "silent",
  });
  const app = await startApp({ ...config, roles: [] });
  try {
    const { id } = await app.ctx.db.selectFrom("realms").select("id").executeTakeFirstOrThrow();
    await fillWithDemo(app.ctx, id, { now: new Date(demoNow), say: () => {} });
  } finally {
    await app.stop();
  }
  return owner;
}
