/** Single sign-on of an organization: its owners' settings, who gets which account, and how sessions end. */
import { createHmac, randomBytes } from "node:crypto";
import { getAuditLog } from "@skein/api/audit-log.ts";
import { fetchApiKey } from "@skein/api/authentication.ts";
import {
  createIdentityProvider,
  deleteIdentityProvider,
  getIdentityProviders,
  testIdentityProvider,
  updateIdentityProvider,
  type IdentityProvider,
} from "@skein/api/identity-providers.ts";
import { sendInvitations } from "@skein/api/invitations.ts";
import { updateRealm } from "@skein/api/realm-settings.ts";
import { getServerSettings } from "@skein/api/server-settings.ts";
import { createUserGroup, getUserGroupMembers } from "@skein/api/user-groups.ts";
import { getUser } from "@skein/api/users.ts";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { withApp } from "../../../../test/authenticator-app.ts";
import { Commands } from "../../../../test/commands.ts";
import { nodes } from "../../../../test/nodes.ts";
import { TestProvider, type Claims, type SigningIn } from "../../../../test/openid-provider.ts";
import { ProviderBrowser, realClient, startRealProvider } from "../../../../test/real-openid-provider.ts";
import { newRealm, success, TestUser, type TestRealm } from "../../../../test/realm.ts";
import { newAddress, password, TestBrowser, withPassword } from "../../../../test/test-browser.ts";

let provider: TestProvider;
let realm: TestRealm;
beforeAll(async () => {
  provider = await TestProvider.start();
  await nodes();
});
beforeEach(async () => {
  realm = await newRealm();
});

type Options = Partial<Parameters<typeof add>[1]>;
const add = async (
  { admin }: TestRealm,
  given: { key?: string; [name: string]: unknown } = {},
): Promise<IdentityProvider> => {
  const client = { issuer: provider.url, client_id: provider.clientId, client_secret: provider.clientSecret };
  const made = await admin.call(createIdentityProvider, { key: "harbor", name: "Harbor ID", ...client, ...given });
  return success(made).identity_provider;
};

const update = async ({ id }: IdentityProvider, change: Options) =>
  realm.admin.call(updateIdentityProvider, { provider_id: id, ...change });

const begin = "/accounts/login/social/oidc/harbor";
const aboutUser = ({ email }: { email: string }): Claims => ({ sub: `of ${email}`, email, email_verified: true });

/** The path that the provider redirects the browser to. */
function backFrom(location: string | undefined, signingIn: SigningIn): string {
  const { pathname, search } = new URL(provider.signIn(location ?? "", signingIn));
  return pathname + search;
}

async function signIn(browser: TestBrowser, claims: Claims, path = begin) {
  const { location } = await browser.open(path);
  return browser.open(backFrom(location, { claims }));
}

const isSignedIn = (browser: TestBrowser): boolean => browser.cookies.has("sessionid");
const whoIs = async (browser: TestBrowser, node = 0): Promise<unknown> =>
  (await browser.call("GET", "/users/me", {}, { node }))["user_id"];

/** Signs somebody in, who must succeed; returns the account's id. */
async function enter(claims: Claims, browser = new TestBrowser(realm)): Promise<number> {
  expect(await signIn(browser, claims)).toMatchObject({ status: 303, location: "/" });
  return Number(await whoIs(browser));
}

const entries = async (action: string) =>
  success(await realm.admin.call(getAuditLog, { action: [action], limit: 100 })).entries;
const countEntries = async (): Promise<number> =>
  success(await realm.admin.call(getAuditLog, { limit: 1 })).entries[0]?.id ?? 0;

