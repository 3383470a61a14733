import { randomBytes } from "node:crypto";
import { mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import { expect, inject, onTestFinished, test } from "vitest";
import { CommandLine, emptyDatabase } from "../../../test/command-line.ts";
import { startOwnServer } from "../../../test/own-server.ts";
import { startProcess } from "../../../test/server-process.ts";
import { release } from "../release.ts";
import { lockKeys } from "./advisory-locks.ts";
import { migrate, type MigrationOptions } from "./migrate.ts";
import { planMigrations } from "./migration-plan.ts";
import { processName } from "./processes.ts";
import { checkSchema, compareSchema, demandKnownSchema } from "./schema-state.ts";

async function connectTo(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

/** An empty database. */
async function newDatabase(): Promise<string> {
  const name = `migrated_${randomBytes(4).toString("hex")}`;
  await (await connectTo(inject("postgresUrl"))).query(`create database ${name}`);
  const url = new URL(inject("postgresUrl"));
  url.pathname = `/${name}`;
  return url.href;
}

async function migrations(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(inject("scratchFolder"), "migrations-"));
  for (const [name, sql] of Object.entries(files)) await writeFile(join(folder, name), sql);
  return folder;
}

test("a migration that waits for a lock lets requests proceed in between, reports it, and is applied later", async () => {
  const url = await newDatabase();
  const first = { "0001-first.sql": "create table notes (id int);" };
  await migrate(url, { from: await migrations(first) });
  const [holder, reader] = [await connectTo(url), await connectTo(url)];
  await holder.query("begin; select from notes");

  const waits: string[] = [];
  const from = await migrations({ ...first, "0002-second.sql": "alter table notes add column text text;" });
  const migrated = migrate(url, { from, onWait: (message) => waits.push(message) });
  await expect.poll(() => waits.length).toBeGreaterThan(0);
  // Queued behind a waiting migration, this would wait until the holder ends.
  const read = reader.query("select from notes").then(() => "read");
  expect(await Promise.race([read, wait(25_000, "stuck", { ref: false })])).toBe("read");
  await holder.query("rollback");

  expect((await migrated).applied.map(({ name }) => name)).toEqual(["0002-second.sql"]);
  expect(waits[0]).toMatch(/0002-second\.sql is waiting for a lock \(attempt 1 of \d+\)/);
  expect((await reader.query("select name, breaks_older from schema_migrations order by name")).rows).toEqual([
    { name: "0001-first.sql", breaks_older: false },
    { name: "0002-second.sql", breaks_older: false },
  ]);
});

test("a migration gives way to a transaction that waits for one of its tables and holds another", async () => {
  const url = await newDatabase();
  const first = { "0001-first.sql": "create table notes (id int); create table tags (id int);" };
  await migrate(url, { from: await migrations(first) });
  const [watcher, reader] = [await connectTo(url), await connectTo(url)];
  const isLocked = async () => {
    const { rows } = await watcher.query(
      "select from pg_locks where relation = 'notes'::regclass and mode = 'AccessExclusiveLock' and granted",
    );
    return rows.length > 0;
  };
  await reader.query("begin; select from tags");

  // The pause makes sure that the reader waits first, and would be the one that a deadlock ends.
  const second = "alter table notes add column text text; select pg_sleep(0.3); alter table tags add column text text;";
  const migrated = migrate(url, { from: await migrations({ ...first, "0002-second.sql": second }) });
  await expect.poll(isLocked, { interval: 5 }).toBe(true);
  await reader.query("select from notes");
  await reader.query("commit");

  expect((await migrated).applied.map(({ name }) => name)).toEqual(["0002-second.sql"]);
});

const notes = { "0001-notes.sql": "create table notes (id int, text text);" };
const contract = `-- phase: contract\n-- oldest release: ${release}\n`;

/** Names of what was applied and of what has to wait. */
async function names(url: string, files: Record<string, string>, options: MigrationOptions = {}) {
  const { applied, postponed } = await migrate(url, { from: await migrations(files), ...options });
  return { applied: applied.map(({ name }) => name), postponed: postponed.map(({ name }) => name) };
}

/** A connection like that of a server process of this release. */
async function connectAs(url: string, ofRelease: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: `${processName(ofRelease, "node-7")} (up to 20)`,
  });
  await client.connect();
  return client;
}

