import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { existsSync } from "node:fs";
import { createServer, request as forward } from "node:http";
import { join } from "node:path";
import { getAuditLog } from "@skein/api/audit-log.ts";
import * as provisioning from "@skein/api/provisioning.ts";
import { getUserGroups, updateUserGroup, updateUserGroupMembers } from "@skein/api/user-groups.ts";
import { getOwnUser, getUser } from "@skein/api/users.ts";
import { describe, expect, test } from "vitest";
import { atEndOfFile } from "../../../../test/end-of-file.ts";
import { deactivateByScim, measureLeavers } from "../../../../test/leavers.ts";
import { startNode } from "../../../../test/nodes.ts";
import { newRealm, success, type TestRealm } from "../../../../test/realm.ts";
import { urns } from "./schemas.ts";

type Resource = Record<string, unknown> & { id: string };

/** The organization's directory, which alternates between the nodes. */
class Directory {
  readonly realm: TestRealm;
  readonly tokenId: number;
  readonly token: string;
  #turn = 0;

  constructor(realm: TestRealm, tokenId: number, token: string) {
    this.realm = realm;
    this.tokenId = tokenId;
    this.token = token;
  }

  async send(method: string, path: string, body?: unknown, token = this.token) {
    const node = this.realm.nodes[this.#turn++ % this.realm.nodes.length];
    const response = await fetch(`${node?.url}/scim/v2${path}`, {
      method,
      headers: {
        "x-forwarded-host": this.realm.host,
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { "content-type": "application/scim+json" }),
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, json: (text === "" ? undefined : JSON.parse(text)) as Resource }; // by the caller
  }

  async create(kind: "Users" | "Groups", body: object): Promise<Resource> {
    const { status, json } = await this.send("POST", `/${kind}`, body);
    if (status !== 201) throw new Error(`not created: ${status} ${JSON.stringify(json)}`);
    return json;
  }

  newUser(name: string, more: object = {}): Promise<Resource> {
    return this.create("Users", {
      schemas: [urns.user],
      userName: `${name}@${this.realm.host}`,
      displayName: name,
      ...more,
    });
  }

  patch(path: string, ...Operations: object[]) {
    return this.send("PATCH", path, { schemas: [urns.patch], Operations });
  }

  /** What the audit log has of the directory, the oldest first. */
  async entries() {
    const { entries } = success(await this.realm.admin.call(getAuditLog, { actor_id: this.tokenId, limit: 1000 }));
    return entries.filter(({ actor }) => actor.kind === "scim").toReversed();
  }
}

async function newDirectory(realm: TestRealm): Promise<Directory> {
  const { id, token } = success(await realm.admin.call(provisioning.createScimToken, { name: "directory" }));
  return new Directory(realm, id, token);
}

test("a directory creates, changes, deactivates and deletes people, with one audit entry for each change", async () => {
  const realm = await newRealm();
  const directory = await newDirectory(realm);

  const user = await directory.newUser("ada", { externalId: "e-1", name: { givenName: "Ada", familyName: "Brook" } });
  const path = `/Users/${user.id}`;
  await directory.patch(path, { op: "Replace", path: "nickName", value: "Ad" });
  await directory.patch(path, { op: "Replace", path: "nickName", value: "Ad" });
  await directory.patch(path, { op: "replace", value: { "name.givenName": "Eda", role: "moderator" } });
  await directory.patch(path, { op: "Replace", path: "active", value: "False" });
  const closed = success(await realm.admin.call(getUser, { user_id: Number(user.id) })).user;
  await directory.send("PUT", path, { userName: user["userName"], active: true, displayName: "Eda Brook" });
  const gone = await directory.send("DELETE", path);
  const again = await directory.newUser("ada");

  expect(closed).toMatchObject({ is_active: false, role: 300, full_name: "ada" });
  expect([gone.status, again.id, again["active"], again["role"]]).toEqual([204, user.id, true, "moderator"]);
  const source = {
    actor: { kind: "scim", id: directory.tokenId },
    credential: { kind: "scim_token", id: directory.tokenId },
    target: { kind: "user", id: Number(user.id) },
  };
  expect(await directory.entries()).toMatchObject(
    ["create", "update", "update_role", "deactivate", "reactivate", "deactivate", "reactivate"].map((action) => ({
      action: `user.${action}`,
      ...source,
    })),
  );
});

test("the operations of a PATCH are applied all or none, without event and entry", async () => {
  const realm = await newRealm();
  const directory = await newDirectory(realm);
  const user = await directory.newUser("ada", { nickName: "before" });
  const path = `/Users/${user.id}`;
  const queue = await realm.admin.register(["realm_user"]);
  const before = await directory.entries();

  const refused = await directory.patch(
    path,
    { op: "replace", path: "nickName", value: "after" },
    { op: "replace", path: "displayName", value: "Somebody Else" },
    { op: "replace", path: "active", value: false },
    { op: "replace", path: "userName", value: realm.admin.email },
  );

  expect(refused).toMatchObject({ status: 409, json: { status: "409", scimType: "uniqueness" } });
  expect((await directory.send("GET", path)).json).toEqual(user);
  expect(await directory.entries()).toEqual(before);
  await directory.patch(path, { op: "replace", path: "displayName", value: "Ada Brook" });
  expect(await queue.next()).toMatchObject({ person: { full_name: "Ada Brook" } });
});

test("of many who create the same person at once, on two nodes, one succeeds, and a retry changes nothing", async () => {
  const realm = await newRealm();
  const directory = await newDirectory(realm);
  const body = (name: string) => ({ userName: `${name}@${realm.host}`, active: true });

  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, index) => directory.send("POST", "/Users", body(index % 2 ? "race" : "RACE"))),
  );
  const [made] = answers.filter(({ status }) => status === 201).map(({ json }) => json);
  const path = `/Users/${made?.id}`;
  const close = () => directory.patch(path, { op: "replace", path: "active", value: false });
  const closed = await Promise.all([close(), close(), close()]);

  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409, 409, 409, 409]);
  expect(closed.map(({ status, json }) => [status, json["active"]])).toEqual([
    [200, false],
    [200, false],
    [200, false],
  ]);
  expect((await directory.entries()).map(({ action }) => action)).toEqual(["user.create", "user.deactivate"]);
});

