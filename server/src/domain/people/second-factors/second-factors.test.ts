/** Codes of an authenticator app and recovery codes: setting them up, and asking for them after the password. */
import { getAuditLog } from "@skein/api/audit-log.ts";
import { fetchApiKey } from "@skein/api/authentication.ts";
import {
  confirmTotp,
  getSecondFactors,
  getUserSecondFactors,
  regenerateRecoveryCodes,
  removeTotp,
  resetSecondFactors,
  startTotp,
} from "@skein/api/second-factors.ts";
import { expect, test } from "vitest";
import { codeAt, forgetUse, withApp, wrongCodeFor } from "../../../../test/authenticator-app.ts";
import { Commands } from "../../../../test/commands.ts";
import { startNode } from "../../../../test/nodes.ts";
import { newRealm, success, type TestRealm, type TestUser } from "../../../../test/realm.ts";
import { password, TestBrowser, withPassword } from "../../../../test/test-browser.ts";
import { isTotpCode, stepOf } from "./totp.ts";

const codePage = "/accounts/login/second_factor/";
const required = { result: "error", code: "SECOND_FACTOR_REQUIRED" };
const invalid = { result: "error", code: "SECOND_FACTOR_INVALID" };

/** The newest entries of the audit log, the oldest first. */
async function entriesSince({ admin }: TestRealm, after: number) {
  const { entries } = success(await admin.call(getAuditLog, { after, limit: 100 }));
  return entries.toReversed().map(({ action, actor, target, after: fields }) => ({ action, actor, target, fields }));
}
const newestEntry = async ({ admin }: TestRealm): Promise<number> =>
  success(await admin.call(getAuditLog, { limit: 1 })).entries[0]?.id ?? 0;

const fetchKey = (user: TestUser, second_factor_code?: string, node = 0) =>
  user.realm
    .client(user.realm.nodes[node] ?? user.realm.nodes[0]!) // a realm has at least one node
    .call(fetchApiKey, { username: user.email, password, ...(second_factor_code ? { second_factor_code } : {}) });

test("codes are those of RFC 6238, and only the nearest are accepted", () => {
  // Appendix B of the RFC, its last six digits; the secret is "12345678901234567890".
  const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

  expect(stepOf(secret, "287082", 59_000)).toBe(1);
  expect(stepOf(secret, "081804", 1_111_111_109_000)).toBe(37_037_036);
  expect(stepOf(secret, "287082", 59_000 + 30_000)).toBe(1);
  expect(stepOf(secret, "287082", 59_000 + 60_000)).toBeUndefined();
  expect(isTotpCode("28708")).toBe(false);
});

test("an app is set up with the password and a first code, and removed with a code", async () => {
  const realm = await newRealm();
  const hamlet = await withPassword(realm, "hamlet");
  const before = await newestEntry(realm);

  expect(await hamlet.call(confirmTotp, { code: "000000" })).toMatchObject({ result: "error", code: "BAD_REQUEST" });
  expect(await hamlet.call(startTotp, { password: "guess" })).toMatchObject({ msg: "Wrong password!" });
  const { secret, otpauth_url } = success(await hamlet.call(startTotp, { password }));
  expect(new URL(otpauth_url).searchParams.get("secret")).toBe(secret);
  expect(await hamlet.call(confirmTotp, { code: wrongCodeFor(secret) })).toMatchObject(invalid);
  expect(success(await fetchKey(hamlet)).user_id).toBe(hamlet.id); // not asked for yet
  const { recovery_codes } = success(await hamlet.call(confirmTotp, { code: codeAt(secret) }));

  expect(recovery_codes).toHaveLength(10);
  expect(new Set(recovery_codes).size).toBe(10);
  expect(success(await hamlet.call(getSecondFactors, {}))).toMatchObject({
    totp: { confirmed_at: expect.any(Number), last_used_at: null },
    recovery_codes_left: 10,
  });
  const stored = await realm.ctx.db.selectFrom("totp_secrets").selectAll().where("user_id", "=", hamlet.id).execute();
  expect(JSON.stringify(stored)).not.toContain(secret);
  expect(await hamlet.call(startTotp, { password })).toMatchObject({ result: "error" });
  expect(await hamlet.call(removeTotp, { code: codeAt(secret) })).toMatchObject(invalid); // it was used to confirm
  success(await hamlet.call(removeTotp, { code: recovery_codes[0]?.toLowerCase().replaceAll("-", " ") ?? "" }));
  expect(success(await hamlet.call(getSecondFactors, {}))).toMatchObject({ totp: null, recovery_codes_left: 0 });
  success(await fetchKey(hamlet));

  const about = { actor: { kind: "user", id: hamlet.id }, target: { kind: "user", id: hamlet.id } };
  expect(await entriesSince(realm, before)).toEqual([
    { action: "second_factor.failure", ...about, fields: { reason: "wrong_password" } },
    { action: "second_factor.failure", ...about, fields: { reason: "wrong_second_factor" } },
    { action: "sign_in.success", ...about, fields: { method: "password" } },
    { action: "second_factor.enable", ...about, fields: { method: "totp" } },
    { action: "second_factor.failure", ...about, fields: { reason: "wrong_second_factor" } },
    { action: "second_factor.disable", ...about, fields: null },
    { action: "sign_in.success", ...about, fields: { method: "password" } },
  ]);
});

