import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { promisify } from "node:util";
import { sql } from "kysely";
import { beforeAll, expect, inject, test } from "vitest";
import { settings } from "../config.ts";
import { connect } from "../platform/db/connect.ts";

interface Outcome {
  status: number;
  stdout: string;
  stderr: string;
}

const run = promisify(execFile);

/** A database of its own, because commands look for the only organization of a server. */
const name = `cli_${randomBytes(4).toString("hex")}`;
const databaseUrl = new URL(inject("postgresUrl"));
databaseUrl.pathname = `/${name}`;

async function skein(args: string[], environment: Record<string, string> = {}): Promise<Outcome> {
  const program = join(import.meta.dirname, "../../bin/skein.js");
  const env = { PATH: process.env["PATH"], SKEIN_DATABASE_URL: databaseUrl.href, ...environment };
  try {
    return { status: 0, ...(await run(process.execPath, [program, ...args], { env })) };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }; // a failed child's own
    return { status: code, stdout, stderr };
  }
}

async function json(...args: string[]): Promise<unknown> {
  const { status, stdout, stderr } = await skein([...args, "--json"]);
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

beforeAll(async () => {
  const db = connect({ url: inject("postgresUrl"), connections: 1, name: "test" });
  await sql`create database ${sql.id(name)}`.execute(db);
  await db.destroy();
});

test("from an empty database to an owner with a key", async () => {
  expect(await skein(["realm", "create", "denmark"])).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("run `npx skein migrate` first"),
  });
  expect(await skein(["migrate"])).toMatchObject({
    stdout: expect.stringMatching(/^0001-foundation\.sql {2}\d+ ms\n/),
  });
  expect(await json("migrate")).toEqual({ applied: [] });
  expect(await skein(["user", "create", "gertrude@example.com", "--name", "Gertrude"])).toMatchObject({
    stderr: "There is no organization yet: make one with `npx skein realm create`.\n",
  });

  const realm = { id: expect.any(Number), string_id: "denmark", name: "Elsinore", host: null };
  expect(await json("realm", "create", "denmark", "--name", "Elsinore")).toEqual(realm);
  const create = ["user", "create", "gertrude@example.com", "--name", "Gertrude"];
  const made = await json(...create, "--role", "owner");
  const user_id = (made as { user_id: number }).user_id;

  expect(made).toEqual({ user_id, email: "gertrude@example.com", password: expect.stringMatching(/^\w{20}$/) });
  expect(await json("user", "api-key", "Gertrude@example.com")).toEqual({
    user_id,
    email: "gertrude@example.com",
    api_key: expect.stringMatching(/^[A-Za-z0-9]{32}$/),
  });
  expect(await json("user", "api-key", "gertrude@example.com", "--revoke")).toEqual({ user_id, revoked: 1 });
  expect(await json("user", "grant", "gertrude@example.com", "can_create_users")).toEqual({
    user_id,
    can_create_users: true,
  });
  expect(await skein(create)).toMatchObject({ status: 1, stderr: "Email is already in use.\n" });
  expect(await skein(["user", "role", "gertrude@example.com", "member"])).toMatchObject({
    stderr: "The owner permission cannot be removed from the only organization owner.\n",
  });
  expect(await skein(["user", "deactivate", "gertrude@example.com"])).toMatchObject({ status: 1 });
  await json("user", "create", "claudius@example.com", "--name", "Claudius", "--password", "Basalt-7f3a-tide");
  expect(await json("user", "role", "claudius@example.com", "owner")).toMatchObject({ role: 100 });
  expect(await json("user", "deactivate", "gertrude@example.com")).toEqual({ user_id, is_active: false });
  expect(await json("user", "reactivate", "gertrude@example.com")).toEqual({ user_id, is_active: true });

  expect(await skein(["realm", "create", "norway"])).toMatchObject({
    stderr: "Elsinore answers where no host is named: give this one a --host.\n",
  });
  await json("realm", "create", "norway", "--host", "norway.example.com");
  expect(await skein(["user", "role", "claudius@example.com", "member"])).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("say which with --realm: denmark, norway."),
  });
  expect(await skein(["user", "role", "claudius@example.com", "member", "--realm", "norway"])).toMatchObject({
    stderr: "Nobody in norway has the address claudius@example.com.\n",
  });
}, 120_000);

test("a database that cannot be reached is explained without its password", async () => {
  const { status, stderr } = await skein(["migrate"], {
    SKEIN_DATABASE_URL: "postgres://skein:secret@127.0.0.1:1/skein",
  });

  expect(status).toBe(1);
  expect(stderr).toContain("PostgreSQL at 127.0.0.1:1/skein cannot be used");
  expect(stderr).toContain("SKEIN_DATABASE_URL");
  expect(stderr).not.toContain("secret");
});

test("every setting is listed, and no secret is told", async () => {
  const { stdout } = await skein(["config"], { SKEIN_DATABASE_URL: "postgres://skein:hush-4711@db/skein" });
  const listed = (await json("config")) as { variable: string }[]; // what the command promises

  for (const { variable, meaning } of Object.values(settings)) {
    expect(stdout).toContain(variable);
    expect(stdout).toContain(meaning);
  }
  expect(stdout).not.toContain("hush-4711");
  expect(listed.map((row) => row.variable)).toEqual(Object.values(settings).map((declared) => declared.variable));
});
