/** Browser sessions: what their cookie grants, on every node, and when they end. */
import { endpoints } from "@skein/api/all.ts";
import { getMessages } from "@skein/api/fetch-messages.ts";
import { updateSettings } from "@skein/api/settings.ts";
import { deactivateUser, reactivateUser, updateUser } from "@skein/api/users.ts";
import { describe, expect, test } from "vitest";
import { startNode } from "../../../../test/nodes.ts";
import { newRealm, success, TestUser, type TestRealm } from "../../../../test/realm.ts";
import { password, TestBrowser, withPassword } from "../../../../test/test-browser.ts";

const signedOut = { result: "error", code: "UNAUTHORIZED" };

async function signedIn(name = "hamlet", realm?: TestRealm) {
  const own = realm ?? (await newRealm());
  const user = await withPassword(own, name);
  const browser = new TestBrowser(own);
  expect(await browser.signIn(user)).toMatchObject({ status: 303, location: "/" });
  return { realm: own, user, browser };
}

describe("a cookie", () => {
  test("grants access to every endpoint under /json, on every node", async () => {
    const { user, browser } = await signedIn();

    for (const node of [0, 1])
      expect(await browser.call("GET", "/users/me", {}, { node })).toMatchObject({
        result: "success",
        user_id: user.id,
      });
  });

  test("is unavailable to scripts and other sites, and lasts two weeks", async () => {
    const { browser } = await signedIn();

    expect(browser.setCookies.get("sessionid")).toMatch(
      /^sessionid=[\w-]{43}; Path=\/; Max-Age=1209600; SameSite=Lax; HttpOnly$/,
    );
    expect(browser.setCookies.get("csrftoken")).toMatch(
      /^csrftoken=[\w-]{43}; Path=\/; Max-Age=1209600; SameSite=Lax$/,
    );
  });

  test("is sent only over TLS if it was set over TLS", async () => {
    const realm = await newRealm();
    const hamlet = await withPassword(realm, "hamlet");
    const browser = new TestBrowser(realm, { isSecure: true });

    await browser.signIn(hamlet);

    expect(browser.setCookies.get("__Host-sessionid")).toMatch(/; HttpOnly; Secure$/);
    expect(browser.setCookies.get("csrftoken")).toMatch(/; Secure$/);
    expect(await browser.call("GET", "/users/me")).toMatchObject({ result: "success" });
  });

  test("is stored as a hash", async () => {
    const { realm, user, browser } = await signedIn();

    const rows = await realm.ctx.db.selectFrom("browser_sessions").selectAll().where("user_id", "=", user.id).execute();

    expect(rows).toHaveLength(1);
    const token = browser.cookies.get("sessionid") ?? "";
    const text = JSON.stringify(rows.map((row) => ({ ...row, token_hash: row.token_hash.toString("latin1") })));
    expect(text).not.toContain(token);
  });

  test("does not work as an API key, nor an API key as a cookie", async () => {
    const { realm, user, browser } = await signedIn();
    const token = browser.cookies.get("sessionid") ?? "";
    // Every node caches whose token this is.
    for (const node of [0, 1]) await browser.call("GET", "/users/me", {}, { node });
    const impostor = new TestUser(realm, user.id, user.email, user.fullName, token);

    for (const node of [0, 1]) expect(await impostor.on(node).request("GET", "/users/me")).toMatchObject(signedOut);
    browser.cookies.set("sessionid", user.apiKey);
    expect(await browser.call("GET", "/users/me")).toMatchObject(signedOut);
  });

  test("does not work under /api/v1, which has no CSRF protection", async () => {
    const { browser } = await signedIn();

    const answer = await browser.ask("/api/v1/users/me");

    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toBe('Basic realm="zulip"');
  });

  test("works only in its own organization", async () => {
    const { browser } = await signedIn();
    const other = await newRealm();

    const elsewhere = new TestBrowser(other);
    for (const [name, value] of browser.cookies) elsewhere.cookies.set(name, value);

    expect(await elsewhere.call("GET", "/users/me")).toMatchObject(signedOut);
    expect((await elsewhere.open("/login/")).status).toBe(200);
  });

  test("that is invalid is refused with the header that browser scripts expect", async () => {
    const browser = new TestBrowser(await newRealm());

    const answer = await browser.ask("/json/users/me");

    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toBe('Session realm="zulip"');
    expect(await answer.json()).toEqual({
      result: "error",
      msg: "Not logged in: API authentication or user session required",
      code: "UNAUTHORIZED",
    });
  });

  test("sends messages as its account, from the web client", async () => {
    const { user, browser } = await signedIn();

    const sent = await browser.call("POST", "/messages", {
      type: "direct",
      to: JSON.stringify([user.id]),
      content: "to self",
    });

    const narrow = [{ operator: "id", operand: String(sent["id"]) }];
    const { messages } = success(
      await user.call(getMessages, { anchor: "newest", num_before: 1, num_after: 0, narrow }),
    );
    expect(messages).toMatchObject([{ sender_id: user.id, client: "website" }]);
  });

  test("can wait for events on another node than the one that created the queue", async () => {
    const { user, browser } = await signedIn();
    const queue = await browser.call("POST", "/register", { event_types: '["message"]' }, { node: 0 });
    const { queue_id, last_event_id } = queue as { queue_id: string; last_event_id: number };

    const waiting = browser.call("GET", "/events", { queue_id, last_event_id: String(last_event_id) }, { node: 1 });
    await browser.call("POST", "/messages", { type: "direct", to: `[${user.id}]`, content: "news" });

    expect(await waiting).toMatchObject({ events: [{ type: "message", message: { content: "news" } }] });
  });

  test("is refused once it has expired, even by a node that has it cached", async () => {
    const { realm, user, browser } = await signedIn();
    expect(await browser.call("GET", "/users/me", {}, { node: 0 })).toMatchObject({ result: "success" });

    const expires_at = new Date(Date.now() - 1000);
    await realm.ctx.db.updateTable("browser_sessions").set({ expires_at }).where("user_id", "=", user.id).execute();

    for (const node of [0, 1]) expect(await browser.call("GET", "/users/me", {}, { node })).toMatchObject(signedOut);
  });

  test("records its last use to the hour, without changing the account's version", async () => {
    const { realm, user, browser } = await signedIn();
    const [node] = realm.nodes;
    const longAgo = new Date(Date.now() - 5 * 3600 * 1000);
    const rows = realm.ctx.db.selectFrom("browser_sessions").select("last_used_at").where("user_id", "=", user.id);
    await realm.ctx.db
      .updateTable("browser_sessions")
      .set({ last_used_at: longAgo })
      .where("user_id", "=", user.id)
      .execute();
    const version = () => realm.ctx.db.selectFrom("users").select("version").where("id", "=", user.id).execute();
    const before = await version();
    node?.ctx.sessions.forget(user.id);

    await browser.call("GET", "/users/me", {}, { node: 0 });

    expect((await rows.executeTakeFirstOrThrow()).last_used_at.getTime()).toBeGreaterThan(Date.now() - 60_000);
    expect(await version()).toEqual(before);
  });
});

