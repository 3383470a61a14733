import { mkdtemp } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { sql } from "kysely";
import { expect, inject, onTestFinished, test } from "vitest";
import { CommandLine, emptyDatabase } from "../../../test/command-line.ts";
import { startOwnServer } from "../../../test/own-server.ts";
import { newRealm } from "../../../test/realm.ts";
import { S3Server } from "../../../test/s3-server.ts";
import { freePort } from "../../platform/engines/free-port.ts";
import { examine } from "./doctor.ts";
import { clockFinding, type Finding } from "../finding.ts";

const secret = "a secret of more than thirty-two characters";

function reader(checks: Finding[]) {
  return (name: string) => checks.find(({ check }) => check === name);
}

test("a complete server passes every check, and another secret than the database's is detected", async () => {
  const s3 = await S3Server.start();
  onTestFinished(() => s3.stop());
  const server = await startOwnServer({ SKEIN_SECRET: secret });
  const { ctx } = server;
  const realm = await newRealm([server]);
  await sql`
    insert into invitation_links (realm_id, invited_by_id, role, channel_ids, group_ids, default_channels, site_url,
      token_hash, sealed_token)
    values (${realm.id}, ${realm.admin.id}, 400, '{}', '{}', true, '', '\\x01',
      ${ctx.secretBox.seal("token", "invitation link")})`.execute(ctx.db);
  // A push relay accepts nothing but POST.
  const relay = createServer((_request, response) => response.writeHead(405).end());
  await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void relay.close());
  const { port } = relay.address() as { port: number }; // it listens on a port
  const settings = {
    SKEIN_DATABASE_URL: ctx.config.databaseUrl,
    SKEIN_NATS_URL: ctx.config.natsUrl,
    SKEIN_LOG_NAME: ctx.config.logName,
    SKEIN_SECRET: secret,
    SKEIN_SMTP_URL: inject("smtpUrl"),
    SKEIN_MAIL_FROM: "chat@example.com",
    SKEIN_S3_BUCKET: s3.bucket,
    SKEIN_S3_ENDPOINT: s3.endpoint,
    SKEIN_S3_REGION: s3.region,
    SKEIN_S3_ACCESS_KEY: s3.keys.accessKey,
    SKEIN_S3_SECRET_KEY: s3.keys.secretKey,
    SKEIN_PUSH_RELAY_URL: `http://127.0.0.1:${port}/push`,
  };

  const { status, stdout } = await new CommandLine(settings).run(["doctor", "--json"]);
  const report = JSON.parse(stdout) as { failed: number; checks: Finding[] };
  const wrong = await examine({ ...settings, SKEIN_SECRET: `another ${secret}`, SKEIN_S3_SECRET_KEY: "wrong" });

  expect({ status, failed: report.checks.filter((check) => check.status === "failed") }).toEqual({
    status: 0,
    failed: [],
  });
  const good = report.checks.filter((check) => check.status === "ok").map(({ check }) => check);
  expect(good).toEqual(
    expect.arrayContaining(["PostgreSQL", "PostgreSQL's clock", "replication privilege", "wal_level"]),
  );
  expect(good).toEqual(
    expect.arrayContaining(["replication slots", "max_slot_wal_keep_size", "connections", "schema"]),
  );
  expect(good).toEqual(
    expect.arrayContaining(["NATS", "NATS's clock", "max_payload", "JetStream storage", "event log"]),
  );
  expect(good).toEqual(expect.arrayContaining(["S3 bucket", "mail", "push relay", "SKEIN_SECRET"]));
  expect(reader(report.checks)("SKEIN_SECRET")?.text).toBe("decrypts all 1 values that were tried");
  expect([...s3.objects.keys()]).toEqual([]);
  expect(reader(wrong)("SKEIN_SECRET")).toMatchObject({
    status: "failed",
    text: expect.stringContaining("cannot decrypt 1 of 1"),
  });
  expect(reader(wrong)("S3 bucket")).toMatchObject({
    status: "failed",
    remedy: expect.stringContaining("SKEIN_S3_SECRET_KEY"),
  });
});

test("whatever is broken is reported with what to do", async () => {
  const folder = await mkdtemp(join(inject("scratchFolder"), "doctor-"));
  const closed = await freePort();
  const settings = {
    SKEIN_NATS_URL: `nats://127.0.0.1:${closed}`,
    SKEIN_SMTP_URL: `smtp://127.0.0.1:${closed}`,
    SKEIN_PUSH_RELAY_URL: `http://127.0.0.1:${closed}/`,
    SKEIN_EXTERNAL_URL: "http://chat.example.invalid",
    SKEIN_DEVELOPMENT: "true",
    SKEIN_FILES_DIR: join(folder, "x".repeat(300)), // no file system allows so long a name
  };

  const found = reader(await examine({ ...settings, SKEIN_DATABASE_URL: await emptyDatabase() }));
  const database = `postgres://skein@127.0.0.1:${closed}/skein`;
  const unreachable = await new CommandLine({ ...settings, SKEIN_DATABASE_URL: database }).run(["doctor"]);
  const invalid = await examine({ SKEIN_PORT: "x", SKEIN_NONSENSE: "1" });

  const failure = (remedy: string) => ({ status: "failed", remedy: expect.stringContaining(remedy) });
  expect(found("schema")).toMatchObject(failure("skein migrate"));
  expect(found("NATS")).toMatchObject(failure("SKEIN_NATS_URL"));
  expect(found("mail")).toMatchObject(failure("SKEIN_SMTP_URL"));
  expect(found("push relay")).toMatchObject(failure("SKEIN_PUSH_RELAY_URL"));
  expect(found("file folder")).toMatchObject(failure("Create the folder"));
  expect(found("SKEIN_DEVELOPMENT")).toMatchObject(failure("Unset it"));
  expect(found("SKEIN_EXTERNAL_URL")).toMatchObject({ status: "warning", remedy: expect.stringContaining("DNS") });
  expect(unreachable.status).toBe(1);
  expect(unreachable.stdout).toMatch(
    /^FAILED +PostgreSQL +Cannot connect to PostgreSQL at .*\n +→ Set SKEIN_DATABASE_URL/m,
  );
  expect(invalid).toEqual([
    expect.objectContaining({
      check: "settings",
      text: expect.stringMatching(/SKEIN_NONSENSE is not[^]*SKEIN_PORT must/),
    }),
  ]);
});

test.for([
  [1000, "ok"],
  [-1900, "ok"],
  [5000, "warning"],
  [-60_000, "failed"],
] as const)("a clock that is %s ms off: %s", ([difference, status]) => {
  expect(clockFinding("clock", 1_000_000 + difference, 1_000_000, 0).status).toBe(status);
});
