/** What holds for every endpoint: how parameters arrive, how refusals look, who is let in. */
import { getServerSettings } from "@skein/api/server-settings.ts";
import { expect, test } from "vitest";
import { startNode } from "../../test/nodes.ts";
import { newRealm, type TestRealm, type TestUser } from "../../test/realm.ts";
import { handlePublic } from "./handle.ts";
import { RateLimiter } from "./rate-limit.ts";
import { createServer } from "./router.ts";

const basic = (email: string, key: string) => `Basic ${Buffer.from(`${email}:${key}`).toString("base64")}`;

/** A request by hand to the realm's first node. */
async function send(
  realm: TestRealm,
  path: string,
  init: RequestInit & { user?: TestUser } = {},
): Promise<{ status: number; headers: Headers; json: Record<string, unknown> }> {
  const headers = new Headers(init.headers);
  headers.set("x-forwarded-host", realm.host);
  if (init.user) headers.set("authorization", basic(init.user.email, init.user.apiKey));
  const answer = await fetch(`${realm.nodes[0]?.url}${path}`, { ...init, headers });
  const text = await answer.text();
  // Answers are JSON objects, except the empty one to OPTIONS.
  return { status: answer.status, headers: answer.headers, json: text === "" ? {} : (JSON.parse(text) as never) };
}

const note = (user: TestUser) => ({ type: "direct", to: `[${user.id}]`, content: "hello" });

test("parameters are read from the query, a urlencoded body and a multipart body alike", async () => {
  const realm = await newRealm();
  const { admin: user } = realm;
  const multipart = new FormData();
  for (const [name, value] of Object.entries(note(user))) multipart.set(name, value);
  const query = new URLSearchParams(note(user));

  const answers = [
    await send(realm, "/api/v1/messages", { method: "POST", body: query, user }),
    await send(realm, "/api/v1/messages", { method: "POST", body: multipart, user }),
    await send(realm, `/api/v1/messages?${query.toString()}`, { method: "POST", user }),
  ];

  for (const { status, json } of answers) {
    expect(status).toBe(200);
    expect(json).toEqual({ result: "success", msg: "", id: expect.any(Number) });
  }
});

test("a multipart body without a field is an empty form", async () => {
  const realm = await newRealm();
  const headers = { "content-type": "multipart/form-data; boundary=x" };

  const { json } = await send(realm, "/api/v1/register", {
    method: "POST",
    body: "--x--\r\n",
    headers,
    user: realm.admin,
  });

  expect(json["result"]).toBe("success");
});

test("a name in the body wins over the same name in the query", async () => {
  const realm = await newRealm();
  const { admin: user } = realm;
  const body = new URLSearchParams(note(user));

  const { json } = await send(realm, "/api/v1/messages?content=&type=letter", { method: "POST", body, user });

  expect(json["result"]).toBe("success");
});

test("a POST may name another method in its form", async () => {
  const realm = await newRealm();
  const { admin: user } = realm;
  const queue = await user.register(["message"]);
  const body = new URLSearchParams({ method: "DELETE", queue_id: queue.id });

  const { json } = await send(realm, "/api/v1/events", { method: "POST", body, user });

  expect(json).toEqual({ result: "success", msg: "" });
});

test("a method an address does not have is refused with those it has", async () => {
  const realm = await newRealm();

  const { status, headers, json } = await send(realm, "/api/v1/messages/flags", { method: "PUT", user: realm.admin });

  expect(status).toBe(405);
  expect(headers.get("allow")).toBe("POST");
  expect(json).toEqual({ result: "error", msg: "Method Not Allowed", allowed_methods: ["POST"] });
  expect((await send(realm, "/api/v1/messages/flags", { method: "OPTIONS" })).status).toBe(204);
});

test("an unknown address is 404 in the common form", async () => {
  const realm = await newRealm();

  const { status, json } = await send(realm, "/api/v1/no/such/place");

  expect(status).toBe(404);
  expect(json).toMatchObject({ result: "error", msg: expect.any(String), code: expect.any(String) });
});

// spec 7: error body
test("a missing parameter names itself", async () => {
  const realm = await newRealm();

  expect(await realm.admin.request("POST", "/messages/flags", { messages: "[1]", op: "add" })).toEqual({
    result: "error",
    msg: "Missing 'flag' argument",
    code: "REQUEST_VARIABLE_MISSING",
    var_name: "flag",
  });
});

