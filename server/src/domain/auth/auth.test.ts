import { fetchApiKey, regenerateApiKey } from "@skein/api/authentication.ts";
import { getOwnUser } from "@skein/api/users.ts";
import { beforeAll, expect, test } from "vitest";
import { startNode } from "../../../test/nodes.ts";
import { newRealm, success, type TestRealm, type TestUser } from "../../../test/realm.ts";
import { hashPassword } from "./passwords.ts";

const password = "Basalt-7f3a-tide";
let passwordHash: string;
beforeAll(async () => {
  passwordHash = await hashPassword(password);
});

async function withPassword(realm: TestRealm, name: string): Promise<TestUser> {
  const user = await realm.user(name);
  await realm.ctx.db.updateTable("users").set({ password_hash: passwordHash }).where("id", "=", user.id).execute();
  return user;
}

type Node = TestRealm["nodes"][number];
const nodeOf = (realm: TestRealm, index: number): Node => {
  const node = realm.nodes[index];
  if (!node) throw new Error(`the realm has no node ${index}`);
  return node;
};

const signIn = (realm: TestRealm, username: string, secret = password, node = nodeOf(realm, 0)) =>
  realm.client(node).call(fetchApiKey, { username, password: secret });

test("a password is traded for a key, and earlier keys stay valid", async () => {
  const realm = await newRealm();
  const hamlet = await withPassword(realm, "hamlet");

  const first = success(await signIn(realm, hamlet.email.toUpperCase()));
  const second = success(await signIn(realm, hamlet.email));

  expect(first).toMatchObject({ email: hamlet.email, user_id: hamlet.id });
  expect(first.api_key).toMatch(/^[A-Za-z0-9]{32}$/);
  expect(second.api_key).not.toBe(first.api_key);
  for (const { api_key: apiKey } of [first, second, { api_key: hamlet.apiKey }]) {
    const client = realm.client(nodeOf(realm, 1), { email: hamlet.email, apiKey });
    expect(await client.call(getOwnUser, {})).toMatchObject({ result: "success", user_id: hamlet.id });
  }
});

test("no key is kept as it is", async () => {
  const realm = await newRealm();
  const hamlet = await withPassword(realm, "hamlet");

  const { api_key } = success(await signIn(realm, hamlet.email));

  const rows = await realm.ctx.db.selectFrom("api_keys").selectAll().where("user_id", "=", hamlet.id).execute();
  expect(rows).toHaveLength(2);
  for (const row of rows) {
    expect(row.key_hash).toHaveLength(32);
    expect(JSON.stringify({ ...row, key_hash: row.key_hash.toString("latin1") })).not.toContain(api_key);
  }
});

test("a wrong password and an unknown name are answered alike", async () => {
  const realm = await newRealm();
  const hamlet = await withPassword(realm, "hamlet");

  const answers = [
    await signIn(realm, hamlet.email, "wrong"),
    await signIn(realm, `nobody@${realm.host}`),
    await signIn(realm, realm.admin.email, ""),
    await signIn(realm, `notification-bot@skein.invalid`),
  ];

  for (const answer of answers) {
    expect(answer).toEqual({
      result: "error",
      msg: "Your username or password is incorrect",
      code: "AUTHENTICATION_FAILED",
    });
  }
});

test("the password of another organization's account opens nothing", async () => {
  const [realm, elsewhere] = [await newRealm(), await newRealm()];
  const hamlet = await withPassword(realm, "hamlet");

  expect(await signIn(elsewhere, hamlet.email)).toMatchObject({ code: "AUTHENTICATION_FAILED" });
});

test("a closed account and a closed organization are told so", async () => {
  const realm = await newRealm();
  const gone = await withPassword(realm, "gone");
  const { db } = realm.ctx;
  await db.updateTable("users").set({ is_active: false }).where("id", "=", gone.id).execute();

  const closed = await signIn(realm, gone.email);
  const guessed = await signIn(realm, gone.email, "wrong");
  await db.updateTable("realms").set({ deactivated: true }).where("id", "=", realm.id).execute();
  const shut = await signIn(realm, gone.email);

  expect(closed).toEqual({ result: "error", msg: "Account is deactivated", code: "USER_DEACTIVATED" });
  expect(guessed).toMatchObject({ code: "AUTHENTICATION_FAILED" });
  expect(shut).toMatchObject({ code: "REALM_DEACTIVATED" });
});

test("without a password the answer names what is missing", async () => {
  const realm = await newRealm();

  const answer = await realm.client(nodeOf(realm, 0)).request("POST", "/fetch_api_key", { username: "x" });

  expect(answer).toEqual({
    result: "error",
    msg: "Missing 'password' argument",
    code: "REQUEST_VARIABLE_MISSING",
    var_name: "password",
  });
});

test("five wrong passwords on two nodes together are the limit, and a right one wipes the slate", async () => {
  const realm = await newRealm();
  const environment = { SKEIN_RATE_LIMITS: "true", SKEIN_ROLES: "api" };
  const [one, two] = [await startNode({ environment }), await startNode({ environment })];
  const [hamlet, horatio] = [await withPassword(realm, "hamlet"), await withPassword(realm, "horatio")];

  for (const node of [one, two, one, two]) await signIn(realm, horatio.email, "wrong", node);
  const inTime = await signIn(realm, horatio.email, password, one);
  const afterwards = await signIn(realm, horatio.email, "wrong", two);
  const guesses = await Promise.all(
    Array.from({ length: 12 }, (_, index) => signIn(realm, hamlet.email, "wrong", index % 2 === 0 ? one : two)),
  );
  const tooLate = await realm.client(two).send("POST", "/fetch_api_key", { username: hamlet.email, password });

  expect(inTime).toMatchObject({ result: "success" });
  expect(afterwards).toMatchObject({ code: "AUTHENTICATION_FAILED" });
  expect(guesses.filter((answer) => "code" in answer && answer.code === "AUTHENTICATION_FAILED")).toHaveLength(5);
  expect(tooLate.status).toBe(429);
  expect(await tooLate.json()).toMatchObject({ code: "RATE_LIMIT_HIT", "retry-after": expect.closeTo(1800, -2) });
  expect(Number(tooLate.headers.get("retry-after"))).toBeGreaterThan(1700);
});

test("wrong passwords of half an hour ago no longer count", async () => {
  const realm = await newRealm();
  const node = await startNode({ environment: { SKEIN_RATE_LIMITS: "true", SKEIN_ROLES: "api" } });
  const hamlet = await withPassword(realm, "hamlet");
  const at = new Date(Date.now() - 1801_000);
  const tries = Array.from({ length: 5 }, () => ({ realm_id: realm.id, username: hamlet.email, at }));
  await realm.ctx.db.insertInto("login_failures").values(tries).execute();

  expect(await signIn(realm, hamlet.email, password, node)).toMatchObject({ result: "success" });
});

test("a key regenerated on one node is refused on the other at once, and the new one works", async () => {
  const realm = await newRealm();
  for (let round = 0; round < 20; round++) {
    const hamlet = await realm.user(`hamlet-${round}`);
    expect(await hamlet.on(1).call(getOwnUser, {})).toMatchObject({ result: "success" });

    const { api_key: apiKey } = success(await hamlet.on(0).call(regenerateApiKey, {}));

    expect(await hamlet.on(1).call(getOwnUser, {})).toMatchObject({ code: "UNAUTHORIZED" });
    const renewed = realm.client(nodeOf(realm, 1), { email: hamlet.email, apiKey });
    expect(await renewed.call(getOwnUser, {})).toMatchObject({ result: "success" });
  }
});