test("a new database gets everything in the order of the files, whatever the phase", async () => {
  const files = {
    ...notes,
    "0002-drop.sql": `${contract}alter table notes drop column text;`,
    "0003-again.sql": "-- phase: expand\nalter table notes add column text bytea;",
  };

  expect(await names(await newDatabase(), files, { phase: "expand" })).toEqual({
    applied: ["0001-notes.sql", "0002-drop.sql", "0003-again.sql"],
    postponed: [],
  });
});

test("the phases are applied separately, contract after expand", async () => {
  const url = await newDatabase();
  await names(url, notes);
  const files = {
    ...notes,
    "0002-drop.sql": `${contract}alter table notes drop column text;`,
    "0003-body.sql": "-- phase: expand\nalter table notes add column body text;",
  };

  await expect(names(url, files, { phase: "contract" })).rejects.toThrow("run `skein migrate --expand`");
  expect(await names(url, files, { phase: "expand" })).toEqual({ applied: ["0003-body.sql"], postponed: [] });
  expect(await names(url, files, { phase: "contract" })).toEqual({ applied: ["0002-drop.sql"], postponed: [] });
  expect(await names(url, files)).toEqual({ applied: [], postponed: [] });
});

test("a contract migration waits until no process of an older release is connected", async () => {
  const url = await newDatabase();
  await names(url, notes);
  const files = { ...notes, "0002-drop.sql": `${contract}alter table notes drop column text;` };
  const [older, current] = [await connectAs(url, "0.1.0"), await connectAs(url, release)];
  onTestFinished(() => current.end());

  await expect(names(url, files, { phase: "contract" })).rejects.toThrow("node-7 (0.1.0). Upgrade or stop them.");
  expect(await names(url, files)).toEqual({ applied: [], postponed: ["0002-drop.sql"] });

  await older.end();
  // PostgreSQL may take a moment to end the connection's process.
  await expect.poll(() => names(url, files)).toEqual({ applied: ["0002-drop.sql"], postponed: [] });
});

test("what an earlier upgrade did not complete is applied before this one expands", async () => {
  const url = await newDatabase();
  await names(url, notes);
  const files = {
    ...notes,
    "0002-drop.sql": "-- phase: contract\n-- oldest release: 0.1.0\nalter table notes drop column text;",
    "0003-text.sql": "-- phase: expand\nalter table notes add column text bytea;",
  };

  expect((await names(url, files, { phase: "expand" })).applied).toEqual(["0002-drop.sql", "0003-text.sql"]);
});

test("two operators who migrate at once apply each migration once, even if an index is built concurrently", async () => {
  const url = await newDatabase();
  await names(url, notes);
  const files = {
    ...notes,
    "0002-index.sql": "-- phase: expand\n-- transaction: none\ncreate index concurrently notes_text on notes (text);",
  };
  const [holder, observer] = [await connectTo(url), await connectTo(url)];
  await holder.query("begin; insert into notes values (1)");
  const waits: string[] = [];

  const first = names(url, files);
  const building = "select phase from pg_stat_progress_create_index";
  await expect.poll(async () => (await observer.query(building)).rowCount).toBe(1);
  const second = names(url, files, { onWait: (message) => waits.push(message) });
  await expect.poll(() => waits.length).toBe(1);
  await holder.query("commit");

  expect(waits).toEqual(["Another process is migrating this database; waiting for it to finish."]);
  expect((await Promise.all([first, second])).map(({ applied }) => applied)).toEqual([["0002-index.sql"], []]);
});

test("an index that was not completed is built again", async () => {
  const url = await newDatabase();
  await names(url, notes);
  const files = {
    ...notes,
    "0002-index.sql":
      "-- phase: expand\n-- transaction: none\ncreate unique index concurrently notes_id on notes (id);",
  };
  const client = await connectTo(url);
  await client.query("insert into notes values (1), (1)");
  const isValid = "select indisvalid from pg_index where indexrelid = to_regclass('notes_id')";

  await expect(names(url, files)).rejects.toThrow("could not create unique index");
  expect((await client.query(isValid)).rows).toEqual([{ indisvalid: false }]);

  await client.query("delete from notes");
  expect((await names(url, files)).applied).toEqual(["0002-index.sql"]);
  expect((await client.query(isValid)).rows).toEqual([{ indisvalid: true }]);
});

