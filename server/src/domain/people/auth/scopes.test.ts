/** A key with scopes can be used for what they say, and for nothing else: endpoints, event queues, streams and files. */
import { documentedEndpoints, endpoints } from "@skein/api/all.ts";
import { createApiKey } from "@skein/api/api-keys.ts";
import type { Endpoint } from "@skein/api/endpoint.ts";
import { typesWithin } from "@skein/api/event-scopes.ts";
import { getEvents, register, requestableTypes } from "@skein/api/registration.ts";
import { describeScopes } from "@skein/api/scopes.ts";
import { getOwnUser, getUsers } from "@skein/api/users.ts";
import { expect, test } from "vitest";
import { sendDirect } from "../../../../test/actions.ts";
import { uploadAs } from "../../../../test/files.ts";
import { newRealm, success, TestUser } from "../../../../test/realm.ts";

const all = describeScopes(true)
  .map(({ name }) => name)
  .filter((name) => name !== "*");

/** The same person, with a new key of these scopes. */
async function keyOf(user: TestUser, scopes: string[], expires_at?: number): Promise<TestUser> {
  const made = success(
    await user.call(createApiKey, { name: "script", scopes, ...(expires_at === undefined ? {} : { expires_at }) }),
  );
  return new TestUser(user.realm, user.id, user.email, user.fullName, made.api_key);
}

/** A path with some value for each parameter: the scope is checked before parameters are. */
const somePath = ({ path }: Endpoint): string => path.replaceAll(/\{\w+\}/g, "7");

test("every endpoint that takes an account needs a scope, except the one that tells whose key it is", () => {
  const without = documentedEndpoints.filter(({ scope }) => scope === null);

  expect(without.filter(({ auth }) => auth === "user").map(({ operation }) => operation)).toEqual(["get-own-user"]);
  expect(documentedEndpoints.filter(({ auth, scope }) => auth === "none" && scope !== null)).toEqual([]);
});

test("every endpoint refuses a key that has all scopes but the one it needs", { timeout: 120_000 }, async () => {
  const { admin } = await newRealm();
  const keys = new Map<string, TestUser>();
  for (const scope of all)
    keys.set(
      scope,
      await keyOf(
        admin,
        all.filter((other) => other !== scope),
      ),
    );

  const accepted: unknown[] = [];
  for (const declared of documentedEndpoints) {
    const { scope, only, method, operation } = declared;
    if (scope === null || only === "browsers") continue;
    const answer = await keys.get(scope)?.request(method, somePath(declared));
    if (answer?.["code"] !== "INSUFFICIENT_SCOPE" || String(answer["required_scopes"]) !== scope)
      accepted.push([operation, answer]);
  }

  expect(accepted).toEqual([]);
  expect(endpoints.length).toBeGreaterThan(150);
});

test("every endpoint lets a key with its scope pass on to its own rules", { timeout: 120_000 }, async () => {
  const { admin } = await newRealm();
  const keys = new Map<string, TestUser>();
  for (const scope of all) keys.set(scope, await keyOf(admin, [scope]));

  const refused: unknown[] = [];
  for (const declared of documentedEndpoints) {
    const { scope, only, method, operation } = declared;
    // These would end the sequence.
    if (operation === "deactivate-own-user" || operation === "deactivate-realm") continue;
    if (only === "browsers" || operation === "regenerate-api-key") continue;
    // These redirect to a picture.
    if (operation === "get-realm-icon" || operation === "get-realm-logo") continue;
    // This one does not respond with one JSON object.
    if (operation === "export-audit-log") continue;
    const answer = await keys.get(scope ?? "files")?.request(method, somePath(declared));
    if (answer?.["code"] === "INSUFFICIENT_SCOPE") refused.push([operation, answer]);
  }

  expect(refused).toEqual([]);
});

test("files are uploaded and downloaded with the scope for files only", async () => {
  const { admin, nodes, host } = await newRealm();
  const path = await uploadAs(admin);
  const [reader, files] = [await keyOf(admin, ["messages:read"]), await keyOf(admin, ["files"])];
  const fetchAs = async ({ email, apiKey }: TestUser, url: string, init: RequestInit = {}) => {
    const authorization = `Basic ${Buffer.from(`${email}:${apiKey}`).toString("base64")}`;
    const headers = { authorization, "x-forwarded-host": host, "tus-resumable": "1.0.0", "upload-length": "4" };
    return fetch(`${nodes[0]?.url}${url}`, { ...init, headers });
  };

  for (const url of [path, `${path}?api_key=${reader.apiKey}`, `/user_uploads/thumbnail${path.slice(13)}/300x200.webp`])
    expect((await fetchAs(reader, url)).status).toBe(403);
  expect((await fetchAs(files, path)).status).toBe(200);
  expect((await fetchAs(reader, "/api/v1/tus/", { method: "POST" })).status).toBe(403);
  expect((await fetchAs(files, "/api/v1/tus/", { method: "POST" })).status).not.toBe(403);
  expect((await fetchAs(reader, `/avatar/${admin.id}`)).status).toBe(403);
  expect(await reader.upload("/user_uploads", { "a.txt": Buffer.from("a") })).toMatchObject({
    code: "INSUFFICIENT_SCOPE",
    required_scopes: ["files"],
  });
});