test("what goes wrong inside is answered without a word of it, and without a code", async () => {
  const { ctx } = await newRealm();
  const broken = handlePublic(getServerSettings, () => Promise.reject(new Error("a secret of the inside")));
  const server = createServer(ctx, [broken], []);

  const answer = await server.inject({ method: "GET", url: "/api/v1/server_settings" });

  expect(answer.statusCode).toBe(500);
  expect(answer.json()).toEqual({ result: "error", msg: "Internal server error" });
  await server.close();
});

test("two names of one parameter cannot be given together", async () => {
  const realm = await newRealm();
  const form = { type: "stream", to: "general", content: "x", topic: "a", subject: "b" };

  expect(await realm.admin.request("POST", "/messages", form)).toMatchObject({
    code: "REQUEST_CONFUSING_VAR",
    var_name1: "topic",
    var_name2: "subject",
  });
});

// spec 9: ignored_parameters_unsupported
test("parameters an endpoint does not take are reported, in order, on success only", async () => {
  const realm = await newRealm();
  const extra = { zeta: "1", alpha: "2" };

  expect(await realm.admin.request("POST", "/messages", { ...note(realm.admin), ...extra })).toMatchObject({
    result: "success",
    ignored_parameters_unsupported: ["alpha", "zeta"],
  });
  expect(await realm.admin.request("POST", "/messages", extra)).not.toHaveProperty("ignored_parameters_unsupported");
});

test("a path parameter given again in the form is one too many", async () => {
  const realm = await newRealm();
  const sent = await realm.admin.request("POST", "/messages", note(realm.admin));

  const answer = await realm.admin.request("GET", `/messages/${String(sent["id"])}`, {
    message_id: String(sent["id"]),
  });

  expect(answer).toMatchObject({ result: "success", ignored_parameters_unsupported: ["message_id"] });
});

// spec 5: basic authentication
test("whatever is wrong with credentials, the refusal is the same kind", async () => {
  const realm = await newRealm();
  const other = await realm.user("other");
  const gone = await realm.user("gone");
  await realm.ctx.db.updateTable("users").set({ is_active: false }).where("id", "=", gone.id).execute();
  const { email, apiKey } = realm.admin;
  const headers = [
    undefined,
    "",
    "Basic",
    "Basic !!!!",
    `Basic ${Buffer.from("nocolon").toString("base64")}`,
    `Bearer ${apiKey}`,
    basic(email, ""),
    basic(email, "x".repeat(32)),
    basic(email, other.apiKey),
    basic("", apiKey),
    basic("nobody@example.com", apiKey),
    basic(gone.email, gone.apiKey),
  ];

  for (const authorization of headers) {
    const init = { method: "POST", ...(authorization === undefined ? {} : { headers: { authorization } }) };
    const { status, headers: given, json } = await send(realm, "/api/v1/messages", init);
    expect([status, json["code"]], authorization).toEqual([401, "UNAUTHORIZED"]);
    expect(given.get("www-authenticate")).toMatch(/^Basic /);
  }
});

test("a key opens its own organization only", async () => {
  const [here, there] = [await newRealm(), await newRealm()];

  const { status } = await send(there, "/api/v1/messages", { method: "POST", user: here.admin });

  expect(status).toBe(401);
});

test("the address in capitals is the same account", async () => {
  const realm = await newRealm();
  const { email, apiKey } = realm.admin;
  const headers = { authorization: basic(email.toUpperCase(), apiKey) };

  const { status } = await send(realm, "/api/v1/register", { method: "POST", headers });

  expect(status).toBe(200);
});

test("odd bodies are answered, never with a server error", async () => {
  const realm = await newRealm();
  const { admin: user } = realm;
  const form = "application/x-www-form-urlencoded";
  const bodies: [string, string][] = [
    ["content=%ZZ&type=direct", form],
    ["type[]=direct&to[a]=1", form],
    ["__proto__=x&constructor=y", form],
    [Array.from({ length: 6000 }, (_, n) => `p${n}=1`).join("&"), form],
    ["{", "application/json"],
    ["hello", "multipart/form-data"],
    ["--x--", "multipart/form-data; boundary=x"],
    ["type=direct", "application/x-unknown"],
    [`type=direct&to=[${user.id}]&content=nul%00byte`, form],
    [`type=direct&to=${"[".repeat(20_000)}&content=x`, form],
  ];

  for (const [body, type] of bodies) {
    const { status } = await send(realm, "/api/v1/messages", {
      method: "POST",
      body,
      user,
      headers: { "content-type": type },
    });
    expect(status, body.slice(0, 40)).toBe(400);
  }
});

