/** Dangerous requests of browsers need a recent confirmation: which ones, and how it is given. */
import { endpoints } from "@skein/api/all.ts";
import { getAuditLog } from "@skein/api/audit-log.ts";
import { getPasskeyChallenge } from "@skein/api/passkeys.ts";
import { confirmSession } from "@skein/api/sessions.ts";
import { expect, test } from "vitest";
import { codeAt, forgetUse, withApp, wrongCodeFor } from "../../../../test/authenticator-app.ts";
import { newRealm, success, type TestRealm, type TestUser } from "../../../../test/realm.ts";
import { withPasskey } from "../../../../test/software-authenticator.ts";
import { password, TestBrowser, withPassword } from "../../../../test/test-browser.ts";

const confirmPath = "/users/me/sessions/confirm";
const required = { result: "error", code: "STEP_UP_REQUIRED" };

/** As if all browsers of this account had last confirmed eleven minutes ago. */
const letTimePass = ({ id, realm }: TestUser) =>
  realm.ctx.db
    .updateTable("browser_sessions")
    .set({ confirmed_at: new Date(Date.now() - 11 * 60_000) })
    .where("user_id", "=", id)
    .execute();

async function signedIn(user: TestUser, form: Record<string, string> = {}): Promise<TestBrowser> {
  const browser = new TestBrowser(user.realm);
  await browser.send("/accounts/login/", { username: user.email, password, ...form });
  expect(browser.cookies.has("sessionid")).toBe(true);
  return browser;
}

const createKey = (browser: TestBrowser, node?: number) =>
  browser.call(
    "POST",
    "/users/me/api_keys",
    { name: "Script", scopes: '["files"]' },
    node === undefined ? {} : { node },
  );

async function failuresOf({ admin }: TestRealm, { id }: TestUser) {
  const about = { target_kind: "user", target_id: id, limit: 100 } as const;
  const { entries } = success(await admin.call(getAuditLog, { ...about, action: ["second_factor.failure"] }));
  return entries.toReversed().map(({ after }) => after);
}

const powerful = { role: [100, 200] };
const inviting = { invite_as: [100, 200] };

test("these operations need it in a browser, and none with a key", async () => {
  const realm = await newRealm();
  const owner = await withPassword(realm, "owner", { role: 100 });
  const declared = endpoints.filter(({ stepUp }) => stepUp !== undefined);

  expect(Object.fromEntries(declared.map(({ operation, stepUp }) => [operation, stepUp]))).toEqual({
    "create-api-key": true,
    "create-scim-token": true,
    "update-scim-settings": true,
    "create-identity-provider": true,
    "update-identity-provider": true,
    "delete-identity-provider": true,
    "create-audit-destination": true,
    "update-audit-destination": true,
    "delete-audit-destination": true,
    "export-realm": true,
    "deactivate-realm": true,
    "reset-second-factors": true,
    "update-realm": { second_factor_required_for: true },
    "update-user": powerful,
    "update-user-by-email": powerful,
    "update-bot": powerful,
    "send-invites": inviting,
    "create-invite-link": inviting,
  });

  const browser = await signedIn(owner);
  await letTimePass(owner);
  const before = await browser.call("GET", "/users/me/sessions");
  for (const { method, path, operation, stepUp, params } of declared) {
    const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => (name === "email" ? "nobody@example.com" : "1"));
    const asked =
      stepUp === true ? {} : Object.fromEntries(Object.keys(stepUp ?? {}).map((name) => [name, valueOf(name)]));
    const form = {
      ...asked,
      ...("invitee_emails" in params ? { invitee_emails: "x@example.com", stream_ids: "[]" } : {}),
    };
    expect([operation, await browser.call(method, url, form)]).toMatchObject([
      operation,
      { ...required, confirm_with: ["password"] },
    ]);
    // What a key is told, if anything, is about what it asks for.
    if (operation === "deactivate-realm") continue;
    expect([operation, await owner.request(method, url, form)]).not.toMatchObject([operation, required]);
  }
  expect(await browser.call("GET", "/users/me/sessions")).toEqual(before);
  expect(await browser.call("PATCH", "/realm", { description: "Calm" })).toMatchObject({ result: "success" });
  const harmless = await browser.call("PATCH", `/users/${realm.admin.id}`, { full_name: "Claudius" });
  expect(harmless).toMatchObject({ result: "success" });
});