test("owners add, change and remove providers; each change is recorded once, and no response has the secret", async () => {
  const before = await countEntries();
  const made = await add(realm);
  const renamed = success(await update(made, { name: "Harbor", allowed_domains: ["Example.com"] }));
  const unchanged = success(await update(made, { name: "Harbor" }));
  const listed = await realm.admin.request("GET", "/realm/identity_providers");
  const recorded = await countEntries();
  const withSecret = success(await update(made, { client_secret: "another secret" }));
  const { rows } = await realm.ctx.db
    .selectFrom("identity_providers")
    .selectAll()
    .where("realm_id", "=", realm.id)
    .execute()
    .then((found) => ({ rows: found }));
  success(await realm.admin.call(deleteIdentityProvider, { provider_id: made.id }));

  expect(made).toMatchObject({
    key: "harbor",
    has_client_secret: true,
    is_enabled: true,
    is_only: false,
    redirect_uri: expect.stringMatching(/^http:.*\/complete\/oidc\/harbor\/$/),
    backchannel_logout_uri: expect.stringMatching(/\/complete\/oidc\/harbor\/backchannel-logout$/),
  });
  expect(renamed.identity_provider).toMatchObject({ name: "Harbor", allowed_domains: ["example.com"] });
  expect(unchanged.identity_provider).toEqual(renamed.identity_provider);
  expect(JSON.stringify([made, renamed, withSecret, listed, rows])).not.toContain("secret: &");
  expect(JSON.stringify([withSecret, rows])).not.toContain("another secret");
  expect([recorded - before, (await countEntries()) - before]).toEqual([2, 4]);
  expect(await entries("identity_provider.update")).toMatchObject([
    { target: { kind: "identity_provider", id: made.id }, before: null, after: null },
    { before: { name: "Harbor ID", allowed_domains: [] }, after: { name: "Harbor", allowed_domains: ["example.com"] } },
  ]);
  expect(success(await realm.admin.call(getIdentityProviders, {})).identity_providers).toEqual([]);
});

test("whoever the provider vouches for needs no second factor here, and stays signed in when it becomes required", async () => {
  await add(realm);
  await withApp(realm.admin);
  const hamlet = await withPassword(realm, "hamlet");
  const [before, by] = [new TestBrowser(realm), new TestBrowser(realm)];
  await enter(aboutUser(hamlet), before);
  await by.signIn(hamlet);

  success(await realm.admin.call(updateRealm, { second_factor_required_for: "members" }));

  expect([await whoIs(before), await whoIs(by)]).toEqual([hamlet.id, undefined]);
  expect(await enter(aboutUser(hamlet))).toBe(hamlet.id);
  expect((await by.signIn(hamlet)).location).toBe("/accounts/login/set_up_second_factor/");
});

test("administrators can see and test providers but not change them; others can do neither", async () => {
  const made = await add(realm);
  const [administrator, member] = [await realm.user("admin", { role: 200 }), await realm.user("hamlet")];
  const call = { key: "evil", name: "Evil", issuer: "https://id.example.com", client_id: "x" };

  expect(success(await administrator.call(getIdentityProviders, {})).identity_providers).toHaveLength(1);
  const refused = { msg: "Must be an organization owner" };
  expect(await administrator.call(createIdentityProvider, call)).toMatchObject(refused);
  expect(await administrator.call(updateIdentityProvider, { provider_id: made.id, name: "x" })).toMatchObject(refused);
  expect(await administrator.call(deleteIdentityProvider, { provider_id: made.id })).toMatchObject(refused);
  const notForMembers = { msg: "Must be an organization administrator" };
  expect(await member.call(getIdentityProviders, {})).toMatchObject(notForMembers);
  expect(await member.call(testIdentityProvider, { provider_id: made.id })).toMatchObject(notForMembers);
});

test.for<[string, object, string]>([
  ["a key with a slash", { key: "a/b" }, "key must consist of"],
  ["a plain issuer elsewhere", { issuer: "http://id.example.com" }, "issuer must begin with https://"],
  ["an issuer with a password", { issuer: "https://a:b@id.example.com" }, "issuer must contain no user name"],
  ["an empty client", { client_id: " " }, "client_id must not be empty"],
  ["two scopes in one", { scopes: ["a b"] }, "Invalid scope"],
  ["a domain without a dot", { allowed_domains: ["localhost"] }, "Invalid domain"],
  ["a name that cannot be stored", { group_map: { "\0": 1 } }, "contain a NULL character"],
  ["an unknown group", { group_map: { pilots: 987_654_321 } }, "Invalid user group ID"],
])("%s is refused", async ([, wrong, message]) => {
  const call = { key: "harbor", name: "Harbor", issuer: "https://id.example.com", client_id: "skein", ...wrong };

  expect(await realm.admin.call(createIdentityProvider, call)).toMatchObject({
    result: "error",
    msg: expect.stringContaining(message),
  });
  expect(success(await realm.admin.call(getIdentityProviders, {})).identity_providers).toEqual([]);
});

