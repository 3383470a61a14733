/** The audit log: every administrative change and every sign-in leaves exactly one entry, in the same transaction. */
import { endpoints } from "@skein/api/all.ts";
import { createApiKey, deleteApiKey } from "@skein/api/api-keys.ts";
import { auditActions, getAuditActions, getAuditLog, type AuditEntry } from "@skein/api/audit-log.ts";
import { sendMessage } from "@skein/api/messages.ts";
import { addRealmDomain } from "@skein/api/realm-domains.ts";
import { updateRealm } from "@skein/api/realm-settings.ts";
import { getEvents, register } from "@skein/api/registration.ts";
import { updateUser } from "@skein/api/users.ts";
import { sql } from "kysely";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { describe, expect, test, vi } from "vitest";
import { CommandLine } from "../../../../test/command-line.ts";
import { authorizationOf } from "../../../../test/files.ts";
import { nodes, startNode } from "../../../../test/nodes.ts";
import { newRealm, success, type TestRealm, type TestUser } from "../../../../test/realm.ts";
import { usualCalls } from "../../../../test/round-trips/calls.ts";
import { newOrganization } from "../../../../test/round-trips/organization.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { hashOf } from "./entry.ts";
import { verifyLog } from "./queries.ts";
import { byAnybody, lockHead, record } from "./record.ts";

const entriesOf = async (user: TestUser, filter: object = {}): Promise<AuditEntry[]> =>
  success(await user.call(getAuditLog, { limit: 1000, ...filter })).entries;
const newest = async (user: TestUser): Promise<number> => (await entriesOf(user, { limit: 1 }))[0]?.id ?? 0;

/** Endpoints that change something and are not recorded, with the reason. */
const notRecorded: Record<string, string> = {
  "update-subscriptions": "changes one's own subscriptions",
  "test-identity-provider": "changes nothing",
  "sync-identity-provider": "workers record what they change",
  "test-welcome-bot-custom-message": "sends a message to oneself",
  "update-subscription-settings": "one's own settings",
  "update-subscription-setting": "one's own settings",
  "update-user-topic": "one's own settings",
  "mute-topic": "one's own settings",
};

/** These are recorded, although their scopes are not those of administrators. */
const recordedToo = new Set([
  "create-bot",
  "update-bot",
  "deactivate-bot",
  "regenerate-bot-api-key",
  "regenerate-api-key",
  "create-api-key",
  "update-api-key",
  "delete-api-key",
  "delete-session",
  "confirm-totp",
  "remove-totp",
  "add-passkey",
  "remove-passkey",
  "regenerate-recovery-codes",
  "deactivate-own-user",
  "fetch-api-key",
]);

/** Their usual calls act on what is one's own, or have nothing to change. */
const leavesNone = new Set(["delete-other-sessions", "subscribe", "unsubscribe"]);

test("every administrative endpoint leaves exactly one entry", { timeout: 300_000 }, async () => {
  const organization = await newOrganization([...(await nodes())], { users: 8, channels: 9, messages: 10 });
  const { owner } = organization;
  const scopes = new Set<string | null>(["admin", "users:manage", "channels:manage"]);
  const administrative = endpoints.filter(
    ({ method, operation, scope }) =>
      recordedToo.has(operation) || (method !== "GET" && scopes.has(scope) && !(operation in notRecorded)),
  );
  const wrong: unknown[] = [];
  let tried = 0;

  for (const { operation } of administrative) {
    const prepare = new Map(usualCalls).get(operation);
    if (!prepare || leavesNone.has(operation)) continue;
    let left: AuditEntry[] = [];
    // Some calls choose a value that may be the current one, and then another one.
    for (let attempt = 0; attempt < 2 && left.length === 0; attempt++) {
      const call = await prepare(organization, attempt);
      const before = await newest(owner);
      await call();
      left = await entriesOf(owner, { after: before });
    }
    tried++;
    if (left.length !== 1) wrong.push([operation, left.map(({ action }) => action)]);
  }

  expect(wrong).toEqual([]);
  expect(tried).toBeGreaterThan(50);
  expect((await verifyLog(owner.realm.ctx.db, owner.realm.id)).broken).toBeUndefined();
});

