import * as keys from "@skein/api/api-keys.ts";
import { getMessage, sendMessage } from "@skein/api/messages.ts";
import { updateRealm } from "@skein/api/realm-settings.ts";
import { getEvents } from "@skein/api/registration.ts";
import { getOwnUser, updateUser } from "@skein/api/users.ts";
import { sql } from "kysely";
import { expect, test, vi } from "vitest";
import { newRealm, success, TestUser } from "../../../../test/realm.ts";

const in10Minutes = () => Math.floor(Date.now() / 1000) + 600;

type KeyRequest = { scopes?: string[]; expires_at?: number; name?: string };

async function makeKey(user: TestUser, request: KeyRequest = {}) {
  const made = success(await user.call(keys.createApiKey, { name: "script", scopes: ["*"], ...request }));
  return { ...made, user: new TestUser(user.realm, user.id, user.email, user.fullName, made.api_key) };
}

const list = async (user: Pick<TestUser, "call">) => success(await user.call(keys.getApiKeys, {})).api_keys;

test("a key is listed with what it may do, and shown once", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const queue = await hamlet.register(["api_key"]);
  const expires_at = in10Minutes();

  const { api_key, id } = await makeKey(hamlet, { name: " laptop ", scopes: ["users:read", "files"], expires_at });

  const [made] = await list(hamlet);
  const shown = { id, name: "laptop", kind: "personal", scopes: ["files", "users:read"], expires_at };
  expect(made).toMatchObject({ ...shown, last_used_at: null, last_used_ip: null, is_current: false });
  expect(await queue.next()).toMatchObject({ type: "api_key", op: "add", api_key: shown });
  success(await hamlet.call(keys.updateApiKey, { key_id: id, name: "desk" }));
  expect(await queue.next()).toMatchObject({ type: "api_key", op: "update", api_key: { ...shown, name: "desk" } });
  success(await hamlet.call(keys.deleteApiKey, { key_id: id }));
  expect(await queue.next()).toEqual({ type: "api_key", op: "remove", api_key_id: id });
  expect(JSON.stringify(await hamlet.request("GET", "/users/me/api_keys"))).not.toContain(api_key);
  expect(await list(hamlet)).toHaveLength(1);
});

test("neither scopes nor the end of a key can be changed", async () => {
  const realm = await newRealm();
  const { id } = await makeKey(realm.admin, { scopes: ["files"] });
  const path = `/users/me/api_keys/${id}`;

  for (const change of [{ scopes: '["*"]' }, { expires_at: String(in10Minutes()) }])
    expect(await realm.admin.request("PATCH", path, { name: "x", ...change })).toMatchObject({ code: "BAD_REQUEST" });
  expect(await realm.admin.request("PATCH", path, { name: "  " })).toMatchObject({ msg: "An API key needs a name." });
  expect((await list(realm.admin)).find((key) => key.id === id)).toMatchObject({ scopes: ["files"], name: "script" });
});

test("the first use of each hour is recorded, and later ones cost nothing", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const { user, id } = await makeKey(hamlet, { scopes: ["users:read"] });
  const used = async () => (await list(hamlet)).find((key) => key.id === id);
  const hour = Math.floor(Date.now() / 3_600_000) * 3600;

  success(await user.on(0).call(getOwnUser, {}));
  await realm.ctx.sessions.keyUses.record();

  expect(await used()).toMatchObject({ last_used_ip: "127.0.0.1" });
  expect(Math.abs(((await used())?.last_used_at ?? 0) - hour)).toBeLessThanOrEqual(3600);
  const version = () => sql<{ xmin: string }>`select xmin::text from api_keys where id = ${id}`.execute(realm.ctx.db);
  const before = await version();
  for (let count = 0; count < 4; count++) success(await user.call(getOwnUser, {}));
  for (const node of realm.nodes) await node.ctx.sessions.keyUses.record();
  expect((await version()).rows).toEqual(before.rows);
});

test("the first use of a key is known on every node after the response", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");

  const unknown: number[] = [];
  for (let round = 0; round < 10; round++) {
    const { user, id } = await makeKey(hamlet, { scopes: ["users:read"] });
    success(await user.on(round).call(getOwnUser, {}));
    const listed = await list(hamlet.on(round + 1));
    if (listed.find((key) => key.id === id)?.last_used_at === null) unknown.push(id);
  }

  expect(unknown).toEqual([]);
});

test("recording a use does not make nodes forget the account", async () => {
  const realm = await newRealm();
  const { user, id } = await makeKey(realm.admin);
  const version = () =>
    realm.ctx.db.selectFrom("users").select("version").where("id", "=", realm.admin.id).executeTakeFirstOrThrow();
  const before = await version();

  success(await user.on(0).call(getOwnUser, {}));
  await realm.ctx.sessions.keyUses.record();

  expect((await list(realm.admin)).find((key) => key.id === id)?.last_used_at).not.toBeNull();
  expect(await version()).toEqual(before);
});

test("a revoked key is refused on every node after the response, its queue ends, and others go on", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const note = { type: "direct" as const, to: [hamlet.id], content: "to self" };
  const accepted: unknown[] = [];

  for (let round = 0; round < 20; round++) {
    const { user, id } = await makeKey(hamlet);
    const there = user.on(round + 1);
    const { id: message_id } = success(await there.call(sendMessage, note));
    const queue = await user.register(["message"]);
    const read = { queue_id: queue.id, last_event_id: queue.lastEventId, dont_block: true };
    success(await there.call(getEvents, read));
    success(await (round % 2 === 0 ? hamlet : user).on(round).call(keys.deleteApiKey, { key_id: id }));
    for (const answer of [
      await there.call(getMessage, { message_id }),
      await there.call(sendMessage, note),
      await there.call(getEvents, read),
    ])
      if (answer.result !== "error" || answer.code !== "UNAUTHORIZED") accepted.push(answer);
    expect(await hamlet.call(getEvents, read)).toMatchObject({ code: "BAD_EVENT_QUEUE_ID" });
  }

  expect(accepted).toEqual([]);
});