test("the only owner stays, and so do the directory's rules about names", async () => {
  const realm = await newRealm();
  const directory = await newDirectory(realm);
  const path = `/Users/${realm.admin.id}`;

  for (const operation of [
    { path: "active", value: "False" },
    { path: "role", value: "member" },
  ])
    expect((await directory.patch(path, { op: "replace", ...operation })).status).toBe(403);
  expect((await directory.send("DELETE", path)).status).toBe(403);
  expect((await directory.patch(path, { op: "replace", path: "active", value: 0 })).json).toMatchObject({
    scimType: "invalidValue",
  });
  expect((await directory.patch(path, { op: "add", path: "__proto__.polluted", value: true })).json).toMatchObject({
    scimType: "invalidPath",
  });
  success(await realm.admin.call(getOwnUser, {}));
});

test("the directory alone changes its groups; a deactivated member is back when the account is reactivated", async () => {
  const realm = await newRealm();
  const directory = await newDirectory(realm);
  const [ada, bea] = [await directory.newUser("ada"), await directory.newUser("bea")];
  const group = await directory.create("Groups", { displayName: "Harbour", members: [{ value: ada.id }] });
  const path = `/Groups/${group.id}`;
  const user_group_id = Number(group.id);
  const shown = async () =>
    success(await realm.admin.call(getUserGroups, {})).user_groups.find(({ id }) => id === user_group_id);
  const queue = await realm.admin.register(["user_group"]);

  const add = { user_group_id, add: [Number(bea.id)], delete: [], add_subgroups: [], delete_subgroups: [] };
  for (const refused of [
    await realm.admin.call(updateUserGroupMembers, add),
    await realm.admin.call(updateUserGroup, { user_group_id, name: "Mine" }),
    await realm.admin.request("POST", `/user_groups/${group.id}/deactivate`),
  ])
    expect(refused).toMatchObject({ result: "error", code: "MANAGED_EXTERNALLY" });
  const added = await directory.patch(path, { op: "Add", path: "members", value: [{ value: bea.id }] });
  const unknown = await directory.patch(path, { op: "Add", path: "members", value: [{ value: "999999999999" }] });
  await directory.patch(`/Users/${ada.id}`, { op: "replace", path: "active", value: false });
  const without = await shown();
  await directory.patch(`/Users/${ada.id}`, { op: "replace", path: "active", value: true });

  expect([added.status, unknown.status]).toEqual([204, 400]);
  expect(await queue.next()).toMatchObject({ op: "add_members", user_ids: [Number(bea.id)] });
  expect(without).toMatchObject({ managed_by: "scim", members: [Number(bea.id)] });
  expect((await shown())?.members).toEqual([Number(ada.id), Number(bea.id)]);

  expect((await directory.send("DELETE", path)).status).toBe(204);
  expect((await directory.send("GET", path)).status).toBe(404);
  expect(await shown()).toBeUndefined();
  await directory.create("Groups", { displayName: "Harbour" });
});

