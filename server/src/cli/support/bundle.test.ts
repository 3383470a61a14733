import { execFile } from "node:child_process";
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { createBot } from "@skein/api/bots.ts";
import { expect, inject, test } from "vitest";
import { channelOf, sendToChannel } from "../../../test/actions.ts";
import { CommandLine } from "../../../test/command-line.ts";
import { Commands } from "../../../test/commands.ts";
import { newRealm, success } from "../../../test/realm.ts";
import { settings } from "../../config.ts";
import { redactor, shownSettings } from "./redact.ts";

const run = promisify(execFile);

test("a support bundle tells how the server is, and contains no secret and nothing about anybody", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet", { fullName: "Hamlet Prince" });
  const channel = await channelOf([hamlet], "court-secrets");
  await sendToChannel(hamlet, channel, { content: "something is rotten" });
  const bot = success(
    await hamlet.call(createBot, {
      full_name: "Yorick",
      short_name: "yorick",
      bot_type: 3,
      payload_url: "https://jester.example.com/hook?token=hook-token-77",
      service_name: "jester",
    }),
  );
  const given = {
    SKEIN_SECRET: "a secret of the test nodes, long enough",
    SKEIN_SMTP_URL: "smtp://mailer:mail-pass-4711@127.0.0.1:1",
    SKEIN_MAIL_FROM: "Court <court@denmark.example.com>",
    SKEIN_NATS_URL: inject("natsUrl").replace("nats://", "nats://nuser:nats-pass-4711@"),
    SKEIN_JWT_SECRETS: "denmark.example.com=jwt-secret-4711-jwt-secret-4711-jwt",
    SKEIN_PUSH_RELAY_SECRET: "relay-secret-4711",
    SKEIN_GIPHY_API_KEY: "giphy-4711",
    SKEIN_OIDC_CLIENT_SECRET: "oidc-4711",
    SKEIN_PORT: new URL(realm.nodes[0]?.url ?? "").port,
  };
  const file = join(await mkdtemp(join(inject("scratchFolder"), "bundle-")), "bundle.tar.gz");

  const { failed } = await new Commands(realm.ctx, given).json("support-bundle", "--output", file);
  const { stdout: text } = await run("tar", ["-xzOf", file], { maxBuffer: 64 * 1024 ** 2 });
  const { stdout: names } = await run("tar", ["-tzf", file]);

  expect(failed).toEqual([]);
  expect(names.trim().split("\n")).toHaveLength(11);
  for (const part of ["skein_", '"SKEIN_SECRET": "(set)"', '"missing": []', "PostgreSQL", '"slot"'])
    expect(text, part).toContain(part);
  const accounts = await realm.ctx.db
    .selectFrom("users")
    .select(["delivery_email", "full_name"])
    .where("realm_id", "=", realm.id)
    .execute();
  const passwords = [
    "mail-pass-4711",
    "nats-pass-4711",
    "jwt-secret-4711",
    "relay-secret-4711",
    "giphy-4711",
    "oidc-4711",
  ];
  const contents = ["hook-token-77", "jester", "rotten", "court-secrets", realm.host, "court@denmark.example.com"];
  const keys = [hamlet.apiKey, realm.admin.apiKey, bot.api_key, given.SKEIN_SECRET];
  const people = accounts.flatMap(({ delivery_email, full_name }) => [delivery_email, full_name]);
  // The owner of a test realm is named like a role.
  const forbidden = [...passwords, ...contents, ...keys, ...people].filter((word) => word !== "owner");
  for (const word of forbidden) expect(text.includes(word), word).toBe(false);
  expect(text).not.toMatch(/[\w.]+@[\w-]+\.(?:com|invalid)/);
});

test("invalid settings are in the bundle, too, and parts that need valid ones say so", async () => {
  const file = join(await mkdtemp(join(inject("scratchFolder"), "bundle-")), "bundle.tar.gz");
  const commandLine = new CommandLine({ SKEIN_PORT: "none", SKEIN_SMTP_URL: "smtp://mailer:100%@127.0.0.1" });

  const { status, stderr } = await commandLine.run(["support-bundle", "--output", file]);
  const { stdout: text } = await run("tar", ["-xzOf", file]);

  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(text).toContain("SKEIN_PORT must be");
  expect(text).toContain("Could not be collected: the settings are invalid");
  expect(await commandLine.run(["support-bundle", "--output", file])).toMatchObject({
    status: 1,
    stderr: `${file} already exists (EEXIST). Choose another file with --output.\n`,
  });
});

test.for([
  ["a percent sign", "smtp://mailer:100%-4711@host", "100%-4711"],
  ["a comma", "postgres://skein:one,two-4711@host/skein", "one,two-4711"],
  ["a quote, in JSON", 'quo"ted-4711', 'quo\\"ted-4711'],
] as const)("a secret with %s is removed", ([, value, secret]) => {
  const variable = value.startsWith("postgres") ? "SKEIN_DATABASE_URL" : "SKEIN_SMTP_URL";

  expect(redactor({ [variable]: value })(`error: ${secret}.`)).toBe("error: (redacted).");
});

test("the value of no secret setting is shown, and none survives in a text", () => {
  const secret = "opensesame-4711";
  const environment = Object.fromEntries(
    Object.values(settings)
      .filter((declared) => "secret" in declared)
      .map(({ variable }) => [variable, variable.endsWith("_URL") ? `scheme://someone:${secret}@host` : secret]),
  );

  expect(JSON.stringify(shownSettings(environment))).not.toContain(secret);
  expect(redactor(environment)(`error: ${secret} for scheme://someone:${secret}@host/x by a.b@example.com`)).toBe(
    "error: (redacted) for scheme://(redacted)@host/x by (e-mail address)",
  );
});
