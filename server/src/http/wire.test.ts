/** Rules of all endpoints: formats of parameters and errors, and authentication. */
import { once } from "node:events";
import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { json as readJson } from "node:stream/consumers";
import { getServerSettings } from "@skein/api/server-settings.ts";
import { expect, test } from "vitest";
import { startNode } from "../../test/nodes.ts";
import { newRealm, type TestRealm, type TestUser } from "../../test/realm.ts";
import { handlePublic } from "./handle.ts";
import { RateLimiter } from "./rate-limit.ts";
import { createServer } from "./server.ts";

const basic = (email: string, key: string) => `Basic ${Buffer.from(`${email}:${key}`).toString("base64")}`;

/** Sends a raw request to the realm's first node. */
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
  // Responses are JSON objects, except the empty one to OPTIONS.
  return { status: answer.status, headers: answer.headers, json: text === "" ? {} : (JSON.parse(text) as never) };
}

const note = (user: TestUser) => ({ type: "direct", to: `[${user.id}]`, content: "hello" });

test("parameters can be sent in the query, a urlencoded body or a multipart body", async () => {
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

test("requests on one connection each have their own credentials", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const url = `${realm.nodes[0]?.url}/api/v1/users/me`;
  const ports = new Set<number | undefined>();
  const whoIs = async (authorization?: string): Promise<unknown> => {
    const headers = { "x-forwarded-host": realm.host, ...(authorization === undefined ? {} : { authorization }) };
    const request = httpRequest(url, { agent, headers }).end();
    const [response] = (await once(request, "response")) as [IncomingMessage];
    ports.add(response.socket.localPort);
    const { user_id, code } = (await readJson(response)) as { user_id?: number; code?: string };
    return user_id ?? code;
  };
  const [admin, other] = [realm.admin, hamlet].map(({ email, apiKey }) => basic(email, apiKey));

  const answers = [];
  for (const each of [admin, other, admin, undefined, admin, basic(hamlet.email, realm.admin.apiKey), other, other])
    answers.push(await whoIs(each));
  agent.destroy();

  expect(answers).toEqual([
    realm.admin.id,
    hamlet.id,
    realm.admin.id,
    "UNAUTHORIZED",
    realm.admin.id,
    "UNAUTHORIZED",
    hamlet.id,
    hamlet.id,
  ]);
  expect(ports.size).toBe(1);
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

test("a parameter in the body takes precedence over the query", async () => {
  const realm = await newRealm();
  const { admin: user } = realm;
  const body = new URLSearchParams(note(user));

  const { json } = await send(realm, "/api/v1/messages?content=&type=letter", { method: "POST", body, user });

  expect(json["result"]).toBe("success");
});

test("a POST can override the method in its form", async () => {
  const realm = await newRealm();
  const { admin: user } = realm;
  const queue = await user.register(["message"]);
  const body = new URLSearchParams({ method: "DELETE", queue_id: queue.id });

  const { json } = await send(realm, "/api/v1/events", { method: "POST", body, user });

  expect(json).toEqual({ result: "success", msg: "" });
});

test("an error repeats only the beginning of a long value", async () => {
  const realm = await newRealm();
  const body = new URLSearchParams({ messages: "[1]", op: "add", flag: "x".repeat(1_000_000) });

  const { status, json } = await send(realm, "/api/v1/messages/flags", { method: "POST", body, user: realm.admin });

  expect(status).toBe(400);
  expect(json["msg"]).toBe(`Invalid flag: '${"x".repeat(1985)}…`);
});

test("an unsupported method is rejected with the list of supported ones", async () => {
  const realm = await newRealm();

  const { status, headers, json } = await send(realm, "/api/v1/messages/flags", { method: "PUT", user: realm.admin });

  expect(status).toBe(405);
  expect(headers.get("allow")).toBe("POST");
  expect(json).toEqual({ result: "error", msg: "Method Not Allowed", allowed_methods: ["POST"] });
  expect((await send(realm, "/api/v1/messages/flags", { method: "OPTIONS" })).status).toBe(204);
});

test("an unknown path returns 404 in the usual error format", async () => {
  const realm = await newRealm();

  const { status, json } = await send(realm, "/api/v1/no/such/place");

  expect(status).toBe(404);
  expect(json).toMatchObject({ result: "error", msg: expect.any(String), code: expect.any(String) });
});

// spec 7: error body
test("the error for a missing parameter names it", async () => {
  const realm = await newRealm();

  expect(await realm.admin.request("POST", "/messages/flags", { messages: "[1]", op: "add" })).toEqual({
    result: "error",
    msg: "Missing 'flag' argument",
    code: "REQUEST_VARIABLE_MISSING",
    var_name: "flag",
  });
});

test("an internal error is reported without details and without a code", async () => {
  const { ctx } = await newRealm();
  const broken = handlePublic(getServerSettings, () => Promise.reject(new Error("a secret of the inside")));
  const server = createServer(ctx, [broken], []);

  const answer = await server.inject({ method: "GET", url: "/api/v1/server_settings" });

  expect(answer.statusCode).toBe(500);
  expect(answer.json()).toEqual({ result: "error", msg: "Internal server error" });
  await server.close();
});

test("a parameter and its alias cannot be combined", async () => {
  const realm = await newRealm();
  const form = { type: "stream", to: "general", content: "x", topic: "a", subject: "b" };

  expect(await realm.admin.request("POST", "/messages", form)).toMatchObject({
    code: "REQUEST_CONFUSING_VAR",
    var_name1: "topic",
    var_name2: "subject",
  });
});

// spec 9: ignored_parameters_unsupported
test("unsupported parameters are listed in order, and only on success", async () => {
  const realm = await newRealm();
  const extra = { zeta: "1", alpha: "2" };

  expect(await realm.admin.request("POST", "/messages", { ...note(realm.admin), ...extra })).toMatchObject({
    result: "success",
    ignored_parameters_unsupported: ["alpha", "zeta"],
  });
  expect(await realm.admin.request("POST", "/messages", extra)).not.toHaveProperty("ignored_parameters_unsupported");
});

test("a path parameter that is repeated in the form is unsupported", async () => {
  const realm = await newRealm();
  const sent = await realm.admin.request("POST", "/messages", note(realm.admin));

  const answer = await realm.admin.request("GET", `/messages/${String(sent["id"])}`, {
    message_id: String(sent["id"]),
  });

  expect(answer).toMatchObject({ result: "success", ignored_parameters_unsupported: ["message_id"] });
});

// spec 5: basic authentication
test("invalid credentials of any kind get the same kind of error", async () => {
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

test("an API key works only in its own organization", async () => {
  const [here, there] = [await newRealm(), await newRealm()];

  const { status } = await send(there, "/api/v1/messages", { method: "POST", user: here.admin });

  expect(status).toBe(401);
});

test("e-mail addresses of accounts are case-insensitive", async () => {
  const realm = await newRealm();
  const { email, apiKey } = realm.admin;
  const headers = { authorization: basic(email.toUpperCase(), apiKey) };

  const { status } = await send(realm, "/api/v1/register", { method: "POST", headers });

  expect(status).toBe(200);
});

test("malformed bodies never cause a server error", async () => {
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
test("an account is limited to 200 calls a minute, and then learns how long to wait", async () => {
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

test("a limit applies to a sliding window, separately for each caller", () => {
  let now = 0;
  const limiter = new RateLimiter({ calls: 3, seconds: 10 }, () => now);
  for (now of [1000, 2000, 3000]) limiter.count("a");

  expect(() => limiter.count("a")).toThrow("rate limit");
  expect(limiter.count("b")["X-RateLimit-Remaining"]).toBe("2");
  now = 11_500;
  expect(limiter.count("a")["X-RateLimit-Remaining"]).toBe("0");
  expect(() => limiter.count("a")).toThrow("rate limit");
});

test("an expensive call counts as several, and as all at most", () => {
  let now = 1000;
  const limiter = new RateLimiter({ calls: 10, seconds: 10 }, () => now);

  expect(limiter.count("a", 4)["X-RateLimit-Remaining"]).toBe("6");
  expect(() => limiter.count("a", 7)).toThrow("rate limit");
  expect(limiter.count("a", 6)["X-RateLimit-Remaining"]).toBe("0");
  now = 11_000;
  expect(limiter.count("a", 50)["X-RateLimit-Remaining"]).toBe("0");
});

test("health, metrics and the API reference are served without credentials", async () => {
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

test("a long response is compressed only for clients that accept it", async () => {
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
