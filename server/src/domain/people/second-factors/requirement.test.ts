/** Organizations that require a second factor: from whom, how it is set up, and what becomes of sessions and keys. */
import { getAuditLog } from "@skein/api/audit-log.ts";
import { fetchApiKey } from "@skein/api/authentication.ts";
import { removePasskey } from "@skein/api/passkeys.ts";
import { updateRealm } from "@skein/api/realm-settings.ts";
import type { SecondFactorRequirement } from "@skein/api/realm.ts";
import { getSecondFactors, removeTotp, resetSecondFactors } from "@skein/api/second-factors.ts";
import { getOwnUser, updateUser } from "@skein/api/users.ts";
import { expect, test } from "vitest";
import { codeAt, forgetUse, withApp, wrongCodeFor } from "../../../../test/authenticator-app.ts";
import { newRealm, success, type TestRealm, type TestUser } from "../../../../test/realm.ts";
import { originOf, SoftwareAuthenticator, withPasskey } from "../../../../test/software-authenticator.ts";
import { password, TestBrowser, withPassword } from "../../../../test/test-browser.ts";

const setUpPage = "/accounts/login/set_up_second_factor/";
const codePage = "/accounts/login/second_factor/";
const notSetUp = { result: "error", code: "SECOND_FACTOR_SETUP_REQUIRED" };

const requireFrom = ({ admin }: TestRealm, second_factor_required_for: SecondFactorRequirement) =>
  admin.call(updateRealm, { second_factor_required_for });

/** An organization whose owner has an app, and requires second factors. */
async function requiringRealm(from: SecondFactorRequirement): Promise<TestRealm> {
  const realm = await newRealm();
  await withApp(realm.admin);
  success(await requireFrom(realm, from));
  return realm;
}

const fetchKey = ({ realm, email: username }: TestUser, more = {}) =>
  realm.client(realm.nodes[0]!).call(fetchApiKey, { username, password, ...more }); // a realm has at least one node

async function signedIn(user: TestUser): Promise<TestBrowser> {
  const browser = new TestBrowser(user.realm);
  await browser.signIn(user);
  expect(await whoIs(browser)).toBe(user.id);
  return browser;
}
const whoIs = async (browser: TestBrowser, node = 0): Promise<unknown> =>
  (await browser.call("GET", "/users/me", {}, { node }))["user_id"];

/** The value of a hidden field, as the browser sends it. */
const fieldIn = (html: string, name: string): string =>
  (new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? "").replaceAll("&quot;", '"');
const keyIn = (html: string): string => /id="key"[^>]* value="(\w+)"/.exec(html)?.[1] ?? "";
const codesIn = (html: string): string[] => html.match(/[A-Z2-9]{4}(?:-[A-Z2-9]{4}){3}/g) ?? [];

/** Sends the first code of the app that the page offers. */
async function setUpApp(browser: TestBrowser) {
  const { html } = await browser.open(setUpPage);
  const secret = keyIn(html);
  const page = await browser.send(setUpPage, { secret: fieldIn(html, "secret"), second_factor_code: codeAt(secret) });
  return { page, secret, sealed: fieldIn(html, "secret") };
}

async function entriesAbout({ admin }: TestRealm, kind: "user" | "realm", id: number) {
  const { entries } = success(await admin.call(getAuditLog, { target_kind: kind, target_id: id, limit: 100 }));
  return entries.toReversed().map(({ action, after }) => [action, after]);
}

test("owners who have a second factor require it; others cannot", async () => {
  const realm = await newRealm();
  const administrator = await realm.user("administrator", { role: 200 });
  await withApp(administrator);
  const change = { second_factor_required_for: "administrators" } as const;
  const queue = await administrator.register(["realm"]);

  expect(await administrator.call(updateRealm, change)).toMatchObject({ msg: "Must be an organization owner" });
  expect(await realm.admin.call(updateRealm, change)).toMatchObject({
    msg: "Set up a second factor for your own account before you require them.",
  });
  await withApp(realm.admin);
  success(await realm.admin.call(updateRealm, change));

  expect(await queue.next()).toMatchObject({ property: "second_factor_required_for", value: "administrators" });
  const { state } = await administrator.register([], ["realm"]);
  expect(state).toMatchObject({ realm_second_factor_required_for: "administrators" });
  expect(await realm.admin.request("PATCH", "/realm", { second_factor_required_for: "bots" })).toMatchObject({
    result: "error",
  });
  expect(await entriesAbout(realm, "realm", realm.id)).toEqual([["realm.update", change]]);
});

