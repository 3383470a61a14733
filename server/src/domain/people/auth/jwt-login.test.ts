import { createHmac } from "node:crypto";
import { jwtFetchApiKey } from "@skein/api/authentication.ts";
import { getOwnUser } from "@skein/api/users.ts";
import { beforeAll, expect, test } from "vitest";
import { readConfig } from "../../../config.ts";
import { startNode } from "../../../../test/nodes.ts";
import { newRealm, success, type TestRealm } from "../../../../test/realm.ts";

const secret = "a secret that two programs know and nobody else";
const seconds = () => Math.floor(Date.now() / 1000);
const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");

/** A token as the organization's program creates it. */
function sign(claims: object, { header = { alg: "HS256", typ: "JWT" }, by = secret } = {}): string {
  const signed = `${encode(header)}.${encode(claims)}`;
  return `${signed}.${createHmac("sha256", by).update(signed).digest("base64url")}`;
}

type Node = TestRealm["nodes"][number];
let realm: TestRealm;
let elsewhere: TestRealm;
/** Configured for one of the two organizations. */
let nodes: Node[];
beforeAll(async () => {
  [realm, elsewhere] = [await newRealm(), await newRealm()];
  const environment = { SKEIN_JWT_SECRETS: `${realm.host.toUpperCase()}=${secret}`, SKEIN_ROLES: "api" };
  nodes = [await startNode({ environment }), await startNode({ environment })];
});

const [first, second] = [() => nodes[0] as Node, () => nodes[1] as Node]; // both are started above
const trade = (token: string, node = first(), at = realm) => at.client(node).call(jwtFetchApiKey, { token });
const refusal = (msg: string) => ({ result: "error", msg, code: "BAD_REQUEST" });

test("a token of a trusted program is exchanged for an API key, which works on all nodes", async () => {
  const hamlet = await realm.user("hamlet");
  const token = sign({ email: hamlet.email.toUpperCase(), iat: seconds(), nbf: seconds(), exp: seconds() + 60 });

  const response = success(await trade(token));

  expect(response).toEqual({ result: "success", msg: "", api_key: expect.any(String), email: hamlet.email });
  expect(response.api_key).toMatch(/^[A-Za-z0-9]{32}$/);
  const client = realm.client(second(), { email: hamlet.email, apiKey: response.api_key });
  expect(await client.call(getOwnUser, {})).toMatchObject({ result: "success", user_id: hamlet.id });
});

test("the response contains the account on request", async () => {
  const hamlet = await realm.user("hamlet-with-profile");

  const response = await realm
    .client(first())
    .request("POST", "/jwt/fetch_api_key", { token: sign({ email: hamlet.email }), include_profile: "true" });

  expect(response).toMatchObject({
    email: hamlet.email,
    user: { user_id: hamlet.id, full_name: hamlet.fullName, delivery_email: hamlet.email, role: 400 },
  });
});

test("an organization without a configured secret accepts no token", async () => {
  const hamlet = await elsewhere.user("hamlet");
  const token = sign({ email: hamlet.email });
  const [plain] = realm.nodes;

  const notEnabled = refusal("JWT authentication is not enabled for this organization");
  expect(await trade(token, first(), elsewhere)).toEqual(notEnabled);
  expect(plain && (await trade(token, plain))).toEqual(notEnabled);
});

test("the error names what is missing", async () => {
  const bare = await realm.client(first()).request("POST", "/jwt/fetch_api_key", {});

  expect(bare).toEqual(refusal("No JSON web token passed in request"));
  for (const claims of [{ user: "hamlet" }, { email: 7 }, { email: null }])
    expect(await trade(sign(claims))).toEqual(refusal("No email specified in JSON web token claims"));
});

test("only a currently valid token signed with the secret is accepted", async () => {
  const { email } = await realm.user("horatio");
  const good = sign({ email });
  const [head = "", body = "", signature = ""] = good.split(".");
  const bad: Record<string, string> = {
    "signed with another secret": sign({ email }, { by: "x".repeat(40) }),
    "signed with an empty secret": sign({ email }, { by: "" }),
    unsigned: `${encode({ alg: "none" })}.${body}.`,
    "with the algorithm none and a signature": sign({ email }, { header: { alg: "none", typ: "JWT" } }),
    "signed with another algorithm": sign({ email }, { header: { alg: "HS512", typ: "JWT" } }),
    "with a path as key id": sign({ email }, { header: { alg: "HS256", kid: "../../dev/null" } as never, by: "" }),
    "with an embedded key": sign(
      { email },
      { header: { alg: "HS256", jwk: { kty: "oct", k: "eA" } } as never, by: "x" },
    ),
    "for another organization's host": sign({ email, aud: `https://${elsewhere.host}` }),
    "with an unknown critical extension": sign({ email }, { header: { alg: "HS256", crit: ["b64"] } as never }),
    "changed after it was signed": `${head}.${encode({ email: realm.admin.email })}.${signature}`,
    "cut short": good.slice(0, -1),
    "with two parts": `${head}.${body}`,
    "with four parts": `${good}.${signature}`,
    "with invalid characters": `${head}.${body}.${signature} `,
    "with a string as payload": sign("email" as never),
    "with null as payload": sign(null as never),
    "too long": sign({ email, more: "x".repeat(20_000) }),
    expired: sign({ email, exp: seconds() - 1 }),
    "with an invalid expiry": sign({ email, exp: "tomorrow" }),
    "not yet valid": sign({ email, nbf: seconds() + 600 }),
    "from the future": sign({ email, iat: seconds() + 600 }),
    "for another audience": sign({ email, aud: "wiki.example.com" }),
  };

  for (const [what, token] of Object.entries(bad))
    expect(await trade(token), what).toEqual(refusal("Bad JSON web token"));
  for (const aud of [realm.host, [`https://${realm.host}`, "wiki.example.com"]])
    expect(await trade(sign({ email, aud }))).toMatchObject({ result: "success" });
});

test("tokens for unknown, deactivated and bot accounts are refused", async () => {
  const gone = await realm.user("gone");
  const stranger = await elsewhere.user("stranger");
  await realm.ctx.db.updateTable("users").set({ is_active: false }).where("id", "=", gone.id).execute();

  for (const email of [`nobody@${realm.host}`, stranger.email, "notification-bot@skein.invalid", ""])
    expect(await trade(sign({ email }))).toEqual({
      result: "error",
      msg: "Your username or password is incorrect",
      code: "AUTHENTICATION_FAILED",
    });
  expect(await trade(sign({ email: gone.email }))).toMatchObject({ code: "USER_DEACTIVATED" });
});

test.for([
  ["chat.example.com", "must be a comma-separated list of HOST=SECRET entries"],
  [`=${secret}`, "must be a comma-separated list of HOST=SECRET entries"],
  ["chat.example.com=short", "must have at least 32 characters in the secret of chat.example.com"],
])("an invalid setting is refused without repeating it: %s", ([value, problem]) => {
  expect(() => readConfig({ SKEIN_JWT_SECRETS: value })).toThrow(`SKEIN_JWT_SECRETS ${problem}`);
});