// spec 8: request rate limits: not shown
test("an account may call 200 times a minute; then it is told how long to wait", async () => {
  const node = await startNode({ environment: { SKEIN_RATE_LIMITS: "true", SKEIN_ROLES: "api" } });
  const realm = await newRealm();
  const client = realm.client(node, { email: realm.admin.email, apiKey: realm.admin.apiKey });

  const first = await client.send("GET", "/messages/1");
  for (let call = 0; call < 199; call++) await client.send("GET", "/messages/1");
  const refused = await client.send("GET", "/messages/1");

  expect(first.headers.get("x-ratelimit-limit")).toBe("200");
  expect(first.headers.get("x-ratelimit-remaining")).toBe("199");
  expect(Number(first.headers.get("x-ratelimit-reset"))).toBeGreaterThan(Date.now() / 1000);
  expect(refused.status).toBe(429);
  const body = (await refused.json()) as Record<string, unknown>;
  expect(body).toMatchObject({ result: "error", code: "RATE_LIMIT_HIT", "retry-after": expect.any(Number) });
  expect(Number(refused.headers.get("retry-after"))).toBe(body["retry-after"]);
});

test("a limit counts the calls of any such stretch of time, for each caller alone", () => {
  let now = 0;
  const limiter = new RateLimiter({ calls: 3, seconds: 10 }, () => now);
  for (now of [1000, 2000, 3000]) limiter.count("a");

  expect(() => limiter.count("a")).toThrow("rate limit");
  expect(limiter.count("b")["X-RateLimit-Remaining"]).toBe("2");
  now = 11_500;
  expect(limiter.count("a")["X-RateLimit-Remaining"]).toBe("0");
  expect(() => limiter.count("a")).toThrow("rate limit");
});

test("health, metrics and the reference are served without credentials", async () => {
  const realm = await newRealm();
  const url = realm.nodes[0]?.url ?? "";
  const get = async (path: string) => {
    const answer = await fetch(`${url}${path}`);
    return { status: answer.status, text: await answer.text() };
  };

  expect(await get("/health/live")).toEqual({ status: 200, text: '{"status":"ok"}' });
  expect((await get("/health/ready")).status).toBe(200);
  expect(await get("/health")).toEqual({ status: 200, text: '{"result":"success","msg":""}' });
  expect((await get("/metrics")).text).toContain("skein_waiting_polls");
  expect((await get("/api/docs")).text).toContain("send-message");
  expect((await get("/api/docs/send-message")).text).toContain("/messages");
  expect((await get("/api/docs/nonsense")).status).toBe(404);
  expect(JSON.parse((await get("/api/openapi.json")).text)).toMatchObject({ openapi: "3.1.0" });
});

test("a long answer is compressed for a client that takes it so, and for no other", async () => {
  const realm = await newRealm();
  const ask = (encoding: string) =>
    send(realm, "/api/v1/register", { method: "POST", headers: { "accept-encoding": encoding }, user: realm.admin });

  const compressed = await ask("gzip, deflate");
  const small = await ask("gzip;q=0.8, deflate, br");
  const plain = await ask("identity");
  const refused = await ask("gzip;q=0");
  const short = await send(realm, "/api/v1/users/me/subscriptions", {
    headers: { "accept-encoding": "gzip" },
    user: realm.admin,
  });

  expect(compressed.headers.get("content-encoding")).toBe("gzip");
  expect(small.headers.get("content-encoding")).toBe("br");
  expect(compressed.headers.get("vary")).toBe("Accept-Encoding");
  expect(small.json["realm_users"]).toEqual(plain.json["realm_users"]);
  expect(compressed.json["realm_users"]).toEqual(plain.json["realm_users"]);
  for (const { headers } of [plain, refused, short]) expect(headers.get("content-encoding")).toBeNull();
});