describe("an entry", () => {
  test("tells who changed what, with which key, from where, and what it was before", async () => {
    const { admin } = await newRealm();
    const hamlet = await admin.realm.user("hamlet");

    success(await admin.call(updateUser, { user_id: hamlet.id, role: 300 }));

    const [entry] = await entriesOf(admin);
    expect(entry).toMatchObject({
      actor: { kind: "user", id: admin.id },
      credential: { kind: "api_key" },
      ip: "127.0.0.1",
      action: "user.update_role",
      target: { kind: "user", id: hamlet.id },
      before: { role: 400 },
      after: { role: 300 },
    });
    expect(entry && hashOf(entry)).toBe(entry?.hash);
  });

  test("is not written for what changes nothing, or is refused", async () => {
    const { admin } = await newRealm();
    const hamlet = await admin.realm.user("hamlet");
    success(await admin.call(updateRealm, { description: "same" }));
    const before = await newest(admin);

    success(await admin.call(updateRealm, { description: "same" }));
    expect(await hamlet.call(updateRealm, { description: "mine" })).toMatchObject({ result: "error" });

    expect(await newest(admin)).toBe(before);
  });

  test("exists if and only if its change does", async () => {
    const { admin, ctx, id } = await newRealm();
    const change = (fails: boolean) =>
      transaction(ctx.db, "test", async (tx) => {
        await tx
          .updateTable("realms")
          .set({ description: String(fails) })
          .where("id", "=", id)
          .execute();
        const target = { kind: "realm" as const, id };
        await record(tx, id, byAnybody({ ip: "::1", id: "x" }), { action: "realm.update", target });
        if (fails) throw new Error("too late");
      });

    await change(false);
    await expect(change(true)).rejects.toThrow("too late");

    expect(await entriesOf(admin)).toHaveLength(1);
    expect((await verifyLog(ctx.db, id)).broken).toBeUndefined();
  });
});

test("changes at once, on two nodes, leave a chain in which each has the before of the one before", async () => {
  const { admin, ctx, id } = await newRealm();

  await Promise.all(
    Array.from({ length: 20 }, async (_, n) => success(await admin.call(updateRealm, { description: `race ${n}` }))),
  );

  const entries = (await entriesOf(admin, { action: ["realm.update"] })).toReversed();
  expect(entries).toHaveLength(20);
  for (const [n, entry] of entries.entries()) {
    expect(entry.before?.["description"]).toBe(n === 0 ? "" : entries[n - 1]?.after?.["description"]);
    expect(entry.prev_hash).toBe(n === 0 ? "00".repeat(32) : entries[n - 1]?.hash);
  }
  expect((await verifyLog(ctx.db, id)).broken).toBeUndefined();
});

test("administrators read it by filters; members do not; keys need the scope admin", async () => {
  const realm = await newRealm();
  const { admin } = realm;
  const hamlet = await realm.user("hamlet");
  for (let n = 0; n < 5; n++) success(await admin.call(updateRealm, { description: `n ${n}` }));
  success(await admin.call(updateUser, { user_id: hamlet.id, full_name: "Prince" }));
  const ids = (await entriesOf(admin)).map(({ id }) => id);

  expect(await hamlet.call(getAuditLog, {})).toMatchObject({ code: "BAD_REQUEST" });
  expect(await entriesOf(admin, { target_kind: "user", target_id: hamlet.id })).toMatchObject([
    { action: "user.update", after: { full_name: "Prince" } },
  ]);
  expect((await entriesOf(admin, { after: ids[2] })).map(({ id }) => id)).toEqual(ids.slice(0, 2));
  expect(success(await admin.call(getAuditLog, { limit: 2, before: ids[1] ?? 0 }))).toMatchObject({ has_more: true });
  expect(await entriesOf(admin, { since: Math.floor(Date.now() / 1000) + 60 })).toEqual([]);
  for (const filter of [{ since: "9000000000000000" }, { until: "-9000000000000000" }])
    expect(await admin.request("GET", "/audit_log", filter)).toMatchObject({ code: "BAD_REQUEST" });
  for (const wrong of [{ limit: "0" }, { limit: "1001" }, { action: '["x"]' }, { before: "x" }, { target_id: "1" }])
    expect(await admin.request("GET", "/audit_log", wrong)).toMatchObject({ code: "BAD_REQUEST" });
  expect(success(await admin.call(getAuditActions, {})).actions).toEqual([...auditActions]);
  for (const method of ["DELETE", "PATCH", "POST"] as const)
    expect(await admin.request(method, "/audit_log")).toMatchObject({ result: "error" });
});

