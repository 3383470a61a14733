/** Commands act on a running server: connected clients see what they change. */
import { getAuditLog, type AuditEntry } from "@skein/api/audit-log.ts";
import { createDrafts } from "@skein/api/drafts.ts";
import type { Event } from "@skein/api/events.ts";
import { getExports } from "@skein/api/exports.ts";
import { getMessage } from "@skein/api/messages.ts";
import { updateSettings } from "@skein/api/settings.ts";
import { getOwnUser, getUsers } from "@skein/api/users.ts";
import { updateStatus } from "@skein/api/status.ts";
import { mkdtemp, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import { expect, inject, test } from "vitest";
import { channelOf, messageFor, sendDirect, sendToChannel } from "../../test/actions.ts";
import { TestBrowser } from "../../test/test-browser.ts";
import { Commands } from "../../test/commands.ts";
import { unpackArchive } from "../../test/exported.ts";
import { statusFor, uploadAs } from "../../test/files.ts";
import { capabilities, newRealm, success, type TestQueue, type TestRealm } from "../../test/realm.ts";
import { verifyLog } from "../domain/organization/audit/queries.ts";
import { hashPassword } from "../domain/people/auth/passwords.ts";

interface Setting {
  realm: TestRealm;
  skein: Commands;
  /** Selects the realm. */
  here: ["--realm", string];
}

async function setUp(): Promise<Setting> {
  const realm = await newRealm();
  const settings = { SKEIN_SMTP_URL: inject("smtpUrl"), SKEIN_EXTERNAL_URL: realm.nodes[0]?.url ?? "" };
  const [shortName = ""] = realm.host.split(".");
  return { realm, skein: new Commands(realm.ctx, settings), here: ["--realm", shortName] };
}

test("an organization is listed, shown and renamed, and clients see its new name", async () => {
  const { realm, skein, here } = await setUp();
  const queue = await realm.admin.register(["realm"]);
  await realm.user("guest", { role: 600 });

  const renamed = await skein.json("realm", "rename", ...here, "--name", "Elsinore");

  expect(await queue.next()).toEqual({ type: "realm", op: "update", property: "name", value: "Elsinore" });
  expect(renamed).toMatchObject({ id: realm.id, name: "Elsinore", host: realm.host });
  expect(await skein.json("realm", "show", ...here)).toMatchObject({
    name: "Elsinore",
    state: "active",
    people: 2,
    roles: { owner: 1, guest: 1, member: 0 },
    messages: 0,
  });
  expect(await skein.text("realm", "list")).toMatch(new RegExp(`${here[1]} .* active .* 2 .* Elsinore$`, "m"));
  await expect(skein.text("realm", "rename", ...here, "--any-host", "--host", "x.example")).rejects.toThrow("exclude");
  await expect(skein.text("realm", "rename", ...here)).rejects.toThrow("Nothing to change");
  await expect(skein.text("realm", "rename", ...here, "--host", "no host")).rejects.toThrow("not a host name");
  const other = await newRealm();
  await expect(skein.text("realm", "rename", ...here, "--host", other.host)).rejects.toThrow("already uses the host");
});

test("after a change of the host name, keys work at the new one only", async () => {
  const { realm, skein, here } = await setUp();
  success(await realm.admin.on(1).call(getOwnUser, {}));
  const host = `new-${realm.host}`;

  await skein.json("realm", "rename", ...here, "--host", host.toUpperCase(), "--short-name", `new-${here[1]}`);

  expect(await realm.admin.on(1).call(getOwnUser, {})).toMatchObject({ code: "UNAUTHORIZED" });
  const authorization = `Basic ${btoa(`${realm.admin.email}:${realm.admin.apiKey}`)}`;
  const headers = { authorization, "x-forwarded-host": host };
  expect((await fetch(`${realm.nodes[1]?.url}/api/v1/users/me`, { headers })).status).toBe(200);
  expect(await skein.json("realm", "show", "--realm", `new-${here[1]}`)).toMatchObject({ host });
});

test("a deactivated organization signs everyone out until it is reactivated", async () => {
  const { realm, skein, here } = await setUp();
  const queue = await realm.admin.register(["realm"]);

  await skein.json("realm", "deactivate", ...here);
  expect(await realm.admin.on(1).call(getOwnUser, {})).toMatchObject({ code: "UNAUTHORIZED" });
  expect(await skein.json("realm", "show", ...here)).toMatchObject({ state: "deactivated" });
  await skein.json("realm", "reactivate", ...here);

  success(await realm.admin.on(1).call(getOwnUser, {}));
  expect(await queue.next()).toMatchObject({ op: "deactivated" });
});

test("an export is written to a new file", async () => {
  const { realm, skein, here } = await setUp();
  const channel = await channelOf([realm.admin], "court");
  await sendToChannel(realm.admin, channel);
  const file = join(await mkdtemp(join(inject("scratchFolder"), "export-")), "export.tar.gz");

  const made = await skein.json("realm", "export", ...here, "--output", file);

  expect(made).toMatchObject({ finished: true, file });
  const exported = await unpackArchive(await readFile(file));
  expect(await exported.summary()).toMatchObject({ realm_id: realm.id, counts: { messages: 1 } });
  await expect(skein.text("realm", "export", ...here, "--output", file)).rejects.toThrow("EEXIST");
});

test.each([
  ["skein", "messages-000001.json"],
  ["zulip", "zulip-export/messages-000001.json"],
])("the operator can export everything in the format %s, and the server keeps no copy", async (format, messages) => {
  const { realm, skein, here } = await setUp();
  await sendDirect(realm.admin, [realm.admin], { content: "note to self" });
  const file = join(await mkdtemp(join(inject("scratchFolder"), "export-")), "export.tar.gz");

  const made = await skein.json("realm", "export", ...here, "--everything", "--format", format, "--output", file);

  expect(made).toMatchObject({ finished: true, file });
  expect(await (await unpackArchive(await readFile(file))).text(messages)).toContain("note to self");
  expect(success(await realm.admin.call(getExports, {})).exports).toEqual([]);
});

test.each([
  [["--everything"], "--everything needs --output"],
  [["--format", "zulip"], "--format zulip needs --output"],
  [["--format", "xml", "--output", "x"], "--format is skein or zulip"],
  [["--everything", "--consented", "--output", "x"], "Choose --consented or --everything"],
])("an export with %j is refused", async (options, reason) => {
  const { skein, here } = await setUp();

  await expect(skein.text("realm", "export", ...here, ...options)).rejects.toThrow(reason);
});

test("an export that cannot be written leaves no file, so that it can be repeated", async () => {
  const { realm, here } = await setUp();
  const folder = await mkdtemp(join(inject("scratchFolder"), "export-"));
  const elsewhere = new Commands(realm.ctx, { SKEIN_FILES_DIR: folder });

  const exported = elsewhere.text("realm", "export", ...here, "--output", join(folder, "export.tar.gz"));

  await expect(exported).rejects.toThrow("set SKEIN_FILES_DIR");
  expect(await readdir(folder)).toEqual([]);
});

test("accounts are listed in pages, with filters", async () => {
  const { realm, skein, here } = await setUp();
  const [hamlet, ophelia] = [await realm.user("Hamlet"), await realm.user("Ophelia", { role: 600 })];
  const list = async (...args: string[]) => {
    const { users, next } = await skein.json("user", "list", ...here, ...args);
    return { ids: (users as { id: number }[]).map(({ id }) => id), next };
  };

  expect(await list()).toEqual({ ids: [realm.admin.id, hamlet.id, ophelia.id], next: null });
  expect(await list("--limit", "2")).toEqual({ ids: [realm.admin.id, hamlet.id], next: hamlet.id });
  expect(await list("--after", String(hamlet.id))).toMatchObject({ ids: [ophelia.id] });
  expect(await list("--role", "guest", "--people", "--active")).toMatchObject({ ids: [ophelia.id] });
  expect(await list("--search", "HAML")).toMatchObject({ ids: [hamlet.id] });
  expect(await list("--deactivated")).toMatchObject({ ids: [] });
  expect(await skein.text("user", "list", ...here)).toContain(`guest   active  never      ${ophelia.email}`);
});

test("an account's e-mail address changes for everyone, and sessions are listed and revoked", async () => {
  const { realm, skein, here } = await setUp();
  const hamlet = await realm.user("hamlet");
  const queue = await realm.admin.register(["realm_user"]);
  const address = `prince@${realm.host}`;

  await skein.json("user", "email", hamlet.email, address, ...here);
  expect(await queue.next()).toMatchObject({ person: { user_id: hamlet.id, delivery_email: address } });
  const { api_keys } = await skein.json("user", "sessions", address, ...here);
  expect(api_keys).toMatchObject([{ client_name: "test" }]);
  expect(await skein.json("user", "show", address, ...here)).toMatchObject({ id: hamlet.id, api_keys: 1, groups: [] });
  await expect(skein.text("user", "sessions", address, ...here, "--revoke-key", "1")).rejects.toThrow("no API key 1");
  const left = await skein.json("user", "sessions", String(hamlet.id), ...here, "--revoke-all");

  expect(left).toMatchObject({ browsers: [], api_keys: [] });
  for (const node of [0, 1]) expect(await hamlet.on(node).call(getOwnUser, {})).toMatchObject({ code: "UNAUTHORIZED" });
});

test("the printed link resets a password and signs browsers out", async () => {
  const { realm, skein, here } = await setUp();
  const hamlet = await realm.user("hamlet");
  const password_hash = await hashPassword("Basalt-7f3a-tide");
  await realm.ctx.db.updateTable("users").set({ password_hash }).where("id", "=", hamlet.id).execute();
  const browser = new TestBrowser(realm);
  await browser.signIn(hamlet);

  const { link } = await skein.json("user", "password-reset", hamlet.email, ...here, "--print-link");
  const { pathname } = new URL(String(link));
  await browser.open(pathname);
  const answer = await browser.send(pathname, { password: "Quartz-91bd-dune", confirmation: "Quartz-91bd-dune" });

  expect(answer.status).toBeLessThan(400);
  expect(await skein.json("user", "sessions", hamlet.email, ...here)).toMatchObject({ browsers: [] });
  expect(await skein.json("user", "password-reset", hamlet.email, ...here)).toEqual({
    user_id: hamlet.id,
    mailed_to: hamlet.email,
  });
  const withoutMail = new Commands(realm.ctx, { SKEIN_EXTERNAL_URL: realm.nodes[0]?.url ?? "" });
  await expect(withoutMail.text("user", "password-reset", hamlet.email, ...here)).rejects.toThrow("--print-link");
});

test("an erased person has no name, address or private data, and their messages stay unless asked", async () => {
  const { realm, skein, here } = await setUp();
  const [hamlet, horatio] = [await realm.user("hamlet"), await realm.user("horatio")];
  const channel = await channelOf([realm.admin, hamlet, horatio], "court");
  const [shared, unsent] = [await uploadAs(hamlet), await uploadAs(hamlet)];
  const id = await sendToChannel(hamlet, channel, { content: `[a file](${shared})` });
  const reply = await sendToChannel(horatio, channel);
  success(await hamlet.call(createDrafts, { drafts: [{ type: "", to: [], topic: "", content: "to be" }] }));
  success(await hamlet.call(updateStatus, { status_text: "in England" }));
  success(await hamlet.call(updateSettings, { timezone: "Europe/Copenhagen" }));
  const provisioned = { user_id: hamlet.id, realm_id: realm.id, user_name: hamlet.email, modified_at: new Date() };
  await realm.ctx.db
    .insertInto("scim_users")
    .values({ ...provisioned, attributes: "{}" })
    .execute();
  const queue = await horatio.register(["realm_user", "user_status"], ["realm_user", "user_status"]);
  const erase = ["user", "erase", hamlet.email, ...here];

  await expect(skein.text(...erase)).rejects.toThrow(`--confirm ${hamlet.email}`);
  expect(await skein.json(...erase, "--confirm", hamlet.email)).toEqual({ user_id: hamlet.id, erased: true });

  const last = await sendToChannel(horatio, channel);
  expect((await messageFor(horatio, id)).sender_full_name).toBe(`Deleted user ${hamlet.id}`);
  expect(await statusFor(horatio, shared)).toBe(200);
  expect(await statusFor(realm.admin, unsent)).not.toBe(200);
  expect(await hamlet.call(getOwnUser, {})).toMatchObject({ code: "UNAUTHORIZED" });
  const { members } = success(await horatio.call(getUsers, {}));
  expect(members.find((user) => user.user_id === hamlet.id)).toMatchObject({ is_active: false, timezone: "" });
  const seen = await eventsUntilDeactivation(queue);
  expect(JSON.stringify(seen)).not.toContain("England");
  expect(seen).toContainEqual(
    expect.objectContaining({ person: { user_id: hamlet.id, full_name: `Deleted user ${hamlet.id}` } }),
  );
  expect(await tracesOf(realm, hamlet.email)).toEqual([]);

  const everything = ["user", "erase", String(hamlet.id), ...here, "--delete-messages"];
  const placeholder = `deleted-user-${hamlet.id}@skein.invalid`;
  expect(await skein.json(...everything, "--confirm", placeholder)).toMatchObject({ messages: 1, files: 1 });
  expect(await horatio.call(getMessage, { message_id: id })).toMatchObject({ result: "error" });
  expect(await statusFor(horatio, shared)).not.toBe(200);
  for (const kept of [reply, last]) await messageFor(horatio, kept);
});

/** The events up to the deactivation of an account. */
async function eventsUntilDeactivation(queue: TestQueue): Promise<Event[]> {
  const events: Event[] = [];
  for (;;) {
    const event = await queue.next();
    events.push(event);
    if (event.type === "realm_user" && event.op === "update" && "is_active" in event.person) return events;
  }
}

/** The tables in which a text occurs. */
async function tracesOf(realm: TestRealm, text: string): Promise<string[]> {
  const { db } = realm.ctx;
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.columns where column_name = 'realm_id' and table_schema = 'public'`.execute(
    db,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const { rows } = await sql`select from ${sql.table(name)} t
      where realm_id = ${realm.id} and position(${text} in t::text) > 0 limit 1`.execute(db);
    if (rows.length > 0) found.push(name);
  }
  return found;
}

test("purged messages disappear from clients with their files, and others stay", async () => {
  const { realm, skein, here } = await setUp();
  const hamlet = await realm.user("hamlet");
  const channel = await channelOf([realm.admin, hamlet], "court");
  const [own, both] = [await uploadAs(hamlet), await uploadAs(hamlet)];
  const gone = [
    await sendToChannel(hamlet, channel, { topic: "plot", content: `[x](${own}) [y](${both})` }),
    await sendToChannel(hamlet, channel, { topic: "plot" }),
  ];
  const kept = [
    await sendToChannel(hamlet, channel, { content: `[y](${both})` }),
    await sendDirect(hamlet, [realm.admin]),
  ];
  const queue = await realm.admin.register(["delete_message"]);
  const purge = ["message", "purge", ...here, "--channel", "court", "--topic", "PLOT"];

  await expect(skein.text("message", "purge", ...here)).rejects.toThrow("Choose messages");
  expect(await skein.json(...purge, "--dry-run")).toMatchObject({ messages: 2, conversations: 1, dry_run: true });
  await expect(skein.text(...purge, "--confirm", "1")).rejects.toThrow("--confirm 2");
  expect(await skein.json(...purge, "--confirm", "2")).toEqual({ messages: 2, files: 1 });

  expect(await queue.next()).toMatchObject({
    type: "delete_message",
    message_ids: gone,
    stream_id: channel.id,
    topic: "plot",
  });
  expect(await statusFor(realm.admin, own)).not.toBe(200);
  expect(await statusFor(realm.admin, both)).toBe(200);
  for (const id of kept) await messageFor(realm.admin, id);
  const copies = realm.ctx.db.selectFrom("deleted_messages").select("id").where("realm_id", "=", realm.id);
  expect(await copies.execute()).toEqual([]);
  const later = new Date(Date.now() + 60_000).toISOString().replace(/\.\d+/, "");
  const rest = ["message", "purge", ...here, "--sender", hamlet.email, "--from", "2020-01-01", "--until", later];
  expect(await skein.json(...rest, "--ids", kept.join(","), "--confirm", "2")).toEqual({ messages: 2, files: 1 });
  for (const time of ["yesterday", "2026-02-30", "2026-04-31T10:00Z", "2026-05-04T09:30"])
    await expect(skein.text(...rest, "--from", time), time).rejects.toThrow("--from must be a date");
});

test("a channel is archived and unarchived, and its subscribers see who did it", async () => {
  const { realm, skein, here } = await setUp();
  const channel = await channelOf([realm.admin], "court");
  const queue = await realm.admin.register(["stream", "message"], [], {
    client_capabilities: { ...capabilities, archived_channels: true },
  });
  const names = async (...args: string[]) => await skein.text("channel", "list", ...here, ...args);

  expect(await skein.json("channel", "archive", "Court", ...here)).toEqual({
    channel_id: channel.id,
    is_archived: true,
  });
  const notice = await queue.nextOf("message");
  expect(notice.message.content).toContain("The operator of this server archived this channel.");
  expect(await archivedEvent(queue)).toBe(true);
  expect(await names("--archived")).toContain("court");
  expect(await names()).not.toContain("court");
  await skein.json("channel", "unarchive", String(channel.id), ...here);

  expect(await archivedEvent(queue)).toBe(false);
  expect(await names()).toMatch(/public +1 +default .* court$/m);
});

async function archivedEvent(queue: TestQueue): Promise<unknown> {
  for (;;) {
    const event = await queue.nextOf("stream");
    if (event.op === "update" && event.property === "is_archived") return event.value;
  }
}

test("commands that change an organization leave an entry of the operator, and others none", async () => {
  const { realm, skein, here } = await setUp();
  const hamlet = await realm.user("hamlet");
  const [gertrude, ghost] = [await realm.user("gertrude"), await realm.user("ghost")];
  await channelOf([realm.admin], "stage");
  await sendToChannel(hamlet, await channelOf([hamlet], "yard"), { content: "words" });
  const entries = async (): Promise<AuditEntry[]> =>
    success(await realm.admin.call(getAuditLog, { limit: 1000 })).entries.toReversed();
  const [before] = (await entries()).toReversed();
  const email = `new-${hamlet.email}`;
  const run = async (...argv: string[]): Promise<void> => {
    await skein.text(...argv, ...here);
  };

  await run("user", "create", email, "--name", "Horatio", "--password", "a long and secret word");
  await run("user", "role", hamlet.email, "moderator");
  await run("user", "grant", hamlet.email, "can_create_users");
  await run("user", "email", gertrude.email, `queen-${gertrude.email}`);
  await run("user", "api-key", hamlet.email, "--client", "cron");
  await run("user", "sessions", hamlet.email, "--revoke-all");
  await run("user", "password-reset", hamlet.email, "--print-link");
  await run("user", "deactivate", hamlet.email);
  await run("user", "reactivate", hamlet.email);
  await run("channel", "archive", "stage");
  await run("channel", "unarchive", "stage");
  await run("realm", "rename", "--name", "Elsinore");
  await run("realm", "export");
  await run("message", "purge", "--channel", "yard", "--sender", hamlet.email, "--confirm", "1");
  await run("user", "merge", ghost.email, "--into", hamlet.email, "--confirm", ghost.email);
  await run("user", "erase", email, "--confirm", email);
  // These change nothing.
  await run("user", "role", hamlet.email, "moderator");
  await run("realm", "rename", "--name", "Elsinore");
  await run("user", "list");
  await expect(run("user", "role", "nobody@example.com", "owner")).rejects.toThrow("No account");

  const left = (await entries()).filter(({ id }) => id > (before?.id ?? 0));
  expect(left.map(({ action }) => action)).toEqual([
    "user.create",
    "user.update_role",
    "user.update",
    "user.update",
    "api_key.create",
    "api_key.delete",
    "user.reset_password",
    "user.deactivate",
    "user.reactivate",
    "channel.archive",
    "channel.unarchive",
    "realm.update",
    "export.create",
    "message.purge",
    "user.merge",
    "user.erase",
  ]);
  for (const { actor, credential, ip, request_id } of left)
    expect({ actor, credential, ip, request_id }).toEqual({
      actor: { kind: "operator", id: null },
      credential: null,
      ip: null,
      request_id: null,
    });
  expect(left[1]).toMatchObject({
    target: { kind: "user", id: hamlet.id },
    before: { role: 400 },
    after: { role: 300 },
  });
  const text = JSON.stringify(left);
  expect(text).not.toContain("a long and secret word");
  expect(JSON.stringify(left.at(-1))).not.toContain("Horatio");
  expect((await verifyLog(realm.ctx.db, realm.id)).broken).toBeUndefined();
});