test("a test states what is wrong, and reaches no address that the operator has not allowed", async () => {
  const check = async (made: IdentityProvider) =>
    success(await realm.admin.call(testIdentityProvider, { provider_id: made.id }));
  const inside = await add(realm, { key: "inside", issuer: "https://127.0.0.9" });
  const good = await add(realm);

  expect(await check(inside)).toMatchObject({ problem: expect.stringContaining("is not on the public Internet") });
  expect(await check(good)).toMatchObject({ problem: null, algorithms: expect.arrayContaining(["RS256"]) });
  expect((await new TestBrowser(realm).open(begin.replace("harbor", "inside"))).status).toBe(502);
  expect(await add(realm, { key: "again" }).then(({ key }) => key)).toBe("again");
  expect(
    await realm.admin.call(createIdentityProvider, {
      key: "again",
      name: "x",
      issuer: "https://id.example.com",
      client_id: "x",
    }),
  ).toMatchObject({ msg: "There is already an identity provider with the key again." });
});

test("clients and the sign-in page list the enabled providers of the organization, and of no other", async () => {
  const made = await add(realm);
  await add(realm, { key: "second", name: "Second" });
  const elsewhere = await newRealm();
  const [node] = realm.nodes;
  if (!node) throw new Error("a realm has at least one node");
  const listed = async (at: TestRealm) =>
    success(await at.client(node).call(getServerSettings, {})).external_authentication_methods;

  expect(await listed(realm)).toMatchObject([
    { name: "oidc:harbor", display_name: "Harbor ID", login_url: begin },
    { name: "oidc:second" },
  ]);
  expect((await new TestBrowser(realm).open("/login/?next=/%23inbox")).html).toContain(
    `<a class="button" href="${begin}?next=%2F%23inbox">Sign in with Harbor ID</a>`,
  );
  expect(await listed(elsewhere)).toEqual([]);
  expect((await new TestBrowser(elsewhere).open(begin)).status).toBe(404);
  success(await update(made, { is_enabled: false }));
  expect(await listed(realm)).toMatchObject([{ name: "oidc:second" }]);
  expect((await new TestBrowser(realm).open(begin)).status).toBe(404);
});

test("a new person gets an account, and keeps it when their address changes at the provider", async () => {
  await realm.ctx.db.updateTable("realms").set({ invite_required: true }).where("id", "=", realm.id).execute();
  await add(realm);
  const email = newAddress();
  const browser = new TestBrowser(realm);

  const id = await enter({ ...aboutUser({ email }), name: '  Mira "M" Lindqvist@home  ' }, browser);
  const again = await enter({ sub: `of ${email}`, email: newAddress(), email_verified: false });

  expect(again).toBe(id);
  expect(await whoIs(browser, 1)).toBe(id);
  expect(success(await realm.admin.call(getUser, { user_id: id })).user).toMatchObject({
    full_name: "Mira M Lindqvist home",
    delivery_email: email,
    role: 400,
  });
  expect(await entries("user.create")).toMatchObject([
    { actor: { kind: "system" }, target: { id }, after: { email, identity_provider: "harbor" } },
  ]);
  expect(await entries("sign_in.success")).toMatchObject([
    { after: { method: "oidc:harbor" } },
    { after: { method: "oidc:harbor" } },
  ]);
});

test("an existing account is linked by a verified address only, once", async () => {
  await add(realm);
  const hamlet = await realm.user("hamlet");
  const refused = async (claims: Claims) => {
    const browser = new TestBrowser(realm);
    const page = await signIn(browser, claims);
    expect(isSignedIn(browser)).toBe(false);
    return page;
  };

  expect(await refused({ ...aboutUser(hamlet), email_verified: false })).toMatchObject({ status: 403 });
  expect(await refused({ ...aboutUser(hamlet), email_verified: undefined })).toMatchObject({ status: 403 });
  expect(await refused({ ...aboutUser(hamlet), email_verified: false, xms_edov: true })).toMatchObject({ status: 403 });
  expect(await enter({ sub: "7", email: hamlet.email.toUpperCase(), xms_edov: "1" })).toBe(hamlet.id);
  expect(await enter({ sub: "7" })).toBe(hamlet.id);
  // Somebody else has the address now.
  expect(await refused({ ...aboutUser(hamlet), sub: "8" })).toMatchObject({
    status: 403,
    html: expect.stringContaining("tied to another person"),
  });
  await realm.ctx.db.updateTable("users").set({ is_active: false }).where("id", "=", hamlet.id).execute();
  expect(await refused({ sub: "7" })).toMatchObject({ status: 401 });
});