test("a password alone gives no key, and each failure leaves one entry", async () => {
  const realm = await newRealm();
  const hamlet = await withPassword(realm, "hamlet");
  const { secret, recoveryCodes } = await withApp(hamlet);
  const before = await newestEntry(realm);

  expect(await fetchKey(hamlet)).toMatchObject(required);
  expect(await fetchKey(hamlet, wrongCodeFor(secret))).toMatchObject(invalid);
  expect(await fetchKey(hamlet, "ABCD-EFGH-JKLM-NPQR")).toMatchObject(invalid);
  success(await fetchKey(hamlet, codeAt(secret)));
  expect(await fetchKey(hamlet, codeAt(secret))).toMatchObject(invalid);
  success(await fetchKey(hamlet, recoveryCodes[0]));
  expect(await fetchKey(hamlet, recoveryCodes[0])).toMatchObject(invalid);

  const seen = (await entriesSince(realm, before)).map(({ action, fields }) => [action, fields]);
  const failed = (reason: string) => ["sign_in.failure", { method: "password", reason }];
  const passed = (second_factor: string) => ["sign_in.success", { method: "password", second_factor }];
  expect(seen).toEqual([
    failed("second_factor_missing"),
    failed("wrong_second_factor"),
    failed("wrong_second_factor"),
    passed("totp"),
    failed("wrong_second_factor"),
    passed("recovery_code"),
    failed("wrong_second_factor"),
  ]);
});

test("of many requests with the same code on two nodes, one succeeds", async () => {
  const realm = await newRealm();
  const hamlet = await withPassword(realm, "hamlet");
  const { secret, recoveryCodes } = await withApp(hamlet);

  for (const code of [codeAt(secret), recoveryCodes[3]]) {
    const answers = await Promise.all(Array.from({ length: 6 }, (_, turn) => fetchKey(hamlet, code, turn % 2)));
    expect(answers.filter(({ result }) => result === "success")).toHaveLength(1);
  }
});