test("a queue gets the events that the key's scopes allow, and other keys read it if theirs do", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const [people, messages, events] = [
    await keyOf(hamlet, ["events", "users:read"]),
    await keyOf(hamlet, ["events", "messages:read"]),
    await keyOf(hamlet, ["events"]),
  ];

  expect(await events.call(register, { event_types: ["message"] })).toMatchObject({
    code: "INSUFFICIENT_SCOPE",
    required_scopes: ["messages:read"],
  });
  const state = success(await people.call(register, { fetch_event_types: ["realm_user", "message", "subscription"] }));
  expect(state).toHaveProperty("realm_users");
  expect(state).not.toHaveProperty("max_message_id");
  expect(state).not.toHaveProperty("subscriptions");
  const everything = success(await people.call(register, {}));
  expect(everything).toHaveProperty("realm_name");
  expect(everything).not.toHaveProperty("unread_msgs");

  const queue = await messages.register(["message"]);
  await sendDirect(realm.admin, [hamlet]);
  expect(await queue.next()).toMatchObject({ type: "message" });
  const read = { queue_id: queue.id, last_event_id: -1, dont_block: true };
  expect(await people.call(getEvents, read)).toMatchObject({ required_scopes: ["messages:read"] });
  expect(await people.request("GET", "/events/stream", { queue_id: queue.id })).toMatchObject({
    code: "INSUFFICIENT_SCOPE",
    required_scopes: ["messages:read"],
  });
  const told = success(
    await people.call(getEvents, { queue_id: state.queue_id, last_event_id: state.last_event_id, dont_block: true }),
  );
  expect(told.events).toEqual([]);
  const whole = await hamlet.register();
  expect(await messages.call(getEvents, { queue_id: whole.id, last_event_id: -1 })).toMatchObject({
    code: "INSUFFICIENT_SCOPE",
  });
});

test("no scope gives all types of events, and all scopes together do", () => {
  for (const scope of all) expect(typesWithin(new Set([scope])).length).toBeLessThan(requestableTypes.size);
  expect(typesWithin(new Set(all))).toEqual([...requestableTypes]);
});

test("no key makes a key that may do more or lives longer", async () => {
  const realm = await newRealm();
  const soon = Math.floor(Date.now() / 1000) + 600;
  const account = await keyOf(realm.admin, ["account"]);
  const brief = await keyOf(realm.admin, ["account"], soon);
  const endless = await keyOf(realm.admin, ["*"], soon);
  const make = (user: TestUser, scopes: string[], expires_at?: number) =>
    user.call(createApiKey, { name: "more", scopes, ...(expires_at === undefined ? {} : { expires_at }) });
  const refused = { code: "INSUFFICIENT_SCOPE" };

  expect(await make(account, ["account", "files"])).toMatchObject({ ...refused, required_scopes: ["files"] });
  expect(await make(account, ["*"])).toMatchObject({ ...refused, required_scopes: ["*"] });
  expect(await make(brief, ["account"])).toMatchObject(refused);
  expect(await make(brief, ["account"], soon + 1)).toMatchObject(refused);
  expect(await make(endless, ["*"])).toMatchObject(refused);
  expect(await account.request("POST", "/users/me/api_key/regenerate")).toMatchObject(refused);
  expect(await endless.request("POST", "/users/me/api_key/regenerate")).toMatchObject(refused);
  success(await make(account, ["account"]));
  success(await make(brief, ["account"], soon));
});

test("a scope does not add to the role, and only administrators can give those of administrators", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const everything = await keyOf(hamlet, ["*"]);

  expect(await everything.request("PATCH", "/realm", { description: "mine" })).toMatchObject({ code: "BAD_REQUEST" });
  for (const scope of ["admin", "users:manage", "messages:all", "__proto__"])
    expect(await hamlet.call(createApiKey, { name: "more", scopes: [scope] })).toMatchObject({ code: "BAD_REQUEST" });
});

test("a key from signing in may do everything, as before", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");

  success(await hamlet.call(getUsers, {}));
  success(await hamlet.call(getOwnUser, {}));
  expect(await hamlet.request("GET", "/users/me/api_keys")).toMatchObject({
    api_keys: [{ kind: "device", name: "test", scopes: ["*"], expires_at: null, is_current: true }],
  });
});