test("the password leads to setting up an app, and to nothing else", async () => {
  const realm = await requiringRealm("members");
  const [hamlet, guest] = [await withPassword(realm, "hamlet"), await withPassword(realm, "guest", { role: 600 })];
  const browser = new TestBrowser(realm);

  expect(await fetchKey(hamlet)).toMatchObject({ ...notSetUp, setup_url: `${originOf(hamlet)}/login/` });
  expect(await fetchKey(hamlet, { second_factor_code: "000000" })).toMatchObject(notSetUp);
  success(await fetchKey(guest));
  expect(await browser.open(setUpPage)).toMatchObject({ status: 303, location: "/login/" });
  const first = await browser.send("/login/", { username: hamlet.email, password, next: "/#inbox" });
  expect(first).toMatchObject({ status: 303, location: setUpPage });
  expect(browser.cookies.has("sessionid")).toBe(false);
  for (const [method, path] of [
    ["GET", "/users/me"],
    ["POST", "/register"],
    ["GET", "/events"],
    ["POST", "/user_uploads"],
    ["POST", "/users/me/api_keys"],
    ["POST", "/users/me/totp"],
    ["POST", "/fetch_api_key"],
  ] as const)
    expect(await browser.call(method, path)).toMatchObject({ result: "error", code: "UNAUTHORIZED" });
  expect(await browser.open(codePage)).toMatchObject({ status: 303, location: "/login/" });
  expect((await browser.send(codePage, { second_factor_code: "" })).status).toBe(401);
  const { html } = await browser.open(setUpPage);
  const secret = fieldIn(html, "secret");
  const wrong = await browser.send(setUpPage, { secret, second_factor_code: wrongCodeFor(keyIn(html)) });
  expect(wrong.status).toBe(400);
  expect(keyIn(wrong.html)).toBe(keyIn(html));
  expect((await browser.send(setUpPage, { secret: "v1.x", second_factor_code: "000000" })).html).toContain("expired");
  expect(await whoIs(browser)).toBeUndefined();

  const done = await browser.send(setUpPage, { secret, second_factor_code: codeAt(keyIn(html)) });
  expect(codesIn(done.html)).toHaveLength(10);
  expect(done.html).toContain('href="/#inbox"');
  expect(await whoIs(browser, 1)).toBe(hamlet.id);
  expect(browser.cookies.has("second-factor")).toBe(false);
  expect(await fetchKey(hamlet)).toMatchObject({ code: "SECOND_FACTOR_REQUIRED" });
  success(await fetchKey(hamlet, { second_factor_code: codesIn(done.html)[0] }));
  expect(await entriesAbout(realm, "user", hamlet.id)).toEqual([
    ["sign_in.failure", { method: "password", reason: "second_factor_not_set_up" }],
    ["sign_in.failure", { method: "password", reason: "second_factor_not_set_up" }],
    ["sign_in.failure", { method: "password", reason: "wrong_second_factor" }],
    ["second_factor.enable", { method: "totp" }],
    ["sign_in.success", { method: "password", second_factor: "totp" }],
    ["sign_in.failure", { method: "password", reason: "second_factor_missing" }],
    ["sign_in.success", { method: "password", second_factor: "recovery_code" }],
  ]);
});

test("a passkey can be set up instead; the page of one account is of no use to another, nor twice", async () => {
  const realm = await requiringRealm("everyone");
  const [hamlet, ophelia] = [await withPassword(realm, "hamlet", { role: 600 }), await withPassword(realm, "ophelia")];
  const [browser, other] = [new TestBrowser(realm), new TestBrowser(realm)];
  await browser.signIn(hamlet);
  await other.signIn(ophelia);
  const { html } = await browser.open(setUpPage);
  const options = JSON.parse(fieldIn(html, "options")) as Record<string, unknown>; // written by the page
  const credential = JSON.stringify(new SoftwareAuthenticator(originOf(hamlet)).create(options));
  const form = { state: fieldIn(html, "state"), credential };
  const app = { secret: fieldIn(html, "secret"), second_factor_code: codeAt(keyIn(html)) };

  expect((await other.send(setUpPage, form)).status).toBe(400);
  expect((await other.send(setUpPage, app)).status).toBe(400);
  const copy = new TestBrowser(realm);
  for (const [name, value] of browser.cookies) copy.cookies.set(name, value);
  expect(codesIn((await browser.send(setUpPage, form)).html)).toHaveLength(10);
  expect(await whoIs(browser)).toBe(hamlet.id);
  expect(await copy.send(setUpPage, app)).toMatchObject({ status: 303, location: "/login/" });

  const factors = success(await hamlet.call(getSecondFactors, {}));
  expect(factors).toMatchObject({ totp: null, passkeys: [{ name: "Passkey" }], recovery_codes_left: 10 });
  expect(success(await ophelia.call(getSecondFactors, {}))).toMatchObject({ totp: null, passkeys: [] });
});

