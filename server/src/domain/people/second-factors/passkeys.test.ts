/** Passkeys: adding them, signing in with them alone and after the password, and everything that must not be accepted. */
import { getAuditLog } from "@skein/api/audit-log.ts";
import { fetchApiKey } from "@skein/api/authentication.ts";
import {
  addPasskey,
  getPasskeyChallenge,
  removePasskey,
  startPasskey,
  updatePasskey,
  type PasskeyAssertion,
} from "@skein/api/passkeys.ts";
import { getSecondFactors, regenerateRecoveryCodes, resetSecondFactors, startTotp } from "@skein/api/second-factors.ts";
import { expect, test } from "vitest";
import { withApp } from "../../../../test/authenticator-app.ts";
import { newRealm, success, type TestRealm, type TestUser } from "../../../../test/realm.ts";
import { originOf, SoftwareAuthenticator, withPasskey } from "../../../../test/software-authenticator.ts";
import { password, TestBrowser, withPassword } from "../../../../test/test-browser.ts";

const passkeyPage = "/accounts/login/passkey/";
const codePage = "/accounts/login/second_factor/";
const headers = { accept: "application/json" };
const refused = { result: "error", code: "PASSKEY_INVALID" };
const invalid = { result: "error", code: "SECOND_FACTOR_INVALID" };

interface Offer {
  options: Record<string, unknown>;
  state: string;
}

/** What the sign-in page offers to a script. */
async function offerOf(browser: TestBrowser): Promise<Offer> {
  const { html } = await browser.open(passkeyPage, { headers });
  return JSON.parse(html) as Offer; // by the page
}

/** Sends what a passkey has signed; returns the response. */
async function send(browser: TestBrowser, state: string, credential: PasskeyAssertion, node?: number) {
  const form = { state, credential: JSON.stringify(credential) };
  const { html } = await browser.send(passkeyPage, form, { headers, ...(node === undefined ? {} : { node }) });
  return JSON.parse(html) as Record<string, unknown>; // all our responses are objects
}

/** What a page's form contains, as the page's script reads it. */
function offerIn(html: string): Offer {
  const read = (name: string) =>
    (new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? "").replaceAll("&quot;", '"');
  return { options: JSON.parse(read("options")) as Offer["options"], state: read("state") };
}

async function entriesAbout({ admin }: TestRealm, user: TestUser) {
  const about = { target_kind: "user", target_id: user.id } as const;
  const { entries } = success(await admin.call(getAuditLog, { ...about, limit: 100 }));
  return entries.toReversed().map(({ action, before, after }) => [action, before ?? after]);
}

const confirm = async (user: TestUser, authenticator: SoftwareAuthenticator) => {
  const { options, state } = success(await user.call(getPasskeyChallenge, {}));
  return { state, credential: authenticator.get(options) };
};

test("a passkey is added with the password, named, used to sign in, and removed with itself", async () => {
  const realm = await newRealm();
  const hamlet = await withPassword(realm, "hamlet");
  const authenticator = new SoftwareAuthenticator(originOf(hamlet));
  const browser = new TestBrowser(realm);
  expect((await browser.open("/login/")).html).not.toContain("passkey");

  expect(await hamlet.call(startPasskey, { password: "guess" })).toMatchObject({ msg: "Wrong password!" });
  const { options, state } = success(await hamlet.call(startPasskey, { password }));
  expect(options).toMatchObject({ rp: { id: realm.host }, attestation: "none", excludeCredentials: [] });
  const credential = authenticator.create(options);
  const made = success(await hamlet.call(addPasskey, { name: " Laptop ", state, credential }));
  expect(made).toMatchObject({ passkey: { name: "Laptop", last_used_at: null, is_backed_up: false } });
  expect(made.recovery_codes).toHaveLength(10);
  expect(await hamlet.call(addPasskey, { name: "Again", state, credential })).toMatchObject(refused);
  const passkey_id = made.passkey.id;
  success(await hamlet.call(updatePasskey, { passkey_id, name: "Phone" }));

  expect((await browser.open("/login/")).html).toContain("Sign in with a passkey");
  const offer = await offerOf(browser);
  expect(offer.options).not.toHaveProperty("allowCredentials");
  expect(await send(browser, offer.state, authenticator.get(offer.options))).toMatchObject({ result: "success" });
  expect(await browser.call("GET", "/users/me")).toMatchObject({ user_id: hamlet.id });
  const known = success(await hamlet.call(getSecondFactors, {}));
  expect(known).toMatchObject({ totp: null, recovery_codes_left: 10 });
  expect(known.passkeys).toMatchObject([{ id: passkey_id, name: "Phone", last_used_at: expect.any(Number) }]);

  expect(await hamlet.call(removePasskey, { passkey_id })).toMatchObject({
    code: "SECOND_FACTOR_REQUIRED",
    second_factors: ["passkey", "recovery_code"],
  });
  success(await hamlet.call(removePasskey, { passkey_id, passkey: await confirm(hamlet, authenticator) }));
  expect(success(await hamlet.call(getSecondFactors, {}))).toMatchObject({ passkeys: [], recovery_codes_left: 0 });
  expect(await entriesAbout(realm, hamlet)).toEqual([
    ["second_factor.failure", { reason: "wrong_password" }],
    ["second_factor.enable", { method: "passkey", name: "Laptop" }],
    ["sign_in.success", { method: "passkey" }],
    ["second_factor.disable", { method: "passkey", name: "Phone" }],
  ]);
});

