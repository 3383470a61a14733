import { chmod, mkdtemp, utimes } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import { expect, inject, test } from "vitest";
import { runPostgresProgram } from "../../../test/clusters.ts";
import { CommandLine, emptyDatabase } from "../../../test/command-line.ts";
import { OwnEngines } from "../../../test/own-engines.ts";
import { startOwnServer } from "../../../test/own-server.ts";
import { newRealm, success } from "../../../test/realm.ts";
import { sendMessage } from "@skein/api/messages.ts";
import { connect } from "../../platform/db/connect.ts";
import type { Finding } from "../finding.ts";

test("a backup is checked, and a restored database is compared with its files, sequences, secret and log", async () => {
  const secret = "a secret of more than thirty-two characters";
  const folder = await mkdtemp(join(inject("scratchFolder"), "backup-"));
  await chmod(folder, 0o777); // pg_dump may run as another user
  const server = await startOwnServer({ SKEIN_SECRET: secret, SKEIN_FILES_DIR: join(folder, "files") });
  const { ctx } = server;
  const realm = await newRealm([server]);
  const { admin } = realm;
  for (const name of ["kept", "removed", "cut"]) {
    const path_id = `${realm.id}/${name}`;
    await ctx.files.put(`uploads/${path_id}`, Buffer.from("content"), "text/plain");
    const values = {
      realm_id: realm.id,
      owner_id: admin.id,
      path_id,
      file_name: name,
      size: 7,
      content_type: "text/plain",
    };
    await ctx.db.insertInto("attachments").values(values).execute();
  }
  const { id: message } = success(await admin.call(sendMessage, { type: "direct", to: [admin.id], content: "kept" }));
  const settings = {
    SKEIN_NATS_URL: ctx.config.natsUrl,
    SKEIN_LOG_NAME: ctx.config.logName,
    SKEIN_FILES_DIR: ctx.config.filesDir,
    SKEIN_SECRET: secret,
  };
  const run = async (databaseUrl: string, ...args: string[]) => {
    const commandLine = new CommandLine({ ...settings, SKEIN_DATABASE_URL: databaseUrl });
    const { status, stdout, stderr } = await commandLine.run([...args, "--json"]);
    expect(stdout, stderr).not.toBe("");
    const { checks } = JSON.parse(stdout) as { checks: Finding[] };
    return { status, of: (name: string) => checks.find(({ check }) => check === name) };
  };

  const dump = join(folder, "dump");
  await runPostgresProgram("pg_dump", ["--format=custom", `--file=${dump}`, ctx.config.databaseUrl]);
  const good = await run(ctx.config.databaseUrl, "backup", "check", "--backup", dump, "--all-files");
  expect(good.status).toBe(0);
  expect(good.of("database backup")).toMatchObject({ status: "ok", text: expect.stringMatching(/^a dump \(custom/) });
  expect(good.of("WAL archive")).toMatchObject({ status: "warning", text: expect.stringMatching(/^off/) });
  expect(good.of("files: uploads")).toMatchObject({ status: "ok", text: "all 3 files are in storage" });
  expect(good.of("copy of SKEIN_SECRET")?.text).not.toContain(secret);

  // A restore of an older dump and fewer files.
  const restoredUrl = await emptyDatabase();
  await runPostgresProgram("pg_restore", ["--exit-on-error", `--dbname=${restoredUrl}`, dump]);
  await ctx.files.remove(`uploads/${realm.id}/removed`);
  await ctx.files.put(`uploads/${realm.id}/cut`, Buffer.from("con"), "text/plain");
  const db = connect({ url: restoredUrl, connections: 1, name: "test" });
  await sql`select setval(pg_get_serial_sequence('messages', 'id'), 1, false)`.execute(db);
  await db.destroy();
  const longAgo = Date.now() / 1000 - 100 * 3600;
  await utimes(dump, longAgo, longAgo);

  const restored = await run(restoredUrl, "restore", "verify", "--all-files");
  expect(restored.status).toBe(1);
  expect(restored.of("recovery")?.status).toBe("ok");
  expect(restored.of("schema")?.status).toBe("ok");
  expect(restored.of("content")?.text).toContain(`the newest message is ${message}`);
  expect(restored.of("sequences")).toMatchObject({
    status: "failed",
    remedy: `SELECT setval('messages_id_seq', ${message});`,
  });
  expect(restored.of("files: uploads")?.text).toBe(
    `2 of 3 are missing or damaged: uploads/${realm.id}/cut has 3 bytes instead of 7, uploads/${realm.id}/removed is missing`,
  );
  expect(restored.of("event log")?.text).toMatch(
    /^the next relay begins a new epoch \(there was no replication slot\)/,
  );

  const current = await run(ctx.config.databaseUrl, "backup", "check", "--backup", dump);
  expect(current.of("database backup")).toMatchObject({
    status: "failed",
    text: expect.stringMatching(/^a dump \(custom format\), 100 hours old, more than 26 hours/),
  });
});

test("an archive of the write-ahead log that is on, but has no command, is a failure", async () => {
  const engines = await OwnEngines.start();
  const db = connect({ url: engines.postgresUrl, connections: 1, name: "test" });
  await sql`alter system set archive_mode = on`.execute(db);
  await db.destroy();
  await engines.stopPostgres();
  await engines.startPostgres();
  const commandLine = new CommandLine({ SKEIN_DATABASE_URL: engines.postgresUrl, SKEIN_NATS_URL: engines.natsUrl });
  await commandLine.json("migrate");

  const { status, stdout } = await commandLine.run(["backup", "check", "--json"]);
  const { checks } = JSON.parse(stdout) as { checks: Finding[] };

  expect(status).toBe(1);
  expect(checks.find(({ check }) => check === "WAL archive")).toMatchObject({
    status: "failed",
    text: expect.stringContaining("archive_command is empty"),
  });
});