test("a migrating process that is killed while it builds an index leaves a database that the next one completes", async () => {
  const url = await newDatabase();
  await names(url, notes);
  const files = {
    ...notes,
    "0002-index.sql": "-- phase: expand\n-- transaction: none\ncreate index concurrently notes_text on notes (text);",
  };
  const [holder, observer] = [await connectTo(url), await connectTo(url)];
  await holder.query("begin; insert into notes values (1)");
  const failed = names(url, files).catch((error: unknown) => error);
  const backend = `select pg_terminate_backend(pid) from pg_stat_progress_create_index`;
  await expect.poll(async () => (await observer.query(backend)).rowCount).toBe(1);
  expect(await failed).toBeInstanceOf(Error);
  await holder.query("commit");

  expect((await names(url, files)).applied).toEqual(["0002-index.sql"]);
  const { rows } = await observer.query("select indisvalid from pg_index where indexrelid = 'notes_text'::regclass");
  expect(rows).toEqual([{ indisvalid: true }]);
});

test("the plan names locks, rewrites and sizes, and changes nothing", async () => {
  const url = await newDatabase();
  await names(url, notes);
  const client = await connectTo(url);
  await client.query("insert into notes select n from generate_series(1, 1000) n; analyze notes");
  const files = {
    ...notes,
    "0002-type.sql": `${contract}alter table notes alter column id type bigint;`,
    "0003-key.sql": "-- phase: expand\nalter table notes add column key text;\ncreate table others (id int);",
  };

  const plan = await planMigrations(url, { from: await migrations(files) });

  const bytes = expect.any(Number);
  expect(plan.migrations).toMatchObject([
    {
      name: "0002-type.sql",
      phase: "contract",
      obstacle: null,
      statements: [{ tables: [{ table: "notes", lock: "ACCESS EXCLUSIVE", rewrites: true, rows: 1000, bytes }] }],
    },
    {
      name: "0003-key.sql",
      phase: "expand",
      statements: [
        { tables: [{ table: "notes", lock: "ACCESS EXCLUSIVE", rewrites: false, scans: false, rows: 1000 }] },
        { tables: [] },
      ],
    },
  ]);
  expect((await client.query("select name from schema_migrations")).rows).toEqual([{ name: "0001-notes.sql" }]);
});

test("the command applies phases, and shows the state", async () => {
  const skein = new CommandLine({ SKEIN_DATABASE_URL: await emptyDatabase() });

  expect(await skein.json("migrate", "--expand")).toMatchObject({ postponed: [] });
  expect(await skein.json("migrate", "--status")).toEqual({
    expand: [],
    contract: expect.any(Array),
    newer: [],
    // Workers run them.
    backfills: expect.any(Array),
    processes: [],
  });
});

test("a release that is older than the database warns, and does not start if it is incompatible", async () => {
  const server = await startOwnServer();
  const { databaseUrl } = server.ctx.config;
  const client = await connectTo(databaseUrl);
  const add = "insert into schema_migrations (name, checksum, breaks_older, oldest_release) values ($1, '', $2, $3)";

  await client.query(add, ["9997-later.sql", false, null]);
  await client.query(add, ["9998-contracted.sql", true, release]);
  const older = await startProcess(server);
  await expect.poll(() => older.log()).toContain("a newer release has migrated the database");
  expect(older.log()).toContain("9997-later.sql");

  await client.query(add, ["9999-other.sql", true, "77.0.0"]);
  const refusal = "is not compatible with it. Start release 77.0.0 or newer.";
  await expect(startProcess(server)).rejects.toThrow(refusal);
  const state = await compareSchema(databaseUrl);
  expect(() => demandKnownSchema(state)).toThrow(refusal);
});

test("a release that needs more than the database has says which command to run", async () => {
  const url = await newDatabase();
  const run = () => checkSchema(url, "test");
  await expect(run()).rejects.toThrow("run `skein migrate` first");

  await migrate(url);
  await (await connectTo(url)).query("delete from schema_migrations where name like '0035-%'");
  await expect(run()).rejects.toThrow("(0035-backfills.sql). Run `skein migrate --expand` of this release first");
});

test("no process starts between a contract migration's look for older ones and its commit", async () => {
  const url = await newDatabase();
  await migrate(url);
  const client = await connectTo(url);
  await client.query("select pg_advisory_lock($1)", [lockKeys.contraction]);
  const starting = checkSchema(url, "starting").catch((error: unknown) => String(error));
  const isConnected = "select from pg_stat_activity where application_name = 'starting'";
  await expect.poll(async () => (await client.query(isConnected)).rowCount).toBe(1);

  await client.query(
    "insert into schema_migrations (name, checksum, breaks_older, oldest_release) values ('9999-x.sql', '', true, '77.0.0')",
  );
  await client.query("select pg_advisory_unlock($1)", [lockKeys.contraction]);

  expect(await starting).toContain("Start release 77.0.0 or newer.");
});