test("an address that is verified elsewhere than it is named does not count as verified", async () => {
  await add(realm);
  const hamlet = await realm.user("hamlet");
  const browser = new TestBrowser(realm);
  const { location } = await browser.open(begin);
  const claims = { sub: "7", email_verified: true };

  const page = await browser.open(backFrom(location, { claims, userInfo: { sub: "7", email: hamlet.email } }));

  expect(page.status).toBe(403);
  expect(isSignedIn(browser)).toBe(false);
});

test("a provider vouches for its domains only, and creates accounts only if it may or there is an invitation", async () => {
  const made = await add(realm, { allowed_domains: ["example.com"], creates_accounts: false });
  const invitee = newAddress();
  success(await realm.admin.call(sendInvitations, { invitee_emails: invitee, stream_ids: [], invite_as: 300 }));
  const status = async (claims: Claims) => (await signIn(new TestBrowser(realm), claims)).status;

  expect(await status(aboutUser({ email: newAddress() }))).toBe(403);
  const id = await enter(aboutUser({ email: invitee }));
  expect(success(await realm.admin.call(getUser, { user_id: id })).user.role).toBe(300);
  success(await update(made, { creates_accounts: true }));
  expect(await status(aboutUser({ email: "a@example.com.evil.test" }))).toBe(403);
  expect(await status(aboutUser({ email: "a@evil.test@example.com" }))).toBe(403);
  expect(await status(aboutUser({ email: newAddress() }))).toBe(303);
});

test("groups of the provider become members of user groups at each sign-in", async () => {
  const group = async (name: string) =>
    success(await realm.admin.call(createUserGroup, { name, description: "", members: [realm.admin.id] })).group_id;
  const [pilots, crew, others] = [await group("pilots"), await group("crew"), await group("others")];
  await add(realm, { groups_claim: "groups", group_map: { "/pilots": pilots, crew }, scopes: ["groups"] });
  const members = async (id: number) =>
    success(await realm.admin.call(getUserGroupMembers, { user_group_id: id })).members.filter(
      (member) => member !== realm.admin.id,
    );
  const person = aboutUser({ email: newAddress() });

  const id = await enter({ ...person, groups: ["/pilots", "crew", "others"] });
  expect([await members(pilots), await members(crew), await members(others)]).toEqual([[id], [id], []]);
  await enter(person);
  expect(await members(pilots)).toEqual([id]);
  // One group may come as text.
  await enter({ ...person, groups: "crew" });
  expect([await members(pilots), await members(crew)]).toEqual([[], [id]]);
  await enter({ ...person, groups: [] });
  expect(await members(crew)).toEqual([]);
  expect(success(await realm.admin.call(getUserGroupMembers, { user_group_id: pilots })).members).toEqual([
    realm.admin.id,
  ]);
  expect(await entries("user_group.remove_members")).toMatchObject([
    { target: { id: crew } },
    { target: { id: pilots } },
  ]);
  const asked = await new TestBrowser(realm).open(begin);
  expect(new URL(asked.location ?? "").searchParams.get("scope")).toBe("openid email profile groups");
});

test.for<[string, Claims]>([
  ["a subject that cannot be stored", { sub: "\0" }],
  ["a subject that is too long", { sub: "x".repeat(256) }],
  ["an address that cannot be stored", { email: "a\0@example.com" }],
])("a token with %s is the provider's mistake", async ([, wrong]) => {
  await add(realm);
  const hamlet = await realm.user("hamlet");

  expect((await signIn(new TestBrowser(realm), { ...aboutUser(hamlet), ...wrong })).status).toBe(502);
  expect((await new TestBrowser(realm).open("/accounts/login/social/oidc/%00")).status).toBe(404);
});

