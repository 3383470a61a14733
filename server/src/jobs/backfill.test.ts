import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import pg from "pg";
import { expect, inject, onTestFinished, test } from "vitest";
import type { Context } from "../context.ts";
import { connect } from "../platform/db/connect.ts";
import { runBatch } from "../platform/db/backfills.ts";
import { migrate } from "../platform/db/migrate.ts";
import { planMigrations } from "../platform/db/migration-plan.ts";
import { transaction } from "../platform/db/transaction.ts";
import { release } from "../platform/release.ts";
import { backfill, startBackfills } from "./backfill.ts";

const own = join(import.meta.dirname, "../platform/db/migrations/0035-backfills.sql");
const first = {
  "0001-posts.sql": "create table posts (id bigint generated always as identity primary key, text text not null);",
};
/** Adds a column that later rows get from a trigger, and earlier rows from the backfill. */
const second = {
  "0002-length.sql": `-- phase: expand
    alter table posts add column length int;
    create function fill_length() returns trigger language plpgsql as $$
      begin new.length := length(new.text); return new; end $$;
    create trigger fill_length before insert on posts for each row execute function fill_length();
    alter table posts add constraint has_length check (length is not null) not valid;`,
  "0002-length.backfill.sql": `-- table: posts
-- key: id
update posts set length = length(text) where id > $1 and id <= $2 and length is null;`,
  "0003-not-null.sql": `-- phase: contract
-- oldest release: ${release}
-- needs backfill: 0002-length
alter table posts validate constraint has_length;
alter table posts alter column length set not null;`,
};

/** A database with posts, and a worker's view of it. */
async function newDatabase(posts: number) {
  const name = `backfill_${randomBytes(4).toString("hex")}`;
  const admin = new pg.Client({ connectionString: inject("postgresUrl") });
  await admin.connect();
  await admin.query(`create database ${name}`);
  await admin.end();
  const url = new URL(inject("postgresUrl"));
  url.pathname = `/${name}`;
  const folder = await mkdtemp(join(inject("scratchFolder"), "migrations-"));
  const add = async (files: Record<string, string>) => {
    for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text);
  };
  await add({ ...first, "0000-backfills.sql": await readFile(own, "utf8") });
  await migrate(url.href, { from: folder });
  const db = connect({ url: url.href, connections: 4, name: "test" });
  onTestFinished(() => db.destroy());
  await sql`insert into posts (text) select repeat('x', n::int % 50) from generate_series(1, ${posts}::int) n`.execute(
    db,
  );
  await add(second);
  const ctx = { db, logger: { info: () => undefined } } as unknown as Context; // all that the job uses
  const missing = async () =>
    (await sql<{ id: number }>`select id from posts where length is null`.execute(db)).rows.length;
  return { url: url.href, db, ctx, folder, missing };
}

const status = async (url: string, from: string) => (await planMigrations(url, { from })).backfills[0];

/** Runs the job until nothing is left: on a slow machine one run is not enough. */
async function complete(ctx: Context, url: string, folder: string): Promise<void> {
  while ((await status(url, folder))?.finishedAt === null)
    await backfill.run(ctx, { name: "0002-length" }, { attempt: 1, maxAttempts: 12 });
}

test("a backfill covers the rows that were there, and the contract migration waits for it", async () => {
  const { url, db, ctx, folder, missing } = await newDatabase(3000);
  const outcome = await migrate(url, { from: folder });
  expect(outcome).toMatchObject({
    applied: [{ name: "0002-length.sql" }],
    postponed: [{ name: "0003-not-null.sql", reason: expect.stringContaining("0002-length is at 0 %") }],
  });
  await expect(migrate(url, { from: folder, phase: "contract" })).rejects.toThrow("cannot be applied yet");

  await startBackfills.run(ctx);
  await startBackfills.run(ctx); // of another worker
  const { rows } = await sql<{ count: number }>`select count(*) from graphile_worker.jobs`.execute(db);
  expect(rows).toEqual([{ count: 1 }]);
  await complete(ctx, url, folder);

  expect(await missing()).toBe(0);
  expect(await status(url, folder)).toMatchObject({ progress: 1, changedRows: 3000, finishedAt: expect.any(String) });
  const contracted = await migrate(url, { from: folder, phase: "contract" });
  expect(contracted.applied).toMatchObject([{ name: "0003-not-null.sql" }]);
});

test("a backfill continues after a crash where the last batch ended, and no two workers do the same batch", async () => {
  const { url, db, ctx, folder, missing } = await newDatabase(1000);
  await migrate(url, { from: folder, phase: "expand" });
  const batch = () => transaction(db, "test", (tx) => runBatch(tx, "0002-length", 100));

  expect(await batch()).toBe("more");
  // Killed in the middle of the second batch: neither its changes nor its checkpoint are there.
  const killed = transaction(db, "test", async (tx) => {
    expect(await runBatch(tx, "0002-length", 100)).toBe("more");
    expect(await batch()).toBe("busy");
    await sql`select pg_terminate_backend(pg_backend_pid())`.execute(tx);
  });
  await expect(killed).rejects.toThrow(/terminat/i);
  expect(await missing()).toBe(900);
  expect(await status(url, folder)).toMatchObject({ progress: 0.1, changedRows: 100, finishedAt: null });

  await sql`insert into posts (text) values ('written later')`.execute(db);
  await complete(ctx, url, folder);
  expect(await missing()).toBe(0);
  expect(await status(url, folder)).toMatchObject({ changedRows: 1000 });
});

test("a backfill that fails says why, and one of a new database is complete from the start", async () => {
  const { url, db, ctx, folder } = await newDatabase(10);
  await migrate(url, { from: folder, phase: "expand" });
  await sql`alter table posts add constraint short check (length < 5) not valid`.execute(db);
  const failed = backfill.run(ctx, { name: "0002-length" }, { attempt: 1, maxAttempts: 12 });
  await expect(failed).rejects.toThrow('"short"');
  expect((await status(url, folder))?.problem).toContain('"short"');

  const fresh = new URL(url);
  fresh.pathname = `${fresh.pathname}_fresh`;
  await sql`create database ${sql.id(fresh.pathname.slice(1))}`.execute(db);
  const { applied, postponed } = await migrate(fresh.href, { from: folder });
  expect({ applied: applied.length, postponed }).toEqual({ applied: 4, postponed: [] });
});