describe("a request that changes something", () => {
  const setName = { full_name: '"Hamlet"' };

  test.for<[string, Record<string, string>, string]>([
    ["no token", {}, "CSRF token missing."],
    ["a wrong token", { "x-csrftoken": "x".repeat(43) }, "CSRF token incorrect."],
    ["a token of another length", { "x-csrftoken": "x" }, "CSRF token incorrect."],
  ])("is refused with %s", async ([_, headers, reason]) => {
    const { browser } = await signedIn();

    const answer = await browser.ask("/json/settings", {
      method: "PATCH",
      form: { full_name: "Claudius" },
      headers,
    });

    expect(answer.status).toBe(403);
    expect(await answer.json()).toEqual({
      result: "error",
      msg: `CSRF error: ${reason}`,
      code: "CSRF_FAILED",
      reason,
    });
    expect(await browser.call("GET", "/users/me")).toMatchObject({ full_name: "hamlet" });
  });

  test("is refused with the token of another session, even one of the same user", async () => {
    const { realm, user, browser } = await signedIn();
    const other = new TestBrowser(realm);
    await other.signIn(user);

    const headers = { "x-csrftoken": other.cookies.get("csrftoken") ?? "" };

    expect(await browser.call("PATCH", "/settings", setName, { headers })).toMatchObject({ code: "CSRF_FAILED" });
  });

  test("is refused if the sender made up both cookie and token", async () => {
    const { browser } = await signedIn();
    const chosen = "A".repeat(43);
    browser.cookies.set("csrftoken", chosen);

    const answer = await browser.call("PATCH", "/settings", setName);

    expect(answer).toMatchObject({ code: "CSRF_FAILED" });
    // The response has corrected the cookie.
    expect(browser.cookies.get("csrftoken")).not.toBe(chosen);
    expect(await browser.call("PATCH", "/settings", { full_name: "Hamlet" })).toEqual({ result: "success", msg: "" });
  });

  test("also accepts the token as a form field, which does not count as a parameter", async () => {
    const { browser } = await signedIn();
    const csrfmiddlewaretoken = browser.cookies.get("csrftoken") ?? "";

    const answer = await browser.ask("/json/settings", {
      method: "POST",
      form: { method: "PATCH", full_name: "Hamlet", csrfmiddlewaretoken },
    });

    expect(await answer.json()).toEqual({ result: "success", msg: "" });
  });
});