test("after the password a passkey or a recovery code is needed, for browsers and for keys", async () => {
  const realm = await newRealm();
  const hamlet = await withPassword(realm, "hamlet");
  const { authenticator } = await withPasskey(hamlet);
  const username = hamlet.email;
  const browser = new TestBrowser(realm);

  expect(await realm.client(realm.nodes[0]!).call(fetchApiKey, { username, password })).toMatchObject({
    code: "SECOND_FACTOR_REQUIRED",
    second_factors: ["passkey", "recovery_code"],
  });
  expect(await browser.signIn(hamlet)).toMatchObject({ status: 303, location: codePage });
  const { html } = await browser.open(codePage);
  expect(html).toContain("Use a passkey");
  const { options, state } = offerIn(html);
  expect(options).toMatchObject({ allowCredentials: [{ id: authenticator.id.toString("base64url") }] });
  const form = { state, credential: JSON.stringify(authenticator.get(options)) };
  expect(await browser.send(codePage, form)).toMatchObject({ status: 303, location: "/" });

  expect(await browser.call("GET", "/users/me")).toMatchObject({ user_id: hamlet.id });
  expect((await entriesAbout(realm, hamlet)).at(-1)).toEqual([
    "sign_in.success",
    { method: "password", second_factor: "passkey" },
  ]);
  // Creating a key asks for both again.
  const passkey = JSON.stringify(await confirm(hamlet, authenticator));
  expect(await browser.call("POST", "/fetch_api_key", { password })).toMatchObject({ code: "SECOND_FACTOR_REQUIRED" });
  expect(await browser.call("POST", "/fetch_api_key", { password, passkey })).toMatchObject({ result: "success" });
  expect(await browser.call("POST", "/fetch_api_key", { password, passkey })).toMatchObject(invalid);
});

test("nothing else is accepted: another origin, host, challenge, purpose, account, counter or ceremony", async () => {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await withPassword(realm, "hamlet"), await withPassword(realm, "ophelia")];
  const { authenticator } = await withPasskey(hamlet);
  const { authenticator: hers } = await withPasskey(ophelia);
  const browser = new TestBrowser(realm);
  const { options, state } = await offerOf(browser);
  const attempts: [string, PasskeyAssertion][] = [
    ["another origin", authenticator.get(options, { origin: "https://evil.example" })],
    ["another port", authenticator.get(options, { origin: `${originOf(hamlet)}:8443` })],
    ["another host", authenticator.get(options, { rpId: "example.com" })],
    ["another challenge", authenticator.get(options, { challenge: Buffer.alloc(32).toString("base64url") })],
    ["another ceremony", authenticator.get(options, { type: "webauthn.create" })],
    ["an owner who was not verified", authenticator.get(options, { isVerified: false })],
    [
      "another owner",
      authenticator.get(options, { userHandle: Buffer.from(`user ${ophelia.id}`).toString("base64url") }),
    ],
    ["an unknown passkey", new SoftwareAuthenticator(originOf(hamlet)).get(options)],
    [
      "another passkey's signature",
      { ...hers.get(options), id: authenticator.get(options).id, rawId: authenticator.get(options).id },
    ],
  ];
  for (const [what, credential] of attempts)
    expect(await send(browser, state, credential), what).toMatchObject(refused);
  const elsewhere = await newRealm();
  await withPasskey(await elsewhere.user("fortinbras"));
  const foreign = await offerOf(new TestBrowser(elsewhere));
  const own = authenticator.get({ ...foreign.options, rpId: realm.host });
  expect(await send(browser, foreign.state, own), "another organization's challenge").toMatchObject(refused);
  const confirming = success(await hamlet.call(getPasskeyChallenge, {}));
  const confirmed = authenticator.get(confirming.options);
  expect(await send(browser, confirming.state, confirmed), "another purpose").toMatchObject(refused);
  expect(await send(browser, "v1.AAAA", authenticator.get(options)), "no state").toMatchObject(refused);

  // None of it has used the challenge up.
  const right = authenticator.get(options, { counter: 90 });
  expect(await send(browser, state, right)).toMatchObject({ result: "success" });
  const next = await offerOf(browser);
  const cloned = authenticator.get(next.options, { counter: 90 });
  expect(await send(browser, next.state, cloned), "a counter that stands still").toMatchObject(refused);
  // Hers proves nothing about him.
  const challenge = success(await ophelia.call(getPasskeyChallenge, {}));
  const passkey = { state: challenge.state, credential: hers.get(challenge.options) };
  expect(await hamlet.call(regenerateRecoveryCodes, { passkey })).toMatchObject(invalid);
  const failures = (await entriesAbout(realm, hamlet)).filter(([action]) => action === "sign_in.failure");
  expect(failures).toContainEqual(["sign_in.failure", { method: "passkey", reason: "wrong_passkey" }]);
});