test("apps get their credentials after the set-up, and scripts are told where it is", async () => {
  const realm = await requiringRealm("members");
  const pad = "ab".repeat(32);
  const [hamlet, ophelia, nell] = [
    await withPassword(realm, "hamlet"),
    await withPassword(realm, "ophelia"),
    await withPassword(realm, "nell"),
  ];
  const enter = async (user: TestUser, app: Record<string, string>) => {
    const browser = new TestBrowser(realm);
    const form = { username: user.email, password, ...app };
    expect(await browser.send("/login/", form)).toMatchObject({ location: setUpPage });
    return (await setUpApp(browser)).page.html;
  };

  expect(await enter(hamlet, { mobile_flow_otp: pad })).toMatch(/href="zulip:\/\/login\?[^"]*otp_encrypted_api_key=/);
  expect(await enter(ophelia, { desktop_flow_otp: pad })).toContain("Sign-in code");
  const script = new TestBrowser(realm);
  const { html } = await script.signIn(nell, { headers: { accept: "application/json" } });
  expect(JSON.parse(html)).toMatchObject({ ...notSetUp, setup_url: `${originOf(nell)}${setUpPage}` });
  expect(codesIn((await setUpApp(script)).page.html)).toHaveLength(10);
});

test("sessions without a second factor end when it becomes required; keys, and sessions with one, go on", async () => {
  const realm = await newRealm();
  await withApp(realm.admin);
  const [member, moderator, careful] = [
    await withPassword(realm, "member"),
    await withPassword(realm, "moderator", { role: 300 }),
    await withPassword(realm, "careful", { role: 300 }),
  ];
  const browsers = [await signedIn(member), await signedIn(moderator), await signedIn(careful)];
  await withPasskey(careful);
  const seen = (node: number) => Promise.all(browsers.map((browser) => whoIs(browser, node)));
  expect(await seen(1)).toEqual([member.id, moderator.id, careful.id]);

  success(await requireFrom(realm, "moderators"));
  expect([await seen(0), await seen(1)]).toEqual([
    [member.id, undefined, careful.id],
    [member.id, undefined, careful.id],
  ]);
  expect(await browsers[1]?.call("GET", "/users/me")).toMatchObject({ code: "UNAUTHORIZED" });
  expect(success(await moderator.call(getOwnUser, {})).user_id).toBe(moderator.id);

  success(await realm.admin.call(updateUser, { user_id: member.id, role: 300 }));
  success(await realm.admin.call(resetSecondFactors, { user_id: careful.id }));
  expect(await seen(0)).toEqual([undefined, undefined, undefined]);
  expect(success(await member.call(getOwnUser, {})).role).toBe(300);
  expect(await new TestBrowser(realm).signIn(careful)).toMatchObject({ location: setUpPage });

  success(await requireFrom(realm, "owners"));
  await signedIn(careful);
});

test("the last second factor cannot be removed while it is required", async () => {
  const realm = await requiringRealm("members");
  const hamlet = await withPassword(realm, "hamlet");
  const { secret, recoveryCodes } = await withApp(hamlet);
  const { id } = await withPasskey(hamlet);
  const refused = { msg: "Your organization requires a second factor. Set up another one before you remove this one." };

  success(await hamlet.call(removeTotp, { code: codeAt(secret) }));
  const [code = ""] = recoveryCodes;
  expect(await hamlet.call(removePasskey, { passkey_id: id, code })).toMatchObject(refused);
  expect(success(await hamlet.call(getSecondFactors, {})).passkeys).toHaveLength(1);

  success(await requireFrom(realm, "owners"));
  success(await hamlet.call(removePasskey, { passkey_id: id, code }));
});

test("whoever signs in while the setting changes on another node has a second factor or no session", async () => {
  const realm = await newRealm();
  await withApp(realm.admin);
  const hamlet = await withPassword(realm, "hamlet");

  for (let round = 0; round < 3; round++) {
    const browsers = Array.from({ length: 4 }, () => new TestBrowser(realm));
    const [changed] = await Promise.all([
      realm.admin.on(1).call(updateRealm, { second_factor_required_for: "members" }),
      ...browsers.map((browser) => browser.signIn(hamlet, { node: 0 })),
    ]);
    success(changed);
    const sessions = realm.ctx.db.selectFrom("browser_sessions").select("id").where("user_id", "=", hamlet.id);
    expect(await sessions.execute()).toEqual([]);
    expect(await Promise.all(browsers.map((browser) => whoIs(browser)))).toEqual(browsers.map(() => undefined));
    success(await requireFrom(realm, "nobody"));
  }

  // Of two set-ups at once, one is stored.
  success(await requireFrom(realm, "members"));
  const pair = [new TestBrowser(realm), new TestBrowser(realm)];
  for (const browser of pair) await browser.signIn(hamlet);
  const pages = await Promise.all(pair.map(async (browser) => (await setUpApp(browser)).page));
  expect(pages.filter(({ html }) => codesIn(html).length === 10)).toHaveLength(1);
  await forgetUse(hamlet);
});