test("a browser asks for the code after the password, and has no session before", async () => {
  const realm = await newRealm();
  const hamlet = await withPassword(realm, "hamlet");
  const { secret } = await withApp(hamlet);
  const browser = new TestBrowser(realm);
  const send = (code: string) => browser.send(codePage, { second_factor_code: code });

  expect(await browser.open(codePage)).toMatchObject({ status: 303, location: "/login/" });
  const first = await browser.send("/login/", { username: hamlet.email, password, next: "/#inbox" });
  expect(first).toMatchObject({ status: 303, location: codePage });
  expect(browser.cookies.has("sessionid")).toBe(false);
  const cookie = browser.setCookies.get("second-factor");
  expect(cookie).toContain("HttpOnly");
  const page = await browser.open(codePage);
  expect(page.html).toContain('autocomplete="one-time-code"');
  expect(await send(wrongCodeFor(secret))).toMatchObject({
    status: 401,
    html: expect.stringContaining("This code is wrong, or has been used already."),
  });
  expect(browser.cookies.has("sessionid")).toBe(false);
  expect(await send(codeAt(secret))).toMatchObject({ status: 303, location: "/#inbox" });

  expect(await browser.call("GET", "/users/me")).toMatchObject({ user_id: hamlet.id });
  expect(browser.cookies.has("second-factor")).toBe(false);
  // Creating a key asks for both again.
  expect(await browser.call("POST", "/fetch_api_key", { password })).toMatchObject(required);
  await forgetUse(hamlet);
  const form = { password, second_factor_code: codeAt(secret) };
  expect(await browser.call("POST", "/fetch_api_key", form)).toMatchObject({ result: "success" });
});

test("what waits for a code belongs to one browser, and ends with the password and the account", async () => {
  const realm = await newRealm();
  const hamlet = await withPassword(realm, "hamlet");
  const { secret } = await withApp(hamlet);
  const { db } = realm.ctx;
  const [browser, other] = [new TestBrowser(realm), new TestBrowser(realm)];
  await browser.signIn(hamlet);
  const sendCode = (from: TestBrowser) => from.send(codePage, { second_factor_code: codeAt(secret) });

  expect(await sendCode(other)).toMatchObject({ location: "/login/" });
  const elsewhere = new TestBrowser(await newRealm());
  elsewhere.cookies.set("second-factor", browser.cookies.get("second-factor") ?? "");
  expect(await sendCode(elsewhere)).toMatchObject({ location: "/login/" });
  const kept = browser.cookies.get("second-factor") ?? "";
  await db.updateTable("users").set({ is_active: false }).where("id", "=", hamlet.id).execute();
  expect(await sendCode(browser)).toMatchObject({ location: "/login/" });
  await db.updateTable("users").set({ is_active: true, password_hash: "" }).where("id", "=", hamlet.id).execute();
  browser.cookies.set("second-factor", kept);
  expect(await sendCode(browser)).toMatchObject({ location: "/login/" });

  expect(browser.cookies.has("sessionid")).toBe(false);
});

test("programs send the code with the password, and apps get their key after it", async () => {
  const realm = await newRealm();
  const hamlet = await withPassword(realm, "hamlet");
  const { secret } = await withApp(hamlet);
  const headers = { accept: "application/json" };
  const browser = new TestBrowser(realm);
  const form = { username: hamlet.email, password };

  const refused = await browser.send("/accounts/login/", form, { headers });
  expect(refused.status).toBe(401);
  expect(JSON.parse(refused.html)).toMatchObject(required);
  const both = { ...form, second_factor_code: codeAt(secret) };
  const signedIn = await browser.send("/accounts/login/", both, { headers });
  expect(JSON.parse(signedIn.html)).toEqual({ result: "success", msg: "", next: "/" });

  await forgetUse(hamlet);
  const phone = new TestBrowser(realm);
  const asked = await phone.send("/login/", { ...form, mobile_flow_otp: "0123456789abcdef".repeat(4) });
  expect(asked).toMatchObject({ status: 303, location: codePage });
  const policy = (await phone.open(codePage)).headers.get("content-security-policy");
  expect(policy).toContain("form-action 'self' zulip:;");
  const handedOver = await phone.send(codePage, { second_factor_code: codeAt(secret) });
  expect(handedOver.location).toMatch(/^zulip:\/\/login\?.*otp_encrypted_api_key=[0-9a-f]{64}$/);

  await forgetUse(hamlet);
  const desktop = new TestBrowser(realm);
  await desktop.send("/login/", { ...form, desktop_flow_otp: "0123456789abcdef".repeat(4) });
  const copied = await desktop.send(codePage, { second_factor_code: codeAt(secret) });
  expect(copied.html).toContain("Return to the app");
});

