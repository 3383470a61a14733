import { fetchApiKey, regenerateApiKey } from "@skein/api/authentication.ts";
import { getOwnUser } from "@skein/api/users.ts";
import { beforeAll, describe, expect, test } from "vitest";
import { startNode } from "../../../../test/nodes.ts";
import { newRealm, success, type TestRealm, type TestUser } from "../../../../test/realm.ts";
import { TestBrowser } from "../../../../test/test-browser.ts";
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

test("a password is exchanged for an API key, and earlier keys stay valid", async () => {
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

test("API keys are not stored in plain text", async () => {
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

test("a wrong password and an unknown user name give the same response", async () => {
  const realm = await newRealm();
  const hamlet = await withPassword(realm, "hamlet");

  const responses = [
    await signIn(realm, hamlet.email, "wrong"),
    await signIn(realm, `nobody@${realm.host}`),
    await signIn(realm, realm.admin.email, ""),
    await signIn(realm, `notification-bot@skein.invalid`),
  ];

  for (const response of responses) {
    expect(response).toEqual({
      result: "error",
      msg: "Your username or password is incorrect",
      code: "AUTHENTICATION_FAILED",
    });
  }
});

test("the password of an account in another organization is refused", async () => {
  const [realm, elsewhere] = [await newRealm(), await newRealm()];
  const hamlet = await withPassword(realm, "hamlet");

  expect(await signIn(elsewhere, hamlet.email)).toMatchObject({ code: "AUTHENTICATION_FAILED" });
});

test("a deactivated account and a deactivated organization are reported as such", async () => {
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

test("without a password the response names the missing parameter", async () => {
  const realm = await newRealm();

  const response = await realm.client(nodeOf(realm, 0)).request("POST", "/fetch_api_key", { username: "x" });

  expect(response).toEqual({
    result: "error",
    msg: "Missing 'password' argument",
    code: "REQUEST_VARIABLE_MISSING",
    var_name: "password",
  });
});

test("five wrong passwords across two nodes are the limit, and a correct one resets the count", async () => {
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
  expect(guesses.filter((response) => "code" in response && response.code === "AUTHENTICATION_FAILED")).toHaveLength(5);
  expect(tooLate.status).toBe(429);
  expect(await tooLate.json()).toMatchObject({ code: "RATE_LIMIT_HIT", "retry-after": expect.closeTo(1800, -2) });
  expect(Number(tooLate.headers.get("retry-after"))).toBeGreaterThan(1700);
});

describe("password attempts from unknown devices", () => {
  const limited = async (realm: TestRealm) => {
    const node = await startNode({
      environment: { SKEIN_RATE_LIMITS: "true", SKEIN_ROLES: "api", SKEIN_TRUST_PROXY: "true" },
    });
    /** Signs in as if from another network. */
    const from = (network: string, username: string, secret: string) =>
      fetch(`${node.url}/api/v1/fetch_api_key`, {
        method: "POST",
        headers: { "x-forwarded-for": network, "x-forwarded-host": realm.host },
        body: new URLSearchParams({ username, password: secret }),
      }).then(({ status }) => status);
    return { node, from };
  };

  test("do not lock out other networks or signed-in users; an IPv6 network counts as one source", async () => {
    const realm = await newRealm();
    const { node, from } = await limited(realm);
    const hamlet = await withPassword(realm, "hamlet");
    const guesses: number[] = [];
    for (let n = 0; n < 6; n++) guesses.push(await from(`2001:db8:0:1::${n}`, hamlet.email, "wrong"));
    const right = await from("2001:db8:0:1::99", hamlet.email, password);

    const elsewhere = await from("2001:db8:0:2::1", hamlet.email, password);
    const changed = await realm
      .client(node, { email: hamlet.email, apiKey: hamlet.apiKey })
      .request("PATCH", "/settings", { old_password: password, new_password: "Quartz-91bd-dune" });

    expect(guesses).toEqual([401, 401, 401, 401, 401, 429]);
    expect(right).toBe(429);
    expect(elsewhere).toBe(200);
    expect(changed).toMatchObject({ result: "success" });
  });

  test("are limited per user name and per network in total; known browsers are exempt", async () => {
    const realm = await newRealm();
    const { node, from } = await limited(realm);
    const [hamlet, horatio] = [await withPassword(realm, "hamlet"), await withPassword(realm, "horatio")];
    const browser = new TestBrowser({ host: realm.host, nodes: [node] });
    expect((await browser.signIn(hamlet)).status).toBe(303);
    for (const name of ["sessionid", "csrftoken"]) browser.cookies.delete(name);
    const attempts = (count: number, one: (n: number) => { username: string; source: string }) =>
      realm.ctx.db
        .insertInto("login_failures")
        .values(Array.from({ length: count }, (_, n) => ({ realm_id: realm.id, ...one(n) })))
        .execute();
    await attempts(100, (n) => ({ username: hamlet.email, source: `ip:198.51.100.${n}` }));
    await attempts(99, (n) => ({ username: `nobody-${n}@example.com`, source: "ip:192.0.2.1" }));

    expect(await from("203.0.113.1", hamlet.email, password)).toBe(429);
    expect(await from("203.0.113.1", horatio.email, password)).toBe(200);
    expect(await from("192.0.2.1", horatio.email, "wrong")).toBe(401);
    expect(await from("192.0.2.1", horatio.email, password)).toBe(429);
    expect((await browser.signIn(hamlet, { headers: { "x-forwarded-for": "192.0.2.1" } })).status).toBe(303);
  });

  test("are limited for a known browser, too", async () => {
    const realm = await newRealm();
    const { node } = await limited(realm);
    const hamlet = await withPassword(realm, "hamlet");
    const browser = new TestBrowser({ host: realm.host, nodes: [node] });
    await browser.signIn(hamlet);
    for (const name of ["sessionid", "csrftoken"]) browser.cookies.delete(name);
    const guess = async () => (await browser.send("/login/", { username: hamlet.email, password: "wrong" })).status;

    const statuses: number[] = [];
    for (let n = 0; n < 6; n++) statuses.push(await guess());

    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  });
});

test("wrong passwords from over half an hour ago no longer count", async () => {
  const realm = await newRealm();
  const node = await startNode({ environment: { SKEIN_RATE_LIMITS: "true", SKEIN_ROLES: "api" } });
  const hamlet = await withPassword(realm, "hamlet");
  const at = new Date(Date.now() - 1801_000);
  const attempts = Array.from({ length: 5 }, () => ({ realm_id: realm.id, username: hamlet.email, at }));
  await realm.ctx.db.insertInto("login_failures").values(attempts).execute();

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
