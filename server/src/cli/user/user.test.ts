import { expect, test } from "vitest";
import { CommandLine, emptyDatabase } from "../../../test/command-line.ts";
import { settings } from "../../config.ts";

const commandLine = new CommandLine({ SKEIN_DATABASE_URL: await emptyDatabase() });

test("from an empty database to an owner with a key", async () => {
  expect(await commandLine.run(["realm", "create", "denmark"])).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("run `skein migrate` first"),
  });
  expect(await commandLine.run(["migrate"])).toMatchObject({
    stdout: expect.stringMatching(/^0001-foundation\.sql {2}\d+ ms\n/),
  });
  expect(await commandLine.json("migrate")).toEqual({ applied: [], postponed: [] });
  expect(await commandLine.run(["user", "create", "gertrude@example.com", "--name", "Gertrude"])).toMatchObject({
    stderr: "There is no organization yet. Create one with `skein realm create`.\n",
  });

  const realm = { id: expect.any(Number), string_id: "denmark", name: "Elsinore", host: null };
  expect(await commandLine.json("realm", "create", "denmark", "--name", "Elsinore")).toEqual(realm);
  const create = ["user", "create", "gertrude@example.com", "--name", "Gertrude"];
  const made = await commandLine.json(...create, "--role", "owner");
  const user_id = (made as { user_id: number }).user_id;

  expect(made).toEqual({ user_id, email: "gertrude@example.com", password: expect.stringMatching(/^\w{20}$/) });
  expect(await commandLine.json("user", "api-key", "Gertrude@example.com")).toEqual({
    user_id,
    email: "gertrude@example.com",
    api_key: expect.stringMatching(/^[A-Za-z0-9]{32}$/),
  });
  expect(await commandLine.json("user", "api-key", "gertrude@example.com", "--revoke")).toEqual({
    user_id,
    revoked: 1,
  });
  expect(await commandLine.json("user", "grant", "gertrude@example.com", "can_create_users")).toEqual({
    user_id,
    can_create_users: true,
  });
  expect(await commandLine.run(create)).toMatchObject({ status: 1, stderr: "Email is already in use.\n" });
  expect(await commandLine.run(["user", "role", "gertrude@example.com", "member"])).toMatchObject({
    stderr: "The owner permission cannot be removed from the only organization owner.\n",
  });
  expect(await commandLine.run(["user", "deactivate", "gertrude@example.com"])).toMatchObject({ status: 1 });
  await commandLine.json(
    "user",
    "create",
    "claudius@example.com",
    "--name",
    "Claudius",
    "--password",
    "Basalt-7f3a-tide",
  );
  expect(await commandLine.json("user", "role", "claudius@example.com", "owner")).toMatchObject({ role: 100 });
  expect(await commandLine.json("user", "deactivate", "gertrude@example.com")).toEqual({ user_id, is_active: false });
  expect(await commandLine.json("user", "reactivate", "gertrude@example.com")).toEqual({ user_id, is_active: true });

  expect(await commandLine.run(["realm", "create", "norway"])).toMatchObject({
    stderr: "Elsinore already serves all host names that no other organization has. Choose a host name.\n",
  });
  await commandLine.json("realm", "create", "norway", "--host", "norway.example.com");
  expect(await commandLine.run(["user", "role", "claudius@example.com", "member"])).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("Choose one with --realm: denmark, norway."),
  });
  expect(await commandLine.run(["user", "role", "claudius@example.com", "member", "--realm", "norway"])).toMatchObject({
    stderr: "No account in norway has the e-mail address claudius@example.com.\n",
  });
});

test("the error for an unreachable database does not reveal its password", async () => {
  const { status, stderr } = await commandLine.run(["migrate"], {
    SKEIN_DATABASE_URL: "postgres://skein:secret@127.0.0.1:1/skein",
  });

  expect(status).toBe(1);
  expect(stderr).toContain("Cannot connect to PostgreSQL at 127.0.0.1:1/skein");
  expect(stderr).toContain("SKEIN_DATABASE_URL");
  expect(stderr).not.toContain("secret");
});

test("config lists every setting and shows no secret", async () => {
  const { stdout } = await commandLine.run(["config"], { SKEIN_DATABASE_URL: "postgres://skein:hush-4711@db/skein" });
  const listed = (await commandLine.json("config")) as { variable: string }[]; // what the command promises

  for (const { variable, meaning } of Object.values(settings)) {
    expect(stdout).toContain(variable);
    expect(stdout).toContain(meaning);
  }
  expect(stdout).not.toContain("hush-4711");
  expect(listed.map((row) => row.variable)).toEqual(Object.values(settings).map((declared) => declared.variable));
});