test("wrong codes are limited on all nodes together, apart from those of a known browser", async () => {
  const environment = { SKEIN_RATE_LIMITS: "true", SKEIN_ROLES: "api" };
  const realm = await newRealm([await startNode({ environment }), await startNode({ environment })]);
  const hamlet = await withPassword(realm, "hamlet");
  const { secret, recoveryCodes } = await withApp(hamlet);
  const home = new TestBrowser(realm);
  await home.signIn(hamlet);
  expect(await home.send(codePage, { second_factor_code: codeAt(secret) })).toMatchObject({ location: "/" });
  await home.send("/accounts/logout/", {});
  const stranger = new TestBrowser(realm);
  await stranger.signIn(hamlet);
  const guess = () => stranger.send(codePage, { second_factor_code: wrongCodeFor(secret) });

  for (let count = 0; count < 5; count++) expect((await guess()).status).toBe(401);
  expect(await guess()).toMatchObject({ status: 429, html: expect.stringContaining("Too many attempts.") });
  const recovery = await stranger.send(codePage, { second_factor_code: recoveryCodes[0] ?? "" });
  expect(recovery.status).toBe(429);

  await home.signIn(hamlet);
  await forgetUse(hamlet);
  expect(await home.send(codePage, { second_factor_code: codeAt(secret) })).toMatchObject({ location: "/" });
});

test("new recovery codes replace the old ones", async () => {
  const realm = await newRealm();
  const hamlet = await withPassword(realm, "hamlet");
  const { secret, recoveryCodes } = await withApp(hamlet);

  expect(await hamlet.call(regenerateRecoveryCodes, { code: wrongCodeFor(secret) })).toMatchObject(invalid);
  const { recovery_codes } = success(await hamlet.call(regenerateRecoveryCodes, { code: codeAt(secret) }));

  expect(recovery_codes).toHaveLength(10);
  expect(await fetchKey(hamlet, recoveryCodes[0])).toMatchObject(invalid);
  success(await fetchKey(hamlet, recovery_codes[9]));
  expect(success(await hamlet.call(getSecondFactors, {}))).toMatchObject({ recovery_codes_left: 9 });
});

test("administrators reset other people's second factors, only owners those of owners, and operators all", async () => {
  const realm = await newRealm();
  const hamlet = await withPassword(realm, "hamlet");
  const claudius = await realm.user("claudius", { role: 200 });
  for (const user of [hamlet, claudius, realm.admin]) await withApp(user);
  const reset = (by: TestUser, user: TestUser) => by.call(resetSecondFactors, { user_id: user.id });
  const read = (by: TestUser, user: TestUser) => by.call(getUserSecondFactors, { user_id: user.id });
  const before = await newestEntry(realm);

  expect(await reset(hamlet, claudius)).toMatchObject({ msg: "Must be an organization administrator" });
  expect(await read(hamlet, claudius)).toMatchObject({ msg: "Must be an organization administrator" });
  expect(success(await read(claudius, hamlet))).toMatchObject({
    totp: { last_used_at: null },
    recovery_codes_left: 10,
  });
  expect(await reset(claudius, realm.admin)).toMatchObject({ msg: "Must be an organization owner" });
  expect(await reset(claudius, claudius)).toMatchObject({ result: "error" });
  expect(await fetchKey(hamlet)).toMatchObject(required);
  success(await reset(claudius, hamlet));
  success(await reset(claudius, hamlet)); // nothing is left to reset
  success(await fetchKey(hamlet));
  const skein = new Commands(realm.ctx);
  const operated = await skein.json(
    "user",
    "second-factor-reset",
    claudius.email,
    "--realm",
    realm.host.split(".")[0] ?? "",
  );

  expect(operated).toEqual({ user_id: claudius.id, reset: true });
  expect(success(await claudius.call(getSecondFactors, {}))).toMatchObject({ totp: null, recovery_codes_left: 0 });
  const seen = await entriesSince(realm, before);
  expect(seen.filter(({ action }) => action === "second_factor.reset")).toMatchObject([
    { actor: { kind: "user", id: claudius.id }, target: { kind: "user", id: hamlet.id } },
    { actor: { kind: "operator", id: null }, target: { kind: "user", id: claudius.id } },
  ]);
});