test("of two callbacks at once on two nodes, and of a copy later, one succeeds", async () => {
  await add(realm);
  const hamlet = await realm.user("hamlet");
  const browser = new TestBrowser(realm);
  const { location } = await browser.open(begin);
  const path = backFrom(location, { claims: aboutUser(hamlet) });
  const copies = [0, 1, 0, 1].map((node) => {
    const copy = new TestBrowser(realm);
    for (const [name, value] of browser.cookies) copy.cookies.set(name, value);
    return { copy, node };
  });

  const statuses = await Promise.all(copies.map(async ({ copy, node }) => (await copy.open(path, { node })).status));

  expect(statuses.toSorted((a, b) => a - b)).toEqual([303, 400, 400, 400]);
  expect((await browser.open(path)).status).toBe(400);
  expect(copies.filter(({ copy }) => isSignedIn(copy))).toHaveLength(1);
});

test("two first sign-ins of one person at once create one account", async () => {
  await add(realm);
  const claims = aboutUser({ email: newAddress() });
  const browsers = [new TestBrowser(realm), new TestBrowser(realm)];

  const ids = await Promise.all(browsers.map((browser) => enter(claims, browser)));

  expect(ids[0]).toBe(ids[1]);
});

test("a callback belongs to the provider, the organization and the browser that it was begun with", async () => {
  await add(realm);
  await add(realm, { key: "second" });
  const elsewhere = await newRealm();
  await add(elsewhere);
  const hamlet = await realm.user("hamlet");
  const browser = new TestBrowser(realm);
  const { location } = await browser.open(begin);
  const path = backFrom(location, { claims: aboutUser(hamlet) });
  const carrying = (at: TestRealm) => {
    const other = new TestBrowser(at);
    other.cookies.set("openid", browser.cookies.get("openid") ?? "");
    return other;
  };

  expect((await carrying(realm).open(path.replace("harbor", "second"))).status).toBe(400);
  expect((await carrying(elsewhere).open(path)).status).toBe(400);
  expect((await new TestBrowser(realm).open(path)).status).toBe(400);
  expect((await browser.open(path)).status).toBe(303);
});

test("with an only provider every other way to sign in is refused, until the operator accepts them again", async () => {
  const made = await add(realm);
  const { admin } = realm;
  const hamlet = await withPassword(realm, "hamlet");
  const [node] = realm.nodes;
  if (!node) throw new Error("a realm has at least one node");
  const byPassword = () => realm.client(node).call(fetchApiKey, { username: hamlet.email, password });

  expect(await update(made, { is_only: true })).toMatchObject({ msg: expect.stringContaining("yourself before") });
  await enter(aboutUser(admin));
  const before = await countEntries();
  expect(success(await update(made, { is_only: true })).identity_provider.is_only).toBe(true);
  expect((await countEntries()) - before).toBe(1);
  const disabled = { code: "PASSWORD_AUTH_DISABLED" };
  expect(await byPassword()).toMatchObject(disabled);
  expect(await hamlet.request("POST", "/jwt/fetch_api_key", { token: "x" })).toMatchObject({ result: "error" });
  const browser = new TestBrowser(realm);
  await enter(aboutUser(hamlet), browser);
  expect(await browser.call("POST", "/fetch_api_key", { password })).toMatchObject(disabled);
  const stranger = new TestBrowser(realm);
  expect((await stranger.signIn(hamlet)).status).toBe(401);
  expect(isSignedIn(stranger)).toBe(false);
  expect((await stranger.open("/login/")).html).not.toContain('name="password"');
  expect((await stranger.send("/accounts/password/reset/", { email: hamlet.email })).status).toBe(403);
  expect((await stranger.open("/register/")).status).toBe(403);
  expect(success(await realm.client(node).call(getServerSettings, {}))).toMatchObject({
    email_auth_enabled: false,
    authentication_methods: { password: false, "openid connect": true },
  });
  expect(await update(made, { is_enabled: false })).toMatchObject({
    msg: expect.stringContaining("cannot be disabled"),
  });
  expect(await admin.call(deleteIdentityProvider, { provider_id: made.id })).toMatchObject({
    msg: expect.stringContaining("cannot be removed"),
  });

  const skein = new Commands(realm.ctx);
  const { string_id } = await realm.ctx.db
    .selectFrom("realms")
    .select("string_id")
    .where("id", "=", realm.id)
    .executeTakeFirstOrThrow();
  const shown = await skein.json("realm", "sign-in", "--realm", string_id);
  const opened = await skein.json("realm", "sign-in", "--realm", string_id, "--accept-all");

  expect(shown).toMatchObject({ accepts_passwords: false, identity_providers: [{ key: "harbor", is_only: true }] });
  expect(opened).toMatchObject({ accepts_passwords: true, identity_providers: [{ is_only: false }] });
  expect(await byPassword()).toMatchObject({ result: "success" });
  expect(await entries("identity_provider.update")).toMatchObject([
    { actor: { kind: "operator" }, after: { is_only: false } },
    { after: { is_only: true } },
  ]);
});

