/** Signing in with an OpenID Connect provider. */
import { createDecipheriv, createHmac, createPublicKey, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { inspect } from "node:util";
import { runInNewContext } from "node:vm";
import { getServerSettings } from "@skein/api/server-settings.ts";
import { beforeAll, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { readConfig } from "../../../config.ts";
import { startNode } from "../../../../test/nodes.ts";
import { algorithmNames, TestProvider, type Claims, type SigningIn } from "../../../../test/openid-provider.ts";
import { newRealm, success, TestUser, type TestRealm } from "../../../../test/realm.ts";
import { withApp } from "../../../../test/authenticator-app.ts";
import { newAddress, TestBrowser } from "../../../../test/test-browser.ts";

let provider: TestProvider;
let nodes: [TestRealm["nodes"][number], TestRealm["nodes"][number]];
let realm: TestRealm;
beforeAll(async () => {
  provider = await TestProvider.start();
  const environment = { ...provider.environment, SKEIN_ROLES: "api" };
  nodes = [await startNode({ environment: provider.environment }), await startNode({ environment })];
});
beforeEach(async () => {
  realm = await newRealm(nodes);
  provider.instead = undefined;
});

const begin = "/accounts/login/social/oidc";
const aboutUser = ({ email }: { email: string }): Claims => ({ sub: `of ${email}`, email, email_verified: true });

/** The path that the provider redirects the browser to. */
function backFrom(location: string | undefined, signingIn: SigningIn): string {
  const { pathname, search } = new URL(provider.signIn(location ?? "", signingIn));
  return pathname + search;
}

/** Runs the whole flow. */
async function signIn(browser: TestBrowser, signingIn: SigningIn, path = begin) {
  const { location } = await browser.open(path);
  return browser.open(backFrom(location, signingIn));
}

const isSignedIn = (browser: TestBrowser): boolean => browser.cookies.has("sessionid");

test("clients and the sign-in page list it", async () => {
  const settings = success(await realm.client(nodes[0]).call(getServerSettings, {}));
  const page = await new TestBrowser(realm).open("/login/?next=/%23inbox");

  expect(settings.external_authentication_methods).toEqual([
    {
      name: "oidc",
      display_name: "Harbor ID",
      display_icon: null,
      login_url: begin,
      signup_url: "/accounts/register/social/oidc",
    },
  ]);
  expect(settings.authentication_methods["openid connect"]).toBe(true);
  expect(page.html).toContain(`<a class="button" href="${begin}?next=%2F%23inbox">Sign in with Harbor ID</a>`);
});

test("a user the provider vouches for is signed in on all nodes and sent to the page they wanted", async () => {
  const hamlet = await realm.user("hamlet");
  const browser = new TestBrowser(realm);

  const asked = await browser.open(`${begin}?next=/%23inbox`);
  const question = new URL(asked.location ?? "");
  const back = await browser.open(
    backFrom(asked.location, { claims: aboutUser({ email: hamlet.email.toUpperCase() }) }),
  );

  expect(asked.status).toBe(303);
  expect(Object.fromEntries(question.searchParams)).toEqual({
    response_type: "code",
    client_id: provider.clientId,
    redirect_uri: `http://${realm.host}/complete/oidc/`,
    scope: "openid email profile",
    state: expect.stringMatching(/^[\w-]{43}$/),
    nonce: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge_method: "S256",
  });
  expect(back).toMatchObject({ status: 303, location: "/#inbox" });
  for (const node of [0, 1])
    expect(await browser.call("GET", "/users/me", {}, { node })).toMatchObject({ user_id: hamlet.id });
  expect(browser.cookies.has("openid")).toBe(false);
});

test("second factors are the provider's task: a user with an authenticator app is not asked for a code", async () => {
  const hamlet = await realm.user("hamlet");
  await withApp(hamlet);
  const browser = new TestBrowser(realm);

  expect(await signIn(browser, { claims: aboutUser(hamlet) })).toMatchObject({ status: 303, location: "/" });

  expect(isSignedIn(browser)).toBe(true);
});

test("over TLS only this host can set the cookie of a pending sign-in", async () => {
  const hamlet = await realm.user("hamlet");
  const browser = new TestBrowser(realm, { isSecure: true });

  const asked = await browser.open(begin);
  expect(browser.setCookies.get("__Host-openid")).toMatch(/; Path=\/; Max-Age=600; SameSite=Lax; HttpOnly; Secure$/);
  await browser.open(backFrom(asked.location, { claims: aboutUser(hamlet) }));

  expect(browser.cookies.has("__Host-sessionid")).toBe(true);
});

test("a token signed with RSA is accepted, and an address missing from the token is fetched", async () => {
  const hamlet = await realm.user("hamlet");
  const [one, two] = [new TestBrowser(realm), new TestBrowser(realm)];

  await signIn(one, { claims: aboutUser(hamlet), token: (claims) => provider.sign(claims, "RS256") });
  await signIn(two, { claims: { sub: "7" }, userInfo: { ...aboutUser(hamlet), sub: "7", email_verified: "true" } });

  expect([one, two].map(isSignedIn)).toEqual([true, true]);
});

test.for(algorithmNames)("an ID token signed with %s is accepted", async (algorithm) => {
  const hamlet = await realm.user("hamlet");
  const browser = new TestBrowser(realm);

  await signIn(browser, { claims: aboutUser(hamlet), token: (claims) => provider.sign(claims, algorithm) });

  expect(isSignedIn(browser)).toBe(true);
});

/** A separate node, because nodes cache the provider's configuration. */
async function newRealmFor(metadata: object): Promise<TestRealm> {
  provider.metadata = metadata;
  const node = await startNode({ environment: { ...provider.environment, SKEIN_ROLES: "api" } });
  const fresh = await newRealm([node]);
  onTestFinished(() => void (provider.metadata = {}));
  return fresh;
}

test("algorithms the provider does not list, or that need no private key, are refused though it signs with them", async () => {
  const fresh = await newRealmFor({ id_token_signing_alg_values_supported: ["RS256", "HS256", "none"] });
  const hamlet = await fresh.user("hamlet");
  const withSecret = (claims: Claims): string => {
    const signed = `${encode({ alg: "HS256" })}.${encode(claims)}`;
    return `${signed}.${createHmac("sha256", provider.clientSecret).update(signed).digest("base64url")}`;
  };
  const withNothing = (claims: Claims): string => `${encode({ alg: "none" })}.${encode(claims)}.`;

  for (const token of [withSecret, withNothing, (claims: Claims) => provider.sign(claims, "ES256")]) {
    const browser = new TestBrowser(fresh);
    expect(await signIn(browser, { claims: aboutUser(hamlet), token })).toMatchObject({ status: 502 });
    expect(isSignedIn(browser)).toBe(false);
  }
  const browser = new TestBrowser(fresh);
  await signIn(browser, { claims: aboutUser(hamlet), token: (claims) => provider.sign(claims, "RS256") });
  expect(isSignedIn(browser)).toBe(true);
});

test("a response that names another issuer is refused, and one without where the provider promises it", async () => {
  const fresh = await newRealmFor({ authorization_response_iss_parameter_supported: true });
  const hamlet = await fresh.user("hamlet");
  const come = async (more: string) => {
    const browser = new TestBrowser(fresh);
    const { location } = await browser.open(begin);
    await browser.open(backFrom(location, { claims: aboutUser(hamlet) }) + more);
    return isSignedIn(browser);
  };

  expect(await come("")).toBe(false);
  expect(await come("&iss=https%3A%2F%2Fid.example.com")).toBe(false);
  expect(await come(`&iss=${encodeURIComponent(provider.url)}`)).toBe(true);
});

test("the log states what the provider did wrong, and contains no token", async () => {
  const hamlet = await realm.user("hamlet");
  const warned = vi.spyOn(nodes[1].ctx.logger, "warn");
  let token = "";
  const forOthers = (claims: Claims) => (token = provider.sign({ ...claims, iss: "https://id.example.com" }));

  await signIn(new TestBrowser(realm), { claims: aboutUser(hamlet), token: forOthers });

  const logged = inspect(warned.mock.calls, { depth: 9, showHidden: true });
  expect(logged).toContain('redeeming the code failed: unexpected JWT claim value encountered: unexpected JWT "iss"');
  expect(logged).not.toContain(token.split(".")[1]);
});

// clients 8.3
test("a mobile app receives its key, and the provider asks the user to sign in again", async () => {
  const hamlet = await realm.user("hamlet");
  const pad = randomBytes(32);
  const browser = new TestBrowser(realm);

  const asked = await browser.open(`${begin}?mobile_flow_otp=${pad.toString("hex")}`);
  const { location = "" } = await browser.open(backFrom(asked.location, { claims: aboutUser(hamlet) }));

  expect(new URL(asked.location ?? "").searchParams.get("prompt")).toBe("login");
  const appUrl = new URL(location);
  expect(`${appUrl.protocol}//${appUrl.host}`).toBe("zulip://login");
  const hidden = Buffer.from(appUrl.searchParams.get("otp_encrypted_api_key") ?? "", "hex");
  const apiKey = Buffer.from(hidden.map((byte, index) => byte ^ (pad[index] ?? 0))).toString("ascii");
  const app = new TestUser(realm, hamlet.id, hamlet.email, hamlet.fullName, apiKey);
  expect(await app.request("GET", "/users/me")).toMatchObject({ user_id: hamlet.id });
  expect(isSignedIn(browser)).toBe(false);
});

test("the desktop app opens a browser, and signs in with the code copied there", async () => {
  const hamlet = await realm.user("hamlet");
  const app = new TestBrowser(realm);
  const headers = { "user-agent": "ZulipElectron/5.12.4 Mozilla/5.0 (X11; Linux x86_64)" };
  const key = randomBytes(32);
  const copied = Promise.withResolvers<string>();
  const sent = Promise.withResolvers<string>();
  const opened: string[] = [];
  const location = { href: `http://${realm.host}${begin}` };

  const page = await app.open(begin, { headers });
  const [, script = ""] = /<script>(.*)<\/script>/s.exec(page.html) ?? [];
  const decrypt_clipboard = () => ({ key: new Uint8Array(key), pasted: copied.promise });
  const window = { electron_bridge: { decrypt_clipboard }, open: (url: string) => opened.push(url), location };
  const button = { hidden: true, addEventListener: () => undefined };
  const form = { action: "", submit: () => sent.resolve(form.action) };
  const document = { getElementById: () => button, querySelector: () => form };
  runInNewContext(script, { window, URL, document });

  const [address = ""] = opened;
  const { pathname, search, searchParams } = new URL(address);
  expect(searchParams.get("desktop_flow_otp")).toBe(key.toString("hex"));
  const outside = await signIn(new TestBrowser(realm), { claims: aboutUser(hamlet) }, pathname + search);
  const [, sealed = ""] = /id="token"[^>]* value="([0-9a-f]+)"/.exec(outside.html) ?? [];
  const data = Buffer.from(sealed, "hex");
  const decipher = createDecipheriv("aes-256-gcm", key, data.subarray(0, 12)).setAuthTag(data.subarray(-16));
  copied.resolve(decipher.update(data.subarray(12, -16), undefined, "utf8") + decipher.final("utf8"));
  const action = await sent.promise;
  expect(action).toMatch(/^\/accounts\/login\/subdomain\//);
  expect(page.html).toContain(`name="csrfmiddlewaretoken" value="${app.cookies.get("csrftoken")}"`);
  expect(await app.send(action, {}, { headers })).toMatchObject({ status: 303, location: "/" });
  expect(await app.call("GET", "/users/me")).toMatchObject({ user_id: hamlet.id });
});

test("a new user needs an invitation, or chooses a name if registration is open", async () => {
  const email = newAddress();
  const signingIn = { claims: aboutUser({ email }) };
  const set = (values: object) => realm.ctx.db.updateTable("realms").set(values).where("id", "=", realm.id).execute();
  const browser = new TestBrowser(realm);

  await set({ invite_required: true });
  expect(await signIn(browser, signingIn)).toMatchObject({
    status: 403,
    html: expect.stringContaining("You need an invitation"),
  });
  await set({ invite_required: false });
  const led = await signIn(browser, signingIn, "/accounts/register/social/oidc");
  const form = await browser.open(led.location ?? "");

  expect(led.location).toMatch(/^\/accounts\/do_confirm\/[\w-]{43}\/$/);
  expect(form.html).toContain(`value="${email}"`);
  expect(isSignedIn(browser)).toBe(false);
});

test("a deactivated account stays deactivated", async () => {
  const hamlet = await realm.user("hamlet");
  await realm.ctx.db.updateTable("users").set({ is_active: false }).where("id", "=", hamlet.id).execute();
  const browser = new TestBrowser(realm);

  const page = await signIn(browser, { claims: aboutUser(hamlet) });

  expect(page).toMatchObject({ status: 401, html: expect.stringContaining("Account is deactivated") });
  expect(isSignedIn(browser)).toBe(false);
});

test("a callback works once, only in the browser, organization and attempt it belongs to", async () => {
  const hamlet = await realm.user("hamlet");
  const elsewhere = await newRealm(nodes);
  const browser = new TestBrowser(realm);
  const signingIn = { claims: aboutUser(hamlet) };
  const { location } = await browser.open(begin);
  const path = backFrom(location, signingIn);
  const carried = browser.cookies.get("openid") ?? "";
  const carrying = (at: TestRealm) => {
    const other = new TestBrowser(at);
    other.cookies.set("openid", carried);
    return other;
  };
  const unknown = { status: 400, html: expect.stringContaining("This sign-in was not started in this browser") };

  expect(await new TestBrowser(realm).open(path)).toMatchObject(unknown);
  expect(await carrying(elsewhere).open(path)).toMatchObject(unknown);
  expect(await carrying(realm).open(path.replace(/state=./, "state=~"))).toMatchObject(unknown);
  const forged = carrying(realm);
  forged.cookies.set("openid", `${carried.slice(0, -2)}AA`);
  expect(await forged.open(path)).toMatchObject(unknown);
  const two = carrying(realm);
  expect(await browser.open(path)).toMatchObject({ status: 303, location: "/" });
  expect(await browser.open(path)).toMatchObject(unknown);
  // A copy of the cookie and the URL is useless, too.
  expect(await two.open(path)).toMatchObject(unknown);
  expect(isSignedIn(two)).toBe(false);
});

test("a code of another attempt signs nobody in", async () => {
  const [hamlet, mallory] = [await realm.user("hamlet"), await realm.user("mallory")];
  const [victim, attacker] = [new TestBrowser(realm), new TestBrowser(realm)];
  const theirs = await attacker.open(begin);
  const ours = await victim.open(begin);
  const stolen = new URL(provider.signIn(theirs.location ?? "", { claims: aboutUser(mallory) }));
  const own = new URL(provider.signIn(ours.location ?? "", { claims: aboutUser(hamlet) }));
  own.searchParams.set("code", stolen.searchParams.get("code") ?? "");

  expect(await victim.open(own.pathname + own.search)).toMatchObject({ status: 502 });
  expect(isSignedIn(victim)).toBe(false);
});

const otherKey = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
const publicKeyOf = (name: string) => provider.publicKeys.find((key) => "kid" in key && key.kid === name);
const signedWithPublicKey = (claims: Claims): string => {
  const signed = `${encode({ alg: "HS256", kid: "RS256" })}.${encode(claims)}`;
  return `${signed}.${createHmac("sha256", JSON.stringify(publicKeyOf("RS256")))
    .update(signed)
    .digest("base64url")}`;
};
const forged = (claims: Claims, header: object, key = otherKey): string => {
  const signed = `${encode({ alg: "ES256", kid: "ES256", ...header })}.${encode(claims)}`;
  const signature = sign("sha256", Buffer.from(signed), { key, dsaEncoding: "ieee-p1363" });
  return `${signed}.${signature.toString("base64url")}`;
};
const signedWithOwnKey = (claims: Claims): string =>
  forged(claims, { jwk: createPublicKey(otherKey).export({ format: "jwk" }) });
const signedWithNothing = (claims: Claims): string => {
  const signed = `${encode({ alg: "HS256", kid: "../../../dev/null" })}.${encode(claims)}`;
  return `${signed}.${createHmac("sha256", "").update(signed).digest("base64url")}`;
};
const signedUnderAnotherName = (claims: Claims): string => {
  const [, body = "", signature = ""] = provider.sign(claims, "RS256").split(".");
  return `${encode({ alg: "ES256", kid: "RS256" })}.${body}.${signature}`;
};
const now = () => Math.floor(Date.now() / 1000);

test.for<[string, (user: Claims) => SigningIn, number]>([
  ["signed with another key", (claims) => ({ claims, token: (all) => provider.sign(all, "ES256", otherKey) }), 502],
  ["not signed", (claims) => ({ claims, token: (all) => `${encode({ alg: "none" })}.${encode(all)}.AA` }), 502],
  ["signed with the public key as a secret", (claims) => ({ claims, token: signedWithPublicKey }), 502],
  ["signed with the key in its own header", (claims) => ({ claims, token: signedWithOwnKey }), 502],
  ["with a URL for its key", (claims) => ({ claims, token: (all) => forged(all, { jku: provider.url }) }), 502],
  ["with a path as its key id", (claims) => ({ claims, token: signedWithNothing }), 502],
  ["signed with another key than it names", (claims) => ({ claims, token: signedUnderAnotherName }), 502],
  ["that is not a token", (claims) => ({ claims, token: () => "nonsense" }), 502],
  ["of another provider", (claims) => ({ claims: { ...claims, iss: "https://id.example.com" } }), 502],
  ["for another client", (claims) => ({ claims: { ...claims, aud: "wiki" } }), 502],
  [
    "for several clients, issued to another one",
    (claims) => ({ claims: { ...claims, aud: ["wiki", provider.clientId], azp: "wiki" } }),
    502,
  ],
  ["of another attempt", (claims) => ({ claims: { ...claims, nonce: "x" } }), 502],
  ["without an expiry", (claims) => ({ claims: { ...claims, exp: undefined } }), 502],
  ["that has expired", (claims) => ({ claims: { ...claims, exp: now() - 120 } }), 502],
  ["from the future", (claims) => ({ claims: { ...claims, iat: now() + 600 } }), 502],
  ["without a subject", (claims) => ({ claims: { ...claims, sub: undefined } }), 502],
  ["with an unverified address", (claims) => ({ claims: { ...claims, email_verified: false } }), 403],
  ["with an address of unknown verification", (claims) => ({ claims: { ...claims, email_verified: undefined } }), 403],
  [
    "without an address, and with the user info of another subject",
    () => ({ claims: { sub: "7" }, userInfo: { sub: "8" } }),
    502,
  ],
  ["without an address", () => ({ claims: { sub: "7" } }), 403],
])("an ID token %s signs nobody in", async ([, make, status]) => {
  const hamlet = await realm.user("hamlet");
  const browser = new TestBrowser(realm);

  const page = await signIn(browser, make(aboutUser(hamlet)));

  expect(page.status).toBe(status);
  expect(isSignedIn(browser)).toBe(false);
});

test.for([
  "//evil.example.com",
  "/\\evil.example.com",
  "/\t/evil.example.com",
  "https://evil.example.com/",
  "javascript:1",
])("nobody is redirected to %j after signing in", async (next) => {
  const hamlet = await realm.user("hamlet");
  const browser = new TestBrowser(realm);

  const page = await signIn(browser, { claims: aboutUser(hamlet) }, `${begin}?next=${encodeURIComponent(next)}`);

  expect(page).toMatchObject({ status: 303, location: "/" });
  expect(isSignedIn(browser)).toBe(true);
});

test("a user who cancels at the provider, or is refused, is not signed in and can try again", async () => {
  const browser = new TestBrowser(realm);
  const { location } = await browser.open(begin);
  const state = new URL(location ?? "").searchParams.get("state") ?? "";

  const page = await browser.open(`/complete/oidc/?error=access_denied&state=${state}`);

  expect(page).toMatchObject({ status: 400, html: expect.stringContaining("You are not signed in") });
});

test("a failure of the provider is reported, and the next attempt contacts it again", async () => {
  const node = await startNode({ environment: { ...provider.environment, SKEIN_ROLES: "api" } });
  const fresh = await newRealm([node]);
  const hamlet = await fresh.user("hamlet");
  const signingIn = { claims: aboutUser(hamlet) };
  const answers: ((path: string) => string | undefined)[] = [
    () => "nonsense",
    () => '{"issuer": "https://id.example.com"}',
    (path) => (path === "/token" ? "{}" : undefined),
    (path) => (path === "/token" ? `"${"x".repeat(2 * 1024 ** 2)}"` : undefined),
    (path) => (path === "/keys" ? "{}" : undefined),
  ];

  for (const answer of answers) {
    const browser = new TestBrowser(fresh);
    provider.instead = (path, response) => {
      const text = answer(path);
      if (text !== undefined) response.end(text);
      return text !== undefined;
    };
    const asked = await browser.open(begin);
    const page = asked.status === 303 ? await browser.open(backFrom(asked.location, signingIn)) : asked;
    expect(page).toMatchObject({ status: 502, html: expect.stringContaining("returned no valid response") });
    provider.instead = undefined;
  }
  const browser = new TestBrowser(fresh);
  await signIn(browser, signingIn);
  expect(isSignedIn(browser)).toBe(true);
});

test("the provider's configuration and keys are fetched once", async () => {
  const node = await startNode({ environment: { ...provider.environment, SKEIN_ROLES: "api" } });
  const fresh = await newRealm([node]);
  const hamlet = await fresh.user("hamlet");
  provider.asked();

  for (let count = 0; count < 2; count++) await signIn(new TestBrowser(fresh), { claims: aboutUser(hamlet) });

  expect(provider.asked()).toEqual(["/.well-known/openid-configuration", "/token", "/keys", "/token"]);
});

test("a server without a provider, and an unknown sign-in method, return 404", async () => {
  const plain = await newRealm();

  expect(await new TestBrowser(plain).open(begin)).toMatchObject({ status: 404 });
  expect(await new TestBrowser(realm).open("/accounts/login/social/github")).toMatchObject({ status: 404 });
  expect((await new TestBrowser(plain).open("/login/")).html).not.toContain("Sign in with");
});

test.for([
  ["id.example.com", "must begin with https://"],
  ["http://id.example.com", "must begin with https://"],
  ["https://id.example.com/?x", "must contain neither ? nor #"],
])("%s is not a valid issuer setting", ([issuer, problem]) => {
  expect(() => readConfig({ SKEIN_OIDC_ISSUER: issuer })).toThrow(`SKEIN_OIDC_ISSUER ${problem}`);
});