test("a challenge is accepted once, on whichever node, and expires", async () => {
  const realm = await newRealm();
  const hamlet = await withPassword(realm, "hamlet");
  const { authenticator } = await withPasskey(hamlet);
  const browsers = Array.from({ length: 6 }, () => new TestBrowser(realm));
  for (const browser of browsers) await browser.open("/login/");
  const { options, state } = await offerOf(new TestBrowser(realm));
  // This passkey does not count, so that only the challenge tells the requests apart.
  const credential = authenticator.get(options, { counter: 0 });

  const answers = await Promise.all(browsers.map((browser, node) => send(browser, state, credential, node % 2)));
  expect(answers.filter(({ result }) => result === "success")).toHaveLength(1);
  expect(await send(new TestBrowser(realm), state, credential)).toMatchObject(refused);

  const sealed = { challenge: Buffer.alloc(32, 7).toString("base64url"), until: Date.now() - 1000 };
  const purpose = `passkey to sign in to realm ${realm.id}`;
  const late = realm.ctx.secretBox.seal(JSON.stringify(sealed), purpose);
  const signed = authenticator.get({ ...options, challenge: sealed.challenge }, { counter: 0 });
  expect(await send(new TestBrowser(realm), late, signed)).toMatchObject(refused);
});

test("adding one to a protected account needs its second factor, and certificates are not accepted", async () => {
  const realm = await newRealm();
  const hamlet = await withPassword(realm, "hamlet");
  const { recoveryCodes } = await withApp(hamlet);
  const authenticator = new SoftwareAuthenticator(originOf(hamlet));

  expect(await hamlet.call(startPasskey, { password })).toMatchObject({
    code: "SECOND_FACTOR_REQUIRED",
    second_factors: ["totp", "recovery_code"],
  });
  const proof = { password, second_factor_code: recoveryCodes[0] ?? "" };
  const { options, state } = success(await hamlet.call(startPasskey, proof));
  const add = (user: TestUser, credential: ReturnType<SoftwareAuthenticator["create"]>) =>
    user.call(addPasskey, { name: "Key", state, credential });
  expect(await add(hamlet, authenticator.create(options, { format: "apple" }))).toMatchObject(refused);
  expect(await add(hamlet, authenticator.create(options, { isVerified: false }))).toMatchObject(refused);
  expect(await add(hamlet, authenticator.create(options, { origin: "https://evil.example" }))).toMatchObject(refused);
  const other = await withPassword(realm, "ophelia");
  expect(await add(other, authenticator.create(options))).toMatchObject(refused);
  const added = success(await add(hamlet, authenticator.create(options)));

  expect(added.recovery_codes).toBeNull();
  expect(success(await hamlet.call(getSecondFactors, {}))).toMatchObject({ recovery_codes_left: 9 });
  const again = { password, passkey: await confirm(hamlet, authenticator) };
  expect(success(await hamlet.call(startPasskey, again)).options).toMatchObject({
    excludeCredentials: [{ id: authenticator.id.toString("base64url") }],
  });
  const replayed = { passkey_id: added.passkey.id, passkey: again.passkey };
  expect(await hamlet.call(removePasskey, replayed)).toMatchObject(invalid);
  expect(await other.call(removePasskey, { passkey_id: added.passkey.id, code: "x" })).toMatchObject({
    result: "error",
  });
});

test("passkeys end with a reset, and open nothing for those who are deactivated or must use the identity provider", async () => {
  const realm = await newRealm();
  const { db } = realm.ctx;
  const hamlet = await withPassword(realm, "hamlet");
  const { authenticator } = await withPasskey(hamlet);
  const tryIt = async () => {
    const browser = new TestBrowser(realm);
    const { options, state } = await offerOf(browser);
    return send(browser, state, authenticator.get(options));
  };
  const early = await offerOf(new TestBrowser(realm));

  await db.updateTable("users").set({ is_active: false }).where("id", "=", hamlet.id).execute();
  expect(await tryIt()).toMatchObject({ code: "USER_DEACTIVATED" });
  await db.updateTable("users").set({ is_active: true }).where("id", "=", hamlet.id).execute();
  await db.updateTable("realms").set({ only_identity_provider_id: 1 }).where("id", "=", realm.id).execute();
  const browser = new TestBrowser(realm);
  expect((await browser.open("/login/")).html).not.toContain("passkey");
  expect(await send(browser, early.state, authenticator.get(early.options))).toMatchObject({
    code: "AUTH_METHOD_DISABLED",
  });
  await db.updateTable("realms").set({ only_identity_provider_id: null }).where("id", "=", realm.id).execute();
  expect(await hamlet.call(startTotp, { password })).toMatchObject({ code: "SECOND_FACTOR_REQUIRED" });
  success(await realm.admin.call(resetSecondFactors, { user_id: hamlet.id }));

  expect(await send(browser, early.state, authenticator.get(early.options))).toMatchObject(refused);
  expect((await entriesAbout(realm, hamlet)).at(-1)).toEqual(["second_factor.reset", { methods: ["passkey"] }]);
  success(await hamlet.call(startTotp, { password }));
});