test("only owners hand groups over and manage tokens; a revoked token is refused on every node", async () => {
  const realm = await newRealm();
  const other = await newDirectory(await newRealm());
  const administrator = await realm.user("administrator", { role: 200 });
  const directory = await newDirectory(realm);
  const { tokens } = success(await realm.admin.call(provisioning.getScimTokens, {}));

  expect(tokens).toMatchObject([{ id: directory.tokenId, name: "directory", last_used_at: null }]);
  expect(JSON.stringify(tokens)).not.toContain(directory.token);
  expect(await administrator.call(provisioning.createScimToken, { name: "no" })).toMatchObject({ code: "BAD_REQUEST" });
  expect(await administrator.call(provisioning.getScimTokens, {})).toMatchObject({ code: "BAD_REQUEST" });
  for (const token of [other.token, realm.admin.apiKey, "", `${directory.token}x`])
    expect((await directory.send("GET", "/Users", undefined, token)).status).toBe(401);
  expect((await directory.send("GET", "/Users?count=1")).status).toBe(200);
  success(await realm.admin.call(provisioning.deleteScimToken, { token_id: directory.tokenId }));
  for (const _ of realm.nodes) expect((await directory.send("GET", "/Users?count=1")).status).toBe(401);
  expect(await realm.admin.call(provisioning.deleteScimToken, { token_id: other.tokenId })).toMatchObject({
    result: "error",
  });
});

test("bodies are limited before they are read, and errors have SCIM's form", async () => {
  const directory = await newDirectory(await newRealm());
  const large = JSON.stringify({ userName: "a".repeat(200_000) });

  const refused = [
    await directory.send("POST", "/Users", large, "wrong"),
    await directory.send("POST", "/Users", large),
    await directory.send("POST", "/Users", `{"userName":${"[".repeat(10_000)}${"]".repeat(10_000)}}`),
    await directory.send("POST", "/Users", { userName: "nobody" }),
    await directory.send("GET", "/Users?filter=userName%20eq"),
    await directory.send("GET", "/Nothing"),
  ];

  expect(refused.map(({ status, json }) => [status, json["status"], json["scimType"]])).toEqual([
    [401, "401", undefined],
    [400, "400", "invalidValue"],
    [400, "400", "invalidSyntax"],
    [400, "400", "invalidValue"],
    [400, "400", "invalidFilter"],
    [404, "404", undefined],
  ]);
  for (const { json } of refused) expect(json["schemas"]).toEqual([urns.error]);
});