/** Signs in to a mobile app; returns the account with the app's key. */
async function enterWithApp(user: TestUser, claims: Claims): Promise<TestUser> {
  const pad = randomBytes(32);
  const browser = new TestBrowser(realm);
  const { location = "" } = await signIn(browser, claims, `${begin}?mobile_flow_otp=${pad.toString("hex")}`);
  const hidden = Buffer.from(new URL(location).searchParams.get("otp_encrypted_api_key") ?? "", "hex");
  const apiKey = Buffer.from(hidden.map((byte, index) => byte ^ (pad[index] ?? 0))).toString("ascii");
  return new TestUser(realm, user.id, user.email, user.fullName, apiKey);
}

const logoutEvent = { "http://schemas.openid.net/event/backchannel-logout": {} };
const logoutClaims = (more: Claims): Claims => {
  const iat = Math.floor(Date.now() / 1000);
  const jti = randomBytes(8).toString("hex");
  return { iss: provider.url, aud: provider.clientId, iat, exp: iat + 60, jti, events: logoutEvent, ...more };
};
const logOut = (token: string, path = "/complete/oidc/harbor/backchannel-logout") =>
  new TestBrowser(realm).ask(path, { method: "POST", form: { logout_token: token } });

test("when the provider ends a session, all that it has made ends on all nodes, and nothing else", async () => {
  await add(realm);
  const hamlet = await realm.user("hamlet");
  const claims = (sid: string) => ({ ...aboutUser(hamlet), sid });
  const [one, two] = [new TestBrowser(realm), new TestBrowser(realm)];
  await enter(claims("first"), one);
  await enter(claims("second"), two);
  const app = await enterWithApp(hamlet, claims("first"));
  expect(await app.request("GET", "/users/me")).toMatchObject({ user_id: hamlet.id });

  const token = provider.sign(logoutClaims({ sid: "first" }));
  const response = await logOut(token);

  expect([response.status, response.headers.get("cache-control")]).toEqual([200, "no-store"]);
  for (const node of [0, 1]) {
    expect(await whoIs(one, node)).toBeUndefined();
    expect(await app.on(node).request("GET", "/users/me")).toMatchObject({ result: "error" });
    expect(await whoIs(two, node)).toBe(hamlet.id);
  }
  expect(await hamlet.request("GET", "/users/me")).toMatchObject({ user_id: hamlet.id });
  expect((await logOut(token)).status).toBe(400);
  expect((await logOut(provider.sign(logoutClaims({ sub: `of ${hamlet.email}` })))).status).toBe(200);
  expect(await whoIs(two)).toBeUndefined();
  expect(await entries("session.delete")).toHaveLength(2);
  expect(await entries("api_key.delete")).toHaveLength(1);
});

test("a code that a desktop app has not used yet ends with the session at the provider", async () => {
  await add(realm);
  const hamlet = await realm.user("hamlet");
  const path = `${begin}?desktop_flow_otp=${randomBytes(32).toString("hex")}`;
  await signIn(new TestBrowser(realm), { ...aboutUser(hamlet), sid: "first" }, path);
  const open = () =>
    realm.ctx.db
      .selectFrom("confirmations")
      .select("revoked_at")
      .where("realm_id", "=", realm.id)
      .where("purpose", "=", "login token")
      .executeTakeFirstOrThrow();

  expect((await open()).revoked_at).toBeNull();
  await logOut(provider.sign(logoutClaims({ sid: "first" })));

  expect((await open()).revoked_at).not.toBeNull();
});

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString("base64url");