describe("a session ends", () => {
  test("on every node when the user logs out on one, including a waiting read", async () => {
    const { user, browser, realm } = await signedIn();
    const other = new TestBrowser(realm);
    await other.signIn(user);
    const queue = await browser.call("POST", "/register", { event_types: '["message"]' });
    const waiting = browser.call("GET", "/events", { queue_id: String(queue["queue_id"]) }, { node: 1 });
    const thief = new TestBrowser(realm);
    for (const [name, value] of browser.cookies) thief.cookies.set(name, value);
    await thief.call("GET", "/users/me", {}, { node: 1 });

    const left = await browser.send("/accounts/logout/", {}, { node: 0 });

    expect(left).toMatchObject({ status: 303, location: "/login/" });
    // The browser stays known, so that strangers' guesses do not lock its owner out.
    expect([...browser.cookies.keys()]).toEqual(["device"]);
    expect(await waiting).toMatchObject(signedOut);
    for (const node of [0, 1]) expect(await thief.call("GET", "/users/me", {}, { node })).toMatchObject(signedOut);
    expect(await other.call("GET", "/users/me")).toMatchObject({ result: "success" });
    expect(await user.request("GET", "/users/me")).toMatchObject({ result: "success" });
  });

  test("immediately, a hundred times on alternating nodes", async () => {
    const realm = await newRealm();
    const user = await withPassword(realm, "hamlet");
    const passed: unknown[] = [];
    for (let round = 0; round < 25; round++) {
      const browser = new TestBrowser(realm);
      await browser.signIn(user, { node: round });
      const queue = await browser.call("POST", "/register", { event_types: '["message"]' }, { node: round + 1 });
      const thief = new TestBrowser(realm);
      for (const [name, value] of browser.cookies) thief.cookies.set(name, value);

      await browser.send("/accounts/logout/", {}, { node: round });
      const uses = await Promise.all([
        thief.call("GET", "/users/me", {}, { node: round + 1 }),
        thief.call("GET", "/events", { queue_id: String(queue["queue_id"]), dont_block: "true" }, { node: round + 1 }),
        thief.call("POST", "/messages", { type: "direct", to: `[${user.id}]`, content: "x" }, { node: round + 1 }),
        thief.call("GET", "/users/me", {}, { node: round }),
      ]);
      passed.push(...uses.filter((answer) => answer["code"] !== "UNAUTHORIZED"));
    }

    expect(passed).toEqual([]);
  });

  test("when the account is deactivated, and stays ended when it is reactivated", async () => {
    const { realm, user, browser } = await signedIn();
    for (const node of [0, 1]) await browser.call("GET", "/users/me", {}, { node });

    success(await realm.admin.on(0).call(deactivateUser, { user_id: user.id }));

    for (const node of [1, 0]) expect(await browser.call("GET", "/users/me", {}, { node })).toMatchObject(signedOut);
    success(await realm.admin.on(0).call(reactivateUser, { user_id: user.id }));
    for (const node of [1, 0]) expect(await browser.call("GET", "/users/me", {}, { node })).toMatchObject(signedOut);
  });

  test("in all other browsers when the user changes the password in one", async () => {
    const { realm, user, browser } = await signedIn();
    const other = new TestBrowser(realm);
    await other.signIn(user);
    const change = { old_password: password, new_password: "Quartz-91bd-dune" };

    expect(await browser.call("PATCH", "/settings", change, { node: 0 })).toMatchObject({ result: "success" });

    for (const node of [1, 0]) {
      expect(await other.call("GET", "/users/me", {}, { node })).toMatchObject(signedOut);
      expect(await browser.call("GET", "/users/me", {}, { node })).toMatchObject({ result: "success" });
    }
  });

  test("in every browser when an app changes the password", async () => {
    const { user, browser } = await signedIn();

    success(await user.on(0).call(updateSettings, { old_password: password, new_password: "Quartz-91bd-dune" }));

    expect(await browser.call("GET", "/users/me", {}, { node: 1 })).toMatchObject(signedOut);
  });

  test("but not when the role changes, which applies from the next request on", async () => {
    const { realm, user, browser } = await signedIn();
    const rename = () => browser.call("PATCH", "/realm", { name: "Elsinore" }, { node: 1 });
    expect(await rename()).toMatchObject({ code: "BAD_REQUEST" });

    success(await realm.admin.on(0).call(updateUser, { user_id: user.id, role: 200 }));
    expect(await rename()).toMatchObject({ result: "success" });
    success(await realm.admin.on(0).call(updateUser, { user_id: user.id, role: 400 }));

    expect(await rename()).toMatchObject({ code: "BAD_REQUEST" });
  });
});