describe("people who leave", () => {
  async function measure(
    leavers: number,
    deactivate: (id: number, node: string, directory: Directory) => Promise<void>,
  ) {
    const realm = await newRealm();
    const directory = await newDirectory(realm);
    return measureLeavers({
      nodes: realm.nodes.map(({ url }) => url),
      headers: { "x-forwarded-host": realm.host },
      leavers,
      atOnce: 4,
      newLeaver: (number) => realm.user(`leaver-${number}`),
      deactivate: ({ id }, node) => deactivate(id, node, directory),
    });
  }
  const byScim = (id: number, node: string, { realm, token }: Directory) =>
    deactivateByScim(node, { "x-forwarded-host": realm.host }, token, id);

  test("no request that begins after the response succeeds, on any node", async () => {
    const result = await measure(20, byScim);

    expect(result).toMatchObject({ leavers: 20, acceptedAfter: 0 });
    expect(result.accepted).toBeGreaterThan(100);
    expect(Math.max(...result.pollsEnded)).toBeLessThan(5000);
  });

  test("the measurement notices a response that comes too early", async () => {
    const late: Promise<void>[] = [];
    const result = await measure(1, async (id, node, directory) => {
      late.push(new Promise((resume) => setTimeout(resume, 100)).then(() => byScim(id, node, directory)));
    });
    await Promise.all(late);

    expect(result.acceptedAfter).toBeGreaterThan(0);
  });
});

/** Beside the project, as other material that describes what clients send. */
const probe = join(import.meta.dirname, "../../../../../../shared/identity-probe");

describe.skipIf(!existsSync(probe))("what Okta and Microsoft Entra send", () => {
  /** A site in front of two nodes, which sends every request to the other one. */
  async function startSite(): Promise<{ site: string; realm: TestRealm }> {
    const environment = { SKEIN_DEVELOPMENT: "true" };
    const nodes: [Awaited<ReturnType<typeof startNode>>, Awaited<ReturnType<typeof startNode>>] = [
      await startNode({ environment }),
      await startNode({ environment }),
    ];
    const realm = await newRealm(nodes);
    // An address of its own, because resources have URLs.
    const host = `127.${randomInt(1, 255)}.${randomInt(1, 255)}.${randomInt(1, 255)}`;
    await realm.ctx.db.updateTable("realms").set({ host }).where("id", "=", realm.id).execute();
    let turn = 0;
    const server = createServer((incoming, response) => {
      const { hostname, port } = new URL(nodes[turn++ % 2 === 0 ? 0 : 1].url);
      const { method, url: path, headers } = incoming;
      const hosted = { ...headers, "x-forwarded-host": headers.host };
      // A node hangs up on who goes on sending too much, so no other request may be on that connection.
      const outgoing = forward({ hostname, port, method, path, headers: hosted, agent: false }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      outgoing.on("error", () => response.destroy());
      incoming.on("error", () => outgoing.destroy());
      incoming.pipe(outgoing);
    });
    await new Promise<void>((resolve) => server.listen(0, host, resolve));
    atEndOfFile(async () => void server.close());
    const { port } = server.address() as { port: number }; // of a server that listens
    return { site: `http://${host}:${port}`, realm };
  }

  test("the probe passes on two nodes", { timeout: 180_000 }, async () => {
    const { site, realm } = await startSite();
    const other = await newDirectory(await newRealm());
    const child = spawn(process.execPath, [join(probe, "scim.mjs"), "--quiet"], {
      env: {
        SITE: site,
        OWNER_EMAIL: realm.admin.email,
        OWNER_API_KEY: realm.admin.apiKey,
        OTHER_SCIM_TOKEN: other.token,
        CROWD: "20",
      },
    });
    let output = "";
    for await (const chunk of child.stdout) output += String(chunk);

    expect(output).toMatch(/\n\d{3} checks: \d+ ok, 0 failed, 0 skipped\n/);
  });
});