test("a logout token that is not the provider's, or not for us, ends nothing", async () => {
  await add(realm);
  const hamlet = await realm.user("hamlet");
  const browser = new TestBrowser(realm);
  await enter({ ...aboutUser(hamlet), sid: "first" }, browser);
  const good = (more: Claims = {}) => logoutClaims({ sid: "first", ...more });
  const now = Math.floor(Date.now() / 1000);
  const signed = `${encode({ alg: "HS256" })}.${encode(good())}`;
  const wrong = [
    "",
    "nonsense",
    `${encode({ alg: "none" })}.${encode(good())}.`,
    `${signed}.${createHmac("sha256", provider.clientSecret).update(signed).digest("base64url")}`,
    provider.sign(good({ iss: "https://id.example.com" })),
    provider.sign(good({ aud: "wiki" })),
    provider.sign(good({ nonce: "x" })),
    provider.sign(good({ events: {} })),
    provider.sign(good({ jti: undefined })),
    provider.sign(good({ sid: undefined })),
    provider.sign(good({ iat: now - 600, exp: now + 600 })),
    provider.sign(good({ iat: undefined })),
    provider.sign(good({ exp: now - 120 })),
  ];

  for (const token of wrong) expect((await logOut(token)).status).toBe(400);
  expect((await logOut(provider.sign(good()), "/complete/oidc/other/backchannel-logout")).status).toBe(404);

  expect(await whoIs(browser)).toBe(hamlet.id);
});

test("a provider that others have written: a person signs in, gets groups, and is signed out from there", async () => {
  const real = await startRealProvider();
  const crew = success(
    await realm.admin.call(createUserGroup, { name: "crew", description: "", members: [realm.admin.id] }),
  ).group_id;
  const made = await add(realm, {
    issuer: real.url,
    client_id: realClient.id,
    client_secret: realClient.secret,
    scopes: ["groups"],
    groups_claim: "groups",
    group_map: { crew },
  });
  const { redirect_uri: redirectUri, backchannel_logout_uri: logoutUri } = made;
  const people = {
    mira: { email: newAddress(), email_verified: true, name: "Mira Lindqvist", groups: ["pilots", "crew"] },
    stray: { email: newAddress(), email_verified: false, name: "Stray", groups: [] },
  };
  const delivered: number[] = [];
  // The organization's host name leads to a node. (The provider's own agent refuses addresses of this machine.)
  real.serve({ redirectUri, logoutUri }, people, async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const headers = new Headers(init?.headers);
    headers.set("x-forwarded-host", url.host);
    const response = await fetch(`${realm.nodes[1]?.url}${url.pathname}`, {
      method: "POST",
      headers,
      body: init?.body ?? null,
    });
    delivered.push(response.status);
    return response;
  });
  const come = async (login: string) => {
    const [outside, browser] = [new ProviderBrowser(), new TestBrowser(realm)];
    const { location = "" } = await browser.open(begin);
    const back = await outside.signIn(location, login, redirectUri);
    return { outside, browser, page: await browser.open(back.pathname + back.search) };
  };

  const { outside, browser, page } = await come("mira");
  const id = await whoIs(browser);
  expect(page).toMatchObject({ status: 303, location: "/" });
  expect(success(await realm.admin.call(getUser, { user_id: Number(id) })).user).toMatchObject({
    full_name: "Mira Lindqvist",
    delivery_email: people.mira.email,
  });
  expect(success(await realm.admin.call(getUserGroupMembers, { user_group_id: crew })).members).toContain(id);
  expect(success(await realm.admin.call(testIdentityProvider, { provider_id: made.id })).problem).toBeNull();
  expect((await come("stray")).page.status).toBe(403);
  await outside.signOut(real.url);

  await expect.poll(() => delivered).toEqual([200]);
  expect(await whoIs(browser)).toBeUndefined();
});