describe("an export", () => {
  const exported = async (user: TestUser, query: Record<string, string> = {}): Promise<Response> =>
    fetch(`${user.realm.nodes[0]?.url}/api/v1/audit_log/export?${new URLSearchParams(query)}`, {
      headers: { authorization: authorizationOf(user), "x-forwarded-host": user.realm.host },
    });
  const lines = async (response: Response): Promise<AuditEntry[]> =>
    (await response.text())
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as AuditEntry);

  /** Adds entries as an administrator would, but faster. */
  const fill = ({ ctx, id }: TestRealm, count: number): Promise<void> =>
    transaction(ctx.db, "test", async (tx) => {
      const target = { kind: "realm" as const, id };
      for (let n = 0; n < count; n++)
        await record(tx, id, byAnybody({ ip: "::1", id: `n${n}` }), {
          action: n % 2 === 0 ? "realm.update" : "sign_in.failure",
          target,
          after: { description: "x" },
        });
    });

  test("has every entry once, the oldest first, in the form of the list, by the same filters", async () => {
    const realm = await newRealm();
    await fill(realm, 603);

    const response = await exported(realm.admin);
    expect(response.headers.get("content-type")).toBe("application/jsonl; charset=utf-8");
    expect(response.headers.get("content-disposition")).toMatch(/^attachment; filename="audit-log-[\d-]+\.jsonl"$/);
    const all = await lines(response);
    expect(all.map(({ id }) => id)).toEqual(Array.from({ length: 603 }, (_, n) => n + 1));
    expect(all.toReversed()).toEqual(await entriesOf(realm.admin));

    const filter = { action: '["sign_in.failure"]', after: "100", before: "600" };
    const some = await lines(await exported(realm.admin, filter));
    expect(some.map(({ id }) => id)).toEqual(Array.from({ length: 249 }, (_, n) => 102 + 2 * n));
    // Resumed after any line, it has the rest.
    expect((await lines(await exported(realm.admin, { after: "600" }))).map(({ id }) => id)).toEqual([601, 602, 603]);
  });

  test("is refused as the list is", async () => {
    const realm = await newRealm();
    const [hamlet, other] = [await realm.user("hamlet"), await newRealm()];
    success(await realm.admin.call(updateRealm, { description: "ours" }));

    expect(await lines(await exported(other.admin, { actor_id: String(realm.admin.id) }))).toEqual([]);
    expect(await hamlet.request("GET", "/audit_log/export")).toMatchObject({ code: "BAD_REQUEST" });
    for (const wrong of [{ action: '["x"]' }, { before: "x" }, { target_id: "1" }, { target_kind: "x" }])
      expect(await realm.admin.request("GET", "/audit_log/export", wrong)).toMatchObject({ code: "BAD_REQUEST" });
  });

  test("reads no further than its client, and is cut off when the client's key is revoked", async () => {
    const realm = await newRealm();
    await fill(realm, 501);
    const key = success(await realm.admin.call(createApiKey, { name: "export", scopes: ["admin"] }));
    const reader = Object.assign(Object.create(realm.admin) as TestUser, { apiKey: key.api_key });

    const connection = heldConnection("/api/v1/audit_log/export");
    const ended = exported(reader)
      .then((response) => response.text())
      .catch((error: unknown) => error);
    const held = await connection;
    await vi.waitFor(() => expect(held.writableLength).toBeGreaterThan(held.writableHighWaterMark));
    success(await realm.admin.call(deleteApiKey, { key_id: key.id }));
    held.uncork();
    expect(await ended).toEqual(new TypeError("terminated"));
  });
});

/** The server's end of the next connection that asks for this path. Nothing of what is written to it is sent. */
function heldConnection(path: string): Promise<Socket> {
  return new Promise((resolve) => {
    const hold = (message: unknown): void => {
      const { request, socket } = message as { request: IncomingMessage; socket: Socket };
      if (!request.url?.startsWith(path)) return;
      unsubscribe("http.server.request.start", hold);
      socket.cork();
      resolve(socket);
    };
    subscribe("http.server.request.start", hold);
  });
}

