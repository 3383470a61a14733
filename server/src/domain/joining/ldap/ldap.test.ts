/** Signing in with the names and passwords of an LDAP directory, on a real one. */
import { createServer, type AddressInfo } from "node:net";
import { fetchApiKey } from "@skein/api/authentication.ts";
import { getAuditLog } from "@skein/api/audit-log.ts";
import {
  createIdentityProvider,
  syncIdentityProvider,
  testIdentityProvider,
  updateIdentityProvider,
  type IdentityProvider,
} from "@skein/api/identity-providers.ts";
import { updateRealm } from "@skein/api/realm-settings.ts";
import { getServerSettings } from "@skein/api/server-settings.ts";
import { createUserGroup, getUserGroupMembers } from "@skein/api/user-groups.ts";
import { deactivateUser, getUser } from "@skein/api/users.ts";
import { sql } from "kysely";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { codeAt, withApp } from "../../../../test/authenticator-app.ts";
import { CommandLine } from "../../../../test/command-line.ts";
import { atEndOfFile } from "../../../../test/end-of-file.ts";
import { reader, startLdapServer, type LdapOrganization, type LdapServer } from "../../../../test/ldap-server.ts";
import { startNode } from "../../../../test/nodes.ts";
import { startOwnServer, type OwnServer } from "../../../../test/own-server.ts";
import { newRealm, success, type TestRealm } from "../../../../test/realm.ts";
import { selfSigned } from "../../../../test/self-signed.ts";
import { TestBrowser, withPassword, type Visited } from "../../../../test/test-browser.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { claimProvider, sync, syncDue, type ChangeInTransaction } from "./sync/run.ts";

let ldap: LdapServer;
/** It has no workers, so that each test says when accounts are synced. */
let server: OwnServer;
let realm: TestRealm;
let directory: LdapOrganization;
beforeAll(async () => {
  [ldap, server] = await Promise.all([startLdapServer(), startOwnServer()]);
});
beforeEach(async () => {
  [realm, directory] = await Promise.all([newRealm([server]), ldap.organization()]);
});

/** Another node of the same server. */
const another = (environment: Record<string, string> = {}) => {
  const { databaseUrl, logName } = server.ctx.config;
  const same = { SKEIN_DATABASE_URL: databaseUrl, SKEIN_LOG_NAME: logName, SKEIN_ROLES: "api" };
  return startNode({ environment: { ...same, ...environment } });
};

const settings = () => ({
  url: ldap.url,
  bind_dn: reader.dn,
  bind_password: reader.password,
  user_base: directory.people,
  user_filter: "(&(objectClass=inetOrgPerson)(|(uid={login})(mail={login})))",
});

const add = async (given: Record<string, unknown> = {}, more: object = {}): Promise<IdentityProvider> => {
  const made = { kind: "ldap" as const, key: "harbor", name: "Harbor ID", ldap: { ...settings(), ...more }, ...given };
  return success(await realm.admin.call(createIdentityProvider, made)).identity_provider;
};
const update = async (provider_id: number, ldapChange: object) =>
  success(await realm.admin.call(updateIdentityProvider, { provider_id, ldap: ldapChange })).identity_provider;

const path = "/accounts/login/social/ldap/harbor";
const logIn = (username: string, password: string, browser = new TestBrowser(realm)): Promise<Visited> =>
  browser.send(path, { username, password });
const whoIs = async (browser: TestBrowser): Promise<number> =>
  Number((await browser.call("GET", "/users/me"))["user_id"]);

/** Signs somebody in, who must succeed; returns the account's id. */
async function enter(uid: string, username = uid): Promise<number> {
  const browser = new TestBrowser(realm);
  expect(await logIn(username, `${uid}-secret`, browser)).toMatchObject({ status: 303, location: "/" });
  return whoIs(browser);
}

const userOf = async (user_id: number) => success(await realm.admin.call(getUser, { user_id })).user;
const log = async (...action: string[]) =>
  success(await realm.admin.call(getAuditLog, { action, limit: 50 })).entries.toReversed();
const problemOf = async ({ id }: IdentityProvider) =>
  success(await realm.admin.call(testIdentityProvider, { provider_id: id })).problem;
const newGroup = async (name: string): Promise<number> =>
  success(await realm.admin.call(createUserGroup, { name, description: "", members: [realm.admin.id] })).group_id;
const membersOf = async (user_group_id: number): Promise<number[]> =>
  success(await realm.admin.call(getUserGroupMembers, { user_group_id })).members;