describe("signing in", () => {
  test("starts a new session, whatever cookie the browser sent", async () => {
    const { realm, user, browser: attacker } = await signedIn("laertes");
    const hamlet = await withPassword(realm, "hamlet");
    const victim = new TestBrowser(realm);
    const planted = attacker.cookies.get("sessionid") ?? "";
    for (const [name, value] of attacker.cookies) victim.cookies.set(name, value);

    await victim.signIn(hamlet);

    expect(victim.cookies.get("sessionid")).not.toBe(planted);
    expect(await victim.call("GET", "/users/me")).toMatchObject({ user_id: hamlet.id });
    expect(user.id).not.toBe(hamlet.id);
    for (const node of [0, 1]) expect(await attacker.call("GET", "/users/me", {}, { node })).toMatchObject(signedOut);
  });

  test("does not adopt a made-up session token", async () => {
    const realm = await newRealm();
    const hamlet = await withPassword(realm, "hamlet");
    const browser = new TestBrowser(realm);
    browser.cookies.set("sessionid", "A".repeat(43));

    await browser.open("/login/");
    await browser.signIn(hamlet);

    expect(browser.cookies.get("sessionid")).not.toBe("A".repeat(43));
    expect(await browser.call("GET", "/users/me")).toMatchObject({ user_id: hamlet.id });
  });
});

describe("the user's own API key", () => {
  test("is returned for the password, under /json", async () => {
    const { realm, user, browser } = await signedIn();

    const answer = await browser.call("POST", "/fetch_api_key", { password });

    expect(answer).toEqual({
      result: "success",
      msg: "",
      api_key: expect.stringMatching(/^[A-Za-z0-9]{32}$/),
      email: user.email,
    });
    const client = new TestUser(realm, user.id, user.email, user.fullName, String(answer["api_key"]));
    expect(await client.request("GET", "/users/me")).toMatchObject({ user_id: user.id });
  });

  test("is not returned without it, and attempts count as logins", async () => {
    const realm = await newRealm([await startNode({ environment: { SKEIN_RATE_LIMITS: "true", SKEIN_ROLES: "api" } })]);
    const { browser } = await signedIn("hamlet", realm);

    const tries = [];
    for (let count = 0; count < 6; count++)
      tries.push(await browser.call("POST", "/fetch_api_key", { password: "guess" }));

    expect(tries[0]).toEqual({ result: "error", msg: "Password is incorrect.", code: "BAD_REQUEST" });
    expect(tries[5]).toMatchObject({ code: "RATE_LIMIT_HIT" });
    expect(await browser.ask("/json/users/me/api_key/regenerate", { method: "POST" })).toMatchObject({ status: 404 });
  });
});

test("every endpoint not restricted to keys or to browsers is available to both", async () => {
  const browser = new TestBrowser(await newRealm());
  const places = endpoints
    .filter(({ only }) => only === undefined)
    .flatMap(({ method, path }) => ["/api/v1", "/json"].map((root) => ({ method, path: root + path })));

  const missing = [];
  for (const { method, path } of places) {
    const answer = await browser.ask(path.replaceAll(/\{\w+\}/g, "7"), { method: "OPTIONS" });
    if (!answer.headers.get("allow")?.split(", ").includes(method)) missing.push(`${method} ${path}`);
  }

  expect(missing).toEqual([]);
});