test("administrators whose queue names the type are told; others are not", async () => {
  const { admin, ...realm } = await newRealm();
  const hamlet = await admin.realm.user("hamlet");
  const [told, all, member] = [
    await admin.register(["audit_log"]),
    await admin.register(),
    success(await hamlet.call(register, { event_types: ["audit_log"] })),
  ];

  success(await admin.call(updateRealm, { description: "told" }));

  expect(await told.next()).toMatchObject({ op: "add", entry: { action: "realm.update" } });
  expect((await all.nextOf("realm")).type).toBe("realm");
  expect((await all.all()).filter(({ type }) => type === "audit_log")).toEqual([]);
  const read = { queue_id: member.queue_id, last_event_id: member.last_event_id, dont_block: true };
  expect(success(await hamlet.call(getEvents, read)).events).toEqual([]);
  expect(realm.id).toBeGreaterThan(0);
});

/** Changes a row as somebody with access to the database could. */
async function tamper(realm: TestRealm, change: ReturnType<typeof sql>): Promise<unknown> {
  await change.execute(realm.ctx.db);
  return (await verifyLog(realm.ctx.db, realm.id)).broken;
}

test("whoever changes or removes entries is noticed", async () => {
  const changed = [
    [2, (id: number) => sql`update audit_log set after = '{"description":"x"}' where realm_id = ${id} and id = 2`],
    [2, (id: number) => sql`delete from audit_log where realm_id = ${id} and id = 2`],
    [3, (id: number) => sql`delete from audit_log where realm_id = ${id} and id = 3`],
  ] as const;
  for (const [at, change] of changed) {
    const realm = await newRealm();
    for (const n of [1, 2, 3]) success(await realm.admin.call(updateRealm, { description: String(n) }));
    expect((await verifyLog(realm.ctx.db, realm.id)).entries).toBe(3);

    expect(await tamper(realm, change(realm.id))).toMatchObject({ id: at });
  }
});

test("the command line prints entries and verifies them", async () => {
  const realm = await newRealm();
  for (const n of [1, 2, 3]) success(await realm.admin.call(updateRealm, { description: String(n) }));
  const { string_id } = await realm.ctx.db
    .selectFrom("realms")
    .select("string_id")
    .where("id", "=", realm.id)
    .executeTakeFirstOrThrow();
  const skein = new CommandLine({ SKEIN_DATABASE_URL: realm.ctx.config.databaseUrl });

  const { stdout } = await skein.run(["audit", "tail", "--after", "1", "--realm", string_id]);
  expect(
    stdout
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as AuditEntry).id),
  ).toEqual([2, 3]);
  expect(await skein.json("audit", "verify", "--realm", string_id)).toMatchObject({ entries: 3, ok: true });
});

test("changes that wait for each other keep no connections from others, and none of them fails", async () => {
  const [{ ctx }] = await nodes();
  const name = `waiting-${process.pid}-`;
  const start = (number: number) =>
    startNode({
      environment: { SKEIN_DATABASE_CONNECTIONS: "3", SKEIN_ROLES: "api", SKEIN_NODE_NAME: `${name}${number}` },
    });
  const realm = await newRealm([await start(1), await start(2)]);
  const hamlet = await realm.user("hamlet");
  success(await realm.admin.call(updateRealm, { description: "There is a log." }));
  const waiting = async (): Promise<number> => {
    const { rows } = await sql<{ count: number }>`
      select count(*) from pg_stat_activity
      where wait_event_type = 'Lock' and query like '%audit_heads%' and position(${name} in application_name) > 0`.execute(
      ctx.db,
    );
    return rows[0]?.count ?? 0;
  };
  const [held, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holder = transaction(ctx.db, "hold the log", async (tx) => {
    await lockHead(tx, realm.id);
    held.resolve();
    await over.promise;
  });
  await held.promise;

  const add = (user: TestUser, label: string) =>
    user.call(addRealmDomain, { domain: `${label}.example.com`, allow_subdomains: false });
  const changes = Array.from({ length: 40 }, (_, number) => add(realm.admin, `d${number}`));
  await expect.poll(waiting).toBeGreaterThan(1);
  for (let turn = 0; turn < 4; turn++)
    success(await hamlet.call(sendMessage, { type: "direct", to: [hamlet.id], content: "meanwhile" }));
  // Nor does somebody wait who may not make the change.
  expect(await add(hamlet, "refused")).toMatchObject({ result: "error" });
  over.resolve();
  await holder;

  for (const answer of await Promise.all(changes)) success(answer);
  expect(await verifyLog(ctx.db, realm.id)).toMatchObject({ entries: 41, broken: undefined });
});