const valueOf = (name: string): string => (name === "second_factor_required_for" ? "nobody" : "200");

test("signing in counts; later the password confirms, for this browser and ten minutes, on all nodes", async () => {
  const realm = await newRealm();
  const hamlet = await withPassword(realm, "hamlet");
  const [browser, other] = [await signedIn(hamlet), await signedIn(hamlet)];

  expect(await createKey(browser)).toMatchObject({ result: "success" });
  await letTimePass(hamlet);
  expect(await createKey(browser)).toMatchObject(required);
  expect(await browser.call("POST", confirmPath, { password: "guess" })).toMatchObject({ msg: "Wrong password!" });
  expect(await browser.call("POST", confirmPath)).toMatchObject({ result: "error" });
  expect(await browser.call("POST", confirmPath, { password }, { node: 0 })).toEqual({
    result: "success",
    msg: "",
    confirmed_until: expect.any(Number),
  });
  expect(await createKey(browser, 1)).toMatchObject({ result: "success" });
  expect(await createKey(other)).toMatchObject(required);
  expect(await hamlet.call(confirmSession, { password })).toMatchObject({ result: "error" });
  const wrong = { reason: "wrong_password" };
  expect(await failuresOf(realm, hamlet)).toEqual([wrong, wrong]);
});

test("an account with a second factor confirms with a code or a passkey, each once, and not with the password", async () => {
  const realm = await newRealm();
  const hamlet = await withPassword(realm, "hamlet");
  const { secret, recoveryCodes } = await withApp(hamlet);
  const { authenticator } = await withPasskey(hamlet);
  const browser = await signedIn(hamlet, { second_factor_code: codeAt(secret) });
  await forgetUse(hamlet);
  const confirm = (form: Record<string, string>) => browser.call("POST", confirmPath, form);

  await letTimePass(hamlet);
  expect(await createKey(browser)).toMatchObject({ ...required, confirm_with: ["totp", "passkey", "recovery_code"] });
  expect(await confirm({ password })).toMatchObject({ code: "SECOND_FACTOR_REQUIRED" });
  expect(await confirm({ code: wrongCodeFor(secret) })).toMatchObject({ code: "SECOND_FACTOR_INVALID" });
  expect(await createKey(browser)).toMatchObject(required);
  const { options, state } = success(await hamlet.call(getPasskeyChallenge, {}));
  const passkey = JSON.stringify({ state, credential: authenticator.get(options) });
  for (const proof of [{ code: codeAt(secret) }, { code: recoveryCodes[0] ?? "" }, { passkey }]) {
    expect(await confirm(proof)).toMatchObject({ result: "success" });
    expect(await createKey(browser)).toMatchObject({ result: "success" });
    await letTimePass(hamlet);
    expect(await confirm(proof)).toMatchObject({ code: "SECOND_FACTOR_INVALID" });
    expect(await createKey(browser)).toMatchObject(required);
  }
  expect((await failuresOf(realm, hamlet)).length).toBe(4);
});

test("an account without a password signs in again, and its old session ends", async () => {
  const realm = await newRealm();
  const hamlet = await withPassword(realm, "hamlet");
  const browser = await signedIn(hamlet);
  const before = browser.cookies.get("sessionid");
  await letTimePass(hamlet);
  await realm.ctx.db.updateTable("users").set({ password_hash: null }).where("id", "=", hamlet.id).execute();

  expect(await createKey(browser)).toMatchObject({ ...required, confirm_with: ["sign_in"] });
  expect(await browser.open("/login/")).toMatchObject({ status: 303 });
  expect(await browser.open("/login/?again=1")).toMatchObject({ status: 200 });

  const ophelia = await withPassword(realm, "ophelia");
  await browser.signIn(ophelia);
  expect(browser.cookies.get("sessionid")).not.toBe(before);
  expect(await createKey(browser)).toMatchObject({ result: "success" });
});