test("a person gets an account with their name and keeps it; the password is never an empty one or another's", async () => {
  const provider = await add({ allowed_domains: ["harbor.test"] });
  const dn = await directory.person("mira", { cn: "Mira Lindqvist", mail: "Mira@harbor.test" });
  await directory.person("tomas", { mail: "tomas@elsewhere.test" });

  expect((await new TestBrowser(realm).open(path)).html).toContain("Sign in with Harbor ID");
  const id = await enter("mira");
  expect(await userOf(id)).toMatchObject({ full_name: "Mira Lindqvist", delivery_email: "mira@harbor.test" });
  await ldap.set(dn, { mail: "mira.new@harbor.test" });
  expect(await enter("mira", "mira.new@harbor.test")).toBe(id);

  const pages = [
    await logIn("mira", "tomas-secret"),
    await logIn("nobody", "nobody-secret"),
    await logIn("mira", ""),
    await logIn("", "mira-secret"),
  ];
  const texts = new Set(pages.map(({ html }) => html.replaceAll(/value="[^"]*"| autofocus/g, "")));
  expect(pages.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
  expect(texts.size).toBe(1);
  expect([...texts][0]).toContain("Wrong user name or password.");
  const refused = await logIn("tomas", "tomas-secret");
  expect(refused.html).toContain("may not vouch for");
  expect((await log("sign_in.success")).map(({ after }) => after?.["method"])).toEqual(["ldap:harbor", "ldap:harbor"]);
  const failures = await log("sign_in.failure");
  expect(failures.map(({ after }) => after)).toEqual(
    [...pages, refused].map(() => ({ method: "ldap", reason: "unknown_account" })),
  );
  expect(provider).toMatchObject({ kind: "ldap", has_client_secret: false, ldap: { has_bind_password: true } });
  expect(JSON.stringify([provider, await log("identity_provider.create")])).not.toContain(reader.password);
});

test("nothing that is typed as a name changes the filter, and a name of several people is nobody's", async () => {
  await add();
  const odd = String.raw`a*b(c)\d`;
  await directory.person(odd, { mail: "odd@harbor.test" });
  await directory.person("twin", { mail: "same@harbor.test" });
  await directory.person("other", { mail: "same@harbor.test", userPassword: "twin-secret" });

  const names = ["*", "twi*", "twin)(uid=*", "*)(|(uid=*", String.raw`\2a`, "same@harbor.test"];
  for (const name of names) expect((await logIn(name, "twin-secret")).status, name).toBe(401);
  expect((await logIn("a*", `${odd}-secret`)).status).toBe(401);
  await enter(odd);
});

test("an address or a name in the usual form is tried at the directory, too, and apps get a key", async () => {
  const provider = await add();
  await directory.person("mira", { mail: "mira@harbor.test" });
  const hamlet = await withPassword(realm, "hamlet");
  const key = async (username: string, password: string) =>
    realm.client(server).call(fetchApiKey, { username, password });
  const usual = (username: string, password: string) =>
    new TestBrowser(realm).send("/accounts/login/", { username, password });

  const made = success(await key("mira", "mira-secret"));
  expect(made).toMatchObject({ email: "mira@harbor.test" });
  expect((await usual("mira@harbor.test", "mira-secret")).status).toBe(303);
  expect((await new TestBrowser(realm).signIn(hamlet)).status).toBe(303);
  expect((await usual("mira", "wrong")).status).toBe(401);
  expect(await key("mira", "")).toMatchObject({ code: "AUTHENTICATION_FAILED" });
  expect(await log("sign_in.failure")).toHaveLength(2);
  expect(success(await realm.client(server).call(getServerSettings, {}))).toMatchObject({
    authentication_methods: { ldap: true, password: true, email: true },
    require_email_format_usernames: false,
    external_authentication_methods: [{ name: "ldap:harbor", login_url: path }],
  });

  const owner = await enter("mira");
  await sql`update users set role = 100 where id = ${owner}`.execute(server.ctx.db);
  await sql`update realms set only_identity_provider_id = ${provider.id} where id = ${realm.id}`.execute(server.ctx.db);
  expect((await new TestBrowser(realm).signIn(hamlet)).status).toBe(401);
  expect(success(await key("mira", "mira-secret")).user_id).toBe(owner);
  expect((await new TestBrowser(realm).open("/login/")).html).toContain("E-mail address or user name");
});

test("whoever has a second factor here is asked for it after the directory's password", async () => {
  await add();
  const hamlet = await realm.user("hamlet");
  await directory.person("hamlet", { mail: hamlet.email });
  const { secret } = await withApp(hamlet);
  const browser = new TestBrowser(realm);

  const asked = await logIn("hamlet", "hamlet-secret", browser);
  expect(asked.location).toBe("/accounts/login/second_factor/");
  expect(browser.cookies.has("sessionid")).toBe(false);
  const code = { second_factor_code: codeAt(secret) };
  expect(await browser.send(asked.location ?? "", code)).toMatchObject({ status: 303, location: "/" });

  expect(await whoIs(browser)).toBe(hamlet.id);
  expect((await log("sign_in.success")).at(-1)?.after).toEqual({ method: "ldap:harbor", second_factor: "totp" });
  const password = { username: "hamlet", password: "hamlet-secret" };
  expect(await realm.client(server).call(fetchApiKey, password)).toMatchObject({ code: "SECOND_FACTOR_REQUIRED" });
});

test("where second factors are required, a directory's password does not stand for one", async () => {
  await add();
  await directory.person("mira", { mail: "mira@harbor.test" });
  const browser = new TestBrowser(realm);
  expect((await logIn("mira", "mira-secret", browser)).status).toBe(303);
  const mira = await whoIs(browser);
  expect(mira).toBeGreaterThan(0);

  await withApp(realm.admin);
  success(await realm.admin.call(updateRealm, { second_factor_required_for: "everyone" }));

  expect(await whoIs(browser)).toBeNaN();
  const asked = await logIn("mira", "mira-secret", new TestBrowser(realm));
  expect(asked.location).toBe("/accounts/login/set_up_second_factor/");
  const password = { username: "mira", password: "mira-secret" };
  const refused = await realm.client(server).call(fetchApiKey, password);
  expect(refused).toMatchObject({ code: "SECOND_FACTOR_SETUP_REQUIRED" });
});

test("many attempts have to wait, and successful ones do not count", async () => {
  const limited = await another({ SKEIN_RATE_LIMITS: "true" });
  await add();
  await directory.person("mira", { mail: "mira@harbor.test" });
  const browser = () => new TestBrowser({ host: realm.host, nodes: [limited] });

  for (let n = 0; n < 6; n++) expect((await logIn("mira", "mira-secret", browser())).status).toBe(303);
  for (let n = 0; n < 5; n++) expect((await logIn("mira", "wrong", browser())).status).toBe(401);

  expect((await logIn("mira", "mira-secret", browser())).html).toContain("Too many attempts.");
});

test("groups are followed through other groups, by a search or by memberOf, and only below their base", async () => {
  const [crew, pilots, far] = [await newGroup("crew"), await newGroup("pilots"), await newGroup("far")];
  const mira = await directory.person("mira", { mail: "mira@harbor.test" });
  const inner = await directory.group("pilots", [mira]);
  const outer = await directory.group("Crew", [inner]);
  await directory.group("loop", [outer]);
  await ldap.set(inner, { member: [mira, `cn=loop,${directory.groups}`] });
  const elsewhere = `cn=far,${directory.people}`;
  await ldap.add(elsewhere, { objectClass: "groupOfNames", cn: "far", member: mira });
  const group_map = { [outer.toUpperCase()]: crew, pilots, far };
  const provider = await add({ group_map }, { group_base: directory.groups });
  const groups = async (id: number) =>
    Promise.all([crew, pilots, far].map(async (g) => (await membersOf(g)).includes(id)));

  const id = await enter("mira");
  expect(await groups(id)).toEqual([true, true, false]);
  await update(provider.id, { nested_groups: false });
  await enter("mira");
  expect(await groups(id)).toEqual([false, true, false]);
  success(await realm.admin.call(updateIdentityProvider, { provider_id: provider.id, groups_claim: "memberOf" }));
  await update(provider.id, { nested_groups: true, group_base: "" });
  await enter("mira");
  expect(await groups(id)).toEqual([true, true, true]);
});

test("people of Active Directory are known by their objectGUID, and disabled ones do not get in", async () => {
  await add({}, { id_attribute: "objectGUID" });
  const objectGUID = Buffer.from("33221100554477668899aabbccddeeff", "hex");
  const dn = await directory.person("mira", { mail: "mira@harbor.test", objectGUID, userAccountControl: "512" });

  const id = await enter("mira");
  const { rows } = await sql`select subject from external_identities where user_id = ${id}`.execute(server.ctx.db);
  expect(rows).toEqual([{ subject: "00112233-4455-6677-8899-aabbccddeeff" }]);
  await ldap.set(dn, { userAccountControl: "514" });
  expect((await logIn("mira", "mira-secret")).status).toBe(401);
});

test("connections are encrypted with a certificate that is trusted, or not made at all", async () => {
  const { certificatePem } = ldap.certificate;
  const other = selfSigned("ldap.harbor.test").certificatePem;
  await directory.person("mira", { mail: "mira@harbor.test" });
  const tls = await add({}, { url: ldap.secureUrl, ca_certificate: certificatePem });
  const started = await add({ key: "started" }, { start_tls: true, ca_certificate: certificatePem });

  expect(await problemOf(tls)).toBeNull();
  expect(await problemOf(started)).toBeNull();
  await enter("mira");
  await update(tls.id, { ca_certificate: "" });
  expect(await problemOf(tls)).toMatch(/connecting: the connection failed \((DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED)/);
  expect((await logIn("mira", "mira-secret")).status).toBe(502);
  await update(tls.id, { ca_certificate: other });
  expect(await problemOf(tls)).toContain("connecting: the connection failed");
  await update(started.id, { ca_certificate: other });
  expect(await problemOf(started)).toContain("StartTLS: ");
  await update(tls.id, { url: "ldaps://127.0.0.2", bind_password: reader.password });
  expect(await problemOf(tls)).toContain("127.0.0.2 is not on the public Internet");
});

test("a connection that ends after StartTLS is not made again without it", async () => {
  const received: Buffer[] = [];
  let connections = 0;
  // It agrees to StartTLS, and closes the connection instead.
  const liar = createServer((socket) => {
    connections++;
    socket.on("error", () => undefined);
    socket.on("data", (bytes) => {
      received.push(bytes);
      const id = bytes[4] ?? 0;
      const isTls = bytes[0] === 0x16;
      if (isTls) socket.destroy();
      else socket.write(Buffer.from([0x30, 0x0c, 0x02, 0x01, id, 0x78, 0x07, 0x0a, 0x01, 0, 0x04, 0, 0x04, 0]));
    });
  });
  await new Promise<void>((resolve) => liar.listen(0, "127.0.0.1", resolve));
  atEndOfFile(() => liar.close());
  const { port } = liar.address() as AddressInfo; // a TCP server's
  const provider = await add({}, { url: `ldap://127.0.0.1:${port}`, start_tls: true });

  expect(await problemOf(provider)).toContain("StartTLS: ");
  expect(connections).toBe(1);
  expect(Buffer.concat(received).includes(reader.password)).toBe(false);
});

test("settings are checked, and the password of the searching account is not sent to another host", async () => {
  const provider = await add();
  const refused = async (change: object) =>
    (await realm.admin.call(updateIdentityProvider, { provider_id: provider.id, ldap: change })).msg;

  expect(await refused({ url: "https://example.com" })).toContain("ldaps://");
  expect(await refused({ url: "ldap://ldap.example.com", bind_password: "x" })).toContain("start_tls");
  expect(await refused({ url: "ldaps://ldap.example.com" })).toContain("Enter ldap.bind_password again");
  expect(await refused({ user_filter: "(uid=mira)" })).toContain("{login}");
  expect(await refused({ user_filter: "(uid={login}" })).toContain("no LDAP filter");
  expect(await refused({ user_base: "" })).toContain("user_base");
  expect(await refused({ bind_password: "" })).toContain("belong together");
  expect(await refused({ ca_certificate: "x" })).toContain("PEM");
  expect(await refused({ group_filter: "(member=x)" })).toContain("{dn}");
  const call = (given: object) =>
    realm.admin.call(createIdentityProvider, { kind: "ldap", key: "second", name: "x", ldap: settings(), ...given });
  expect(await call({ issuer: "https://x.test" })).toMatchObject({ msg: "issuer is not for LDAP providers." });
  expect(await call({ kind: "saml" })).toMatchObject({ msg: "ldap is for LDAP providers only." });
  await update(provider.id, { bind_password: "wrong" });
  expect(await problemOf(provider)).toBe("the directory refused bind_dn or bind_password");
});

/** Runs a command of the operator, for this organization. */
const skein = async (...args: string[]): Promise<unknown> => {
  const { databaseUrl, secret } = server.ctx.config;
  const environment = { SKEIN_DATABASE_URL: databaseUrl, SKEIN_SECRET: secret, SKEIN_OUTBOUND_ALLOW: "127.0.0.1" };
  const [name = ""] = realm.host.split(".");
  return new CommandLine(environment).json(...args, "--realm", name);
};

const withSync = (more: object = {}) => ({ sync: { is_enabled: true, max_deactivation_percent: 100, ...more } });
/** As if the interval were over. */
const syncNow = async (): Promise<void> => {
  await sql`update ldap_syncs set next_at = now() where realm_id = ${realm.id}`.execute(server.ctx.db);
  await syncDue(server.ctx);
};
const plan = async ({ id }: IdentityProvider) =>
  success(await realm.admin.call(syncIdentityProvider, { provider_id: id })).plan;
const resultOf = async () => {
  const { rows } = await sql`
    select problem, people, changes, deactivations from ldap_syncs where realm_id = ${realm.id}`.execute(server.ctx.db);
  return rows[0];
};

test("a sync follows names, addresses and groups, and whoever leaves and returns; a dry run changes nothing", async () => {
  const crew = await newGroup("crew");
  const provider = await add({ group_map: { crew } }, { group_base: directory.groups, ...withSync() });
  const people = {
    mira: { mail: "mira@harbor.test" },
    tomas: { mail: "tomas@harbor.test" },
    ada: { mail: "ada@harbor.test" },
  };
  const dns = new Map<string, string>();
  const ids = new Map<string, number>();
  for (const [uid, more] of Object.entries(people)) {
    dns.set(uid, await directory.person(uid, more));
    ids.set(uid, await enter(uid));
  }
  const [mira = 0, tomas = 0, ada = 0] = ["mira", "tomas", "ada"].map((uid) => ids.get(uid));
  await syncNow();
  expect(await resultOf()).toEqual({ problem: null, people: 3, changes: 0, deactivations: 0 });

  await directory.group("crew", [dns.get("mira") ?? ""]);
  await ldap.set(dns.get("mira") ?? "", { cn: "Mira Sol", mail: "sol@harbor.test" });
  await ldap.set(dns.get("ada") ?? "", { userAccountControl: "514" });
  const tomasKey = success(
    await realm.client(server).call(fetchApiKey, { username: "tomas", password: "tomas-secret" }),
  );
  await ldap.remove(dns.get("tomas") ?? "");
  const none = { before: null, after: null, user_group_id: null };
  const wanted = [
    { ...none, user_id: mira, kind: "rename", before: "mira", after: "Mira Sol" },
    { ...none, user_id: mira, kind: "change_email", before: "mira@harbor.test", after: "sol@harbor.test" },
    { ...none, user_id: mira, kind: "join_group", user_group_id: crew },
    { ...none, user_id: tomas, kind: "deactivate" },
    { ...none, user_id: ada, kind: "deactivate" },
  ];
  const preview = await plan(provider);
  expect(preview).toMatchObject({ people: 2, accounts: 3, change_count: 5, deactivations: 2, problem: null });
  expect(preview?.changes).toEqual(wanted);
  expect(await userOf(mira)).toMatchObject({ full_name: "mira", delivery_email: "mira@harbor.test" });
  expect(await userOf(tomas)).toMatchObject({ is_active: true });

  await syncNow();
  expect(await resultOf()).toEqual({ problem: null, people: 2, changes: 5, deactivations: 2 });
  expect(await userOf(mira)).toMatchObject({ full_name: "Mira Sol", delivery_email: "sol@harbor.test" });
  expect(await membersOf(crew)).toContain(mira);
  expect([(await userOf(tomas)).is_active, (await userOf(ada)).is_active]).toEqual([false, false]);
  const old = realm.client(server, { email: "tomas@harbor.test", apiKey: tomasKey.api_key });
  expect(await old.call(getUser, { user_id: mira })).toMatchObject({ result: "error" });
  const entries = await log("user.update", "user.deactivate", "user_group.add_members");
  expect(entries.filter(({ actor }) => actor.kind === "identity_provider")).toMatchObject([
    { actor: { id: provider.id }, action: "user.update", target: { id: mira }, after: { full_name: "Mira Sol" } },
    { action: "user_group.add_members", target: { id: crew }, after: { user_id: mira, identity_provider: "harbor" } },
    { action: "user.deactivate", target: { id: tomas } },
    { action: "user.deactivate", target: { id: ada } },
  ]);

  await ldap.set(dns.get("ada") ?? "", { userAccountControl: "512" });
  success(await realm.admin.call(deactivateUser, { user_id: mira }));
  await syncNow();
  // Whom an administrator has deactivated stays so.
  expect([(await userOf(ada)).is_active, (await userOf(mira)).is_active]).toEqual([true, false]);
  expect((await log("user.reactivate")).map(({ actor, target }) => [actor.kind, target.id])).toEqual([
    ["identity_provider", ada],
  ]);
  const members = await realm.user("member");
  expect(await members.call(syncIdentityProvider, { provider_id: provider.id })).toMatchObject({ result: "error" });
});

test("a sync that would deactivate too many people changes nothing, and says what to do", async () => {
  const provider = await add({}, withSync({ max_deactivations: 1 }));
  const dns = new Map<string, string>();
  const ids: number[] = [];
  for (const uid of ["mira", "tomas", "ada"]) {
    dns.set(uid, await directory.person(uid, { mail: `${uid}@harbor.test` }));
    ids.push(await enter(uid));
  }
  await ldap.set(dns.get("mira") ?? "", { cn: "Mira Sol" });
  await update(provider.id, { user_filter: "(&(uid={login})(!(|(uid=tomas)(uid=ada))))" });

  await syncNow();
  const refusal = /^2 of 3 people would be deactivated, and one sync may deactivate 1\. .*--max-deactivations 2/;
  expect(await resultOf()).toMatchObject({ problem: expect.stringMatching(refusal), changes: 0 });
  expect(await plan(provider)).toMatchObject({ problem: expect.stringMatching(refusal), deactivations: 2 });
  const dryRun = await skein("ldap", "sync", "--dry-run", "--max-deactivations", "2");
  expect(dryRun).toMatchObject({ change_count: 3, deactivations: 2, problem: null });
  expect(await userOf(ids[0] ?? 0)).toMatchObject({ full_name: "mira" });
  await update(provider.id, { user_base: `ou=gone,${directory.people}` });
  await syncNow();
  expect(await resultOf()).toMatchObject({ problem: expect.stringContaining("searching: "), changes: 0 });
  expect(await Promise.all(ids.map(async (id) => (await userOf(id)).is_active))).toEqual([true, true, true]);

  await update(provider.id, { user_base: directory.people });
  expect(await skein("ldap", "sync", "--max-deactivations", "2")).toEqual({ changes: 3, deactivations: 2 });
  expect(await Promise.all(ids.map(async (id) => (await userOf(id)).is_active))).toEqual([true, false, false]);
});

test("of several workers one syncs, and one whose claim is over changes nothing more", async () => {
  const second = await another();
  const provider = await add({}, withSync({ interval_minutes: 5 }));
  const dn = await directory.person("mira", { mail: "mira@harbor.test" });
  const id = await enter("mira");
  await ldap.set(dn, { cn: "Mira Sol" });
  await sql`update ldap_syncs set next_at = now() where realm_id = ${realm.id}`.execute(server.ctx.db);
  const claims = async () => {
    const { rows } = await sql<{ claim: number; next: number }>`
      select claim, extract(epoch from next_at - now())::float8 as next from ldap_syncs where provider_id = ${provider.id}`.execute(
      server.ctx.db,
    );
    return rows[0];
  };

  const before = (await claims())?.claim ?? 0;
  await Promise.all([server, second, server, second].map(({ ctx }) => syncDue(ctx)));

  expect(await claims()).toMatchObject({ claim: before + 1, next: expect.closeTo(300, -2) });
  expect(await log("user.update")).toHaveLength(1);
  expect(await userOf(id)).toMatchObject({ full_name: "Mira Sol" });

  // A worker that was too slow: another one has claimed the provider meanwhile.
  await ldap.set(dn, { cn: "Mira Luna" });
  const claim = await claimProvider(server.ctx.db, provider);
  if (!claim) throw new Error("nobody else has claimed it");
  expect(await claimProvider(server.ctx.db, provider)).toBeUndefined();
  const late = { ...claim, claim: claim.claim - 1 };
  const change: ChangeInTransaction = (name, act) => transaction(server.ctx.db, name, act);
  expect(await sync(server.ctx, late, { change })).toMatchObject({ changes: 0, problem: "another sync has begun" });
  expect(await userOf(id)).toMatchObject({ full_name: "Mira Sol" });
});