test("a read that waits ends when its key is revoked", async () => {
  const realm = await newRealm();
  const { user, id } = await makeKey(realm.admin, { scopes: ["events", "messages:read"] });
  const queue = await user.register(["message"]);
  const waiting = user.on(1).call(getEvents, { queue_id: queue.id, last_event_id: queue.lastEventId });

  success(await realm.admin.on(0).call(keys.deleteApiKey, { key_id: id }));

  expect(await waiting).toMatchObject({ code: "UNAUTHORIZED" });
});

test("an expired key is refused, on nodes that know it and on others, and its reads end", async () => {
  const realm = await newRealm();
  const expires_at = Math.floor(Date.now() / 1000) + 3;
  const { user } = await makeKey(realm.admin, { expires_at });
  const note = { type: "direct" as const, to: [realm.admin.id], content: "to self" };
  success(await user.on(0).call(sendMessage, note));
  const queue = await user.register(["message"]);

  const answer = success(await user.on(0).call(getEvents, { queue_id: queue.id, last_event_id: queue.lastEventId }));

  expect(answer.events).toMatchObject([{ type: "heartbeat" }]);
  expect(Date.now() / 1000).toBeGreaterThanOrEqual(expires_at);
  for (const node of [0, 1])
    for (const refused of [
      await user.on(node).call(sendMessage, note),
      await user.on(node).call(getEvents, { queue_id: queue.id, last_event_id: queue.lastEventId }),
    ])
      expect(refused).toMatchObject({ result: "error", code: "API_KEY_EXPIRED" });
});

test("a key is not cached beyond its end", async () => {
  const realm = await newRealm();
  const { user } = await makeKey(realm.admin, { expires_at: in10Minutes() });
  success(await user.on(0).call(getOwnUser, {}));

  vi.setSystemTime(Date.now() + 11 * 60_000);
  const answer = await user.on(0).call(getOwnUser, {});
  vi.useRealTimers();

  expect(answer).toMatchObject({ code: "API_KEY_EXPIRED" });
});

test("of many who make the last key at once, one succeeds", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  await sql`
    insert into api_keys (realm_id, user_id, key_hash, client_name, kind)
    select ${realm.id}, ${hamlet.id}, sha256(('hamlet ' || ${hamlet.id}::text || ' ' || n)::bytea), 'test', 'personal'
    from generate_series(1, ${keys.maxPersonalKeys - 1}) n`.execute(realm.ctx.db);

  const answers = await Promise.all(
    Array.from({ length: 6 }, () => hamlet.call(keys.createApiKey, { name: "x", scopes: ["*"] })),
  );

  expect(answers.filter(({ result }) => result === "success")).toHaveLength(1);
});

test("the organization limits how long keys live", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  success(await realm.admin.call(updateRealm, { api_key_max_days: 30 }));
  const days = (count: number) => Math.floor(Date.now() / 1000) + count * 86_400;
  const make = (expires_at?: number) =>
    hamlet.call(keys.createApiKey, { name: "x", scopes: ["*"], ...(expires_at === undefined ? {} : { expires_at }) });

  expect(await make()).toMatchObject({ code: "BAD_REQUEST" });
  expect(await make(days(31))).toMatchObject({ code: "BAD_REQUEST" });
  expect(await make(days(29))).toMatchObject({ result: "success" });
  expect(await make(days(-1))).toMatchObject({ msg: "expires_at is in the past" });
});

test("administrators list and revoke the keys of others, but not those of owners", async () => {
  const realm = await newRealm();
  const [admin, hamlet] = [await realm.user("admin", { role: 200 }), await realm.user("hamlet")];
  const { user, id: key_id } = await makeKey(hamlet);
  const theirs = { user_id: hamlet.id };

  expect(await hamlet.call(keys.getUserApiKeys, theirs)).toMatchObject({ result: "error" });
  expect(await hamlet.call(keys.deleteUserApiKey, { ...theirs, key_id })).toMatchObject({ result: "error" });
  expect(success(await admin.call(keys.getUserApiKeys, theirs)).api_keys).toMatchObject([{ id: key_id }, {}]);
  success(await admin.call(keys.deleteUserApiKey, { ...theirs, key_id }));
  expect(await user.call(getOwnUser, {})).toMatchObject({ code: "UNAUTHORIZED" });
  expect(await admin.call(keys.deleteUserApiKey, { ...theirs, key_id })).toMatchObject({
    msg: "API key does not exist.",
  });
  const own = await makeKey(realm.admin);
  expect(await admin.call(keys.deleteUserApiKey, { user_id: realm.admin.id, key_id: own.id })).toMatchObject({
    msg: "Must be an organization owner",
  });
  expect(await hamlet.call(keys.deleteApiKey, { key_id: own.id })).toMatchObject({ msg: "API key does not exist." });
});

test("an administrator who becomes a member loses the use of the scope admin", async () => {
  const realm = await newRealm();
  const admin = await realm.user("admin", { role: 200 });
  const { user } = await makeKey(admin, { scopes: ["admin"] });
  success(await user.call(keys.getUserApiKeys, { user_id: realm.admin.id }));

  success(await realm.admin.call(updateUser, { user_id: admin.id, role: 400 }));

  expect(await user.call(keys.getUserApiKeys, { user_id: realm.admin.id })).toMatchObject({ code: "BAD_REQUEST" });
});
