/** Signing in with SAML providers of an organization. What the responses themselves may be is in hostile-responses.test.ts. */
import { inflateRawSync } from "node:zlib";
import { getAuditLog } from "@skein/api/audit-log.ts";
import {
  createIdentityProvider,
  testIdentityProvider,
  updateIdentityProvider,
  type IdentityProvider,
} from "@skein/api/identity-providers.ts";
import { getServerSettings } from "@skein/api/server-settings.ts";
import { createUserGroup, getUserGroupMembers } from "@skein/api/user-groups.ts";
import { getUser } from "@skein/api/users.ts";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { nodes } from "../../../../test/nodes.ts";
import { startRealSamlProvider } from "../../../../test/real-saml-provider.ts";
import { newRealm, success, type TestRealm } from "../../../../test/realm.ts";
import { SamlProvider, toBase64, type Variation } from "../../../../test/saml-provider.ts";
import { selfSigned } from "../../../../test/self-signed.ts";
import { newAddress, TestBrowser, type Visited } from "../../../../test/test-browser.ts";

let provider: SamlProvider;
let realm: TestRealm;
beforeAll(async () => {
  provider = new SamlProvider();
  await nodes();
});
beforeEach(async () => {
  realm = await newRealm();
});

const settings = () => ({
  kind: "saml" as const,
  key: "harbor",
  name: "Harbor ID",
  issuer: provider.issuer,
  saml: { sso_url: "https://idp.example.com/sso?tenant=7", certificates: [provider.keys.certificatePem] },
});

const add = async (given: Record<string, unknown> = {}, at = realm): Promise<IdentityProvider> =>
  success(await at.admin.call(createIdentityProvider, { ...settings(), ...given })).identity_provider;

const begin = "/accounts/login/social/saml/harbor";
const acs = "/complete/saml/";

/** What the browser is sent to the provider with. */
function requestIn({ location = "" }: Visited) {
  const text = new URL(location).searchParams.get("SAMLRequest") ?? "";
  const xml = inflateRawSync(Buffer.from(text, "base64")).toString();
  const take = (pattern: RegExp) => pattern.exec(xml)?.[1] ?? "";
  return {
    requestId: take(/ ID="([^"]+)"/),
    acsUrl: take(/AssertionConsumerServiceURL="([^"]+)"/),
    entityId: take(/<saml:Issuer>([^<]+)/),
    isForced: take(/ForceAuthn="([^"]+)"/),
  };
}

type Asked = Omit<ReturnType<typeof requestIn>, "requestId"> & { requestId: string | undefined };
type Stated = { email?: string; nameId?: string; attributes?: Record<string, string | string[]> };

/** The page at the provider posts this. Cookies of ours do not come along. */
function answer(asked: Asked, stated: Stated, variation: Variation = {}): string {
  const { email = "", nameId = email, attributes = {} } = stated;
  return toBase64(provider.respond({ nameId, attributes, ...asked }, variation));
}

const crossSite = { "sec-fetch-site": "cross-site", origin: "https://idp.example.com" };
const post = (SAMLResponse: string, { node = 0, at = realm } = {}): Promise<Visited> =>
  new TestBrowser(at).open(acs, { method: "POST", form: { SAMLResponse }, headers: crossSite, node });

const isSignedIn = (browser: TestBrowser): boolean => browser.cookies.has("sessionid");
const whoIs = async (browser: TestBrowser): Promise<unknown> => (await browser.call("GET", "/users/me"))["user_id"];

async function signIn(browser: TestBrowser, stated: Stated, variation?: Variation): Promise<Visited> {
  const posted = await post(answer(requestIn(await browser.open(begin)), stated, variation), { node: 1 });
  return posted.location === undefined ? posted : browser.open(posted.location);
}

/** Signs somebody in, who must succeed; returns the account's id. */
async function enter(stated: Stated, browser = new TestBrowser(realm)): Promise<number> {
  expect(await signIn(browser, stated)).toMatchObject({ status: 303, location: "/" });
  return Number(await whoIs(browser));
}

test("owners add a provider by its metadata or by hand, and replace certificates; the log has each change", async () => {
  const next = selfSigned("next.example.com");
  const weak = selfSigned("weak.example.com", { bits: 1024 });
  const metadata = `<EntityDescriptor entityID="urn:other"><IDPSSODescriptor><KeyDescriptor><X509Certificate>${next.certificate.raw.toString("base64")}</X509Certificate></KeyDescriptor>
    <SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="https://other.example.com/sso"/></IDPSSODescriptor></EntityDescriptor>`;
  const made = await add();
  const update = (saml: object) => realm.admin.call(updateIdentityProvider, { provider_id: made.id, saml });
  const refused = async (saml: object) => (await update(saml)).msg;

  const both = success(await update({ certificates: [provider.keys.certificatePem, next.certificatePem] }));
  const other = await add({ key: "other", issuer: "", saml: { metadata } });

  expect(made).toMatchObject({
    kind: "saml",
    issuer: provider.issuer,
    client_id: "",
    redirect_uri: expect.stringMatching(/^http:.*\/complete\/saml\/$/),
    saml: {
      sso_url: "https://idp.example.com/sso?tenant=7",
      requires_signed_response: false,
      certificates: [{ fingerprint: provider.keys.certificate.fingerprint256 }],
    },
  });
  expect(both.identity_provider.saml?.certificates).toHaveLength(2);
  expect(both.identity_provider.saml?.sso_url).toBe(made.saml?.sso_url);
  expect(other).toMatchObject({
    issuer: "urn:other",
    saml: {
      sso_url: "https://other.example.com/sso",
      certificates: [{ fingerprint: next.certificate.fingerprint256 }],
    },
  });
  expect(await refused({ certificates: [] })).toBe("saml.certificates must not be empty.");
  expect(await refused({ certificates: ["x"] })).toContain("no certificate");
  expect(await refused({ certificates: [weak.certificatePem] })).toContain("2048 bits");
  expect(await refused({ sso_url: "http://idp.example.com/" })).toContain("https://");
  expect(await refused({ metadata: "<x/>" })).toContain("one identity provider");
  const call = (given: object) => realm.admin.call(createIdentityProvider, { ...settings(), key: "third", ...given });
  expect(await call({ issuer: "" })).toMatchObject({ msg: "issuer must not be empty." });
  expect(await call({ client_secret: "x" })).toMatchObject({ msg: expect.stringContaining("OpenID Connect") });
  expect(await call({ kind: "oidc", client_id: "x", issuer: "https://id.example.com" })).toMatchObject({
    msg: "saml is for SAML providers only.",
  });
  expect(
    success(await realm.admin.call(getAuditLog, { action: ["identity_provider.update"], limit: 9 })).entries,
  ).toMatchObject([
    { target: { id: made.id }, after: { settings: { certificates: [expect.any(String), expect.any(String)] } } },
  ]);
});

test("a test states when the certificates have expired", async () => {
  const old = selfSigned("old.example.com", { days: -2 });
  const check = async ({ id }: IdentityProvider) =>
    success(await realm.admin.call(testIdentityProvider, { provider_id: id })).problem;
  const saml = { ...settings().saml, certificates: [old.certificatePem] };

  expect(await check(await add())).toBeNull();
  expect(await check(await add({ key: "old", saml }))).toContain("expired on");
});

test("the organization publishes its metadata, and lists the provider to clients", async () => {
  const made = await add();
  const [node] = realm.nodes;
  if (!node) throw new Error("a realm has at least one node");

  const page = await new TestBrowser(realm).open("/saml/metadata.xml");
  const listed = success(await realm.client(node).call(getServerSettings, {}));

  expect(page.headers.get("content-type")).toContain("application/samlmetadata+xml");
  expect(page.html).toContain(`entityID="${made.saml?.entity_id}"`);
  expect(page.html).toContain(`Location="${made.redirect_uri}"`);
  expect(listed.authentication_methods).toMatchObject({ saml: true, "openid connect": false });
  expect(listed.external_authentication_methods).toMatchObject([{ name: "saml:harbor", login_url: begin }]);
});

test("a new person gets an account, keeps it when their address changes, and groups follow", async () => {
  const group = { name: "crew", description: "", members: [realm.admin.id] };
  const crew = success(await realm.admin.call(createUserGroup, group)).group_id;
  await add({ groups_claim: "groups", group_map: { crew }, allowed_domains: ["example.com"] });
  const members = async () => success(await realm.admin.call(getUserGroupMembers, { user_group_id: crew })).members;
  const email = newAddress();
  const attributes = { email, first_name: "Mira", "urn:oid:2.5.4.4": "Lindqvist", groups: ["crew", "pilots"] };

  const id = await enter({ nameId: "m-1", attributes });
  expect(await members()).toContain(id);
  expect(await enter({ nameId: "m-1", attributes: { email: newAddress(), groups: "pilots" } })).toBe(id);

  expect(await members()).not.toContain(id);
  expect(success(await realm.admin.call(getUser, { user_id: id })).user).toMatchObject({
    full_name: "Mira Lindqvist",
    delivery_email: email,
  });
  expect(success(await realm.admin.call(getAuditLog, { action: ["sign_in.success"], limit: 1 })).entries).toMatchObject(
    [{ after: { method: "saml:harbor" } }],
  );
  expect((await signIn(new TestBrowser(realm), { email: "a@evil.test" })).status).toBe(403);
});

test("an existing account is linked by its address; the chosen attributes count, and nothing ambiguous", async () => {
  const made = await add();
  const hamlet = await realm.user("hamlet");
  const status = async (stated: Stated, variation?: Variation) =>
    (await signIn(new TestBrowser(realm), stated, variation)).status;

  expect(await enter({ email: hamlet.email.toUpperCase() })).toBe(hamlet.id);
  expect(await status({ nameId: "x", attributes: { mail: [hamlet.email, "b@example.com"] } }, { format: "x" })).toBe(
    403,
  );
  const transient = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient";
  const ophelia = await realm.user("ophelia");
  const stated = { nameId: "t-1", attributes: { uid: "o-1", contact: ophelia.email, email: "other@example.com" } };
  expect(await status(stated, { format: transient })).toBe(502);
  const saml = { subject_attribute: "uid", email_attribute: "contact" };
  success(await realm.admin.call(updateIdentityProvider, { provider_id: made.id, saml }));
  const browser = new TestBrowser(realm);
  expect((await signIn(browser, stated, { format: transient })).status).toBe(303);
  expect(await whoIs(browser)).toBe(ophelia.id);
});

test("of copies of a response, and of two browsers that bring it, one succeeds, on any node", async () => {
  await add();
  const hamlet = await realm.user("hamlet");
  const browser = new TestBrowser(realm);
  const response = answer(requestIn(await browser.open(begin)), hamlet);

  const posted = await Promise.all([0, 1, 0, 1].map((node) => post(response, { node })));
  const [won] = posted.filter(({ status }) => status === 303);
  const location = won?.location ?? "";
  const copy = new TestBrowser(realm);
  for (const [name, value] of browser.cookies) copy.cookies.set(name, value);
  const completed = await Promise.all([browser.open(location, { node: 0 }), copy.open(location, { node: 1 })]);

  expect(posted.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([303, 400, 400, 400]);
  expect(completed.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([303, 400]);
  expect((await post(response)).status).toBe(400);
  expect((await browser.open(location)).status).toBe(400);
});

test("an assertion works once, even for another request", async () => {
  await add();
  const hamlet = await realm.user("hamlet");
  const [first, second] = [await new TestBrowser(realm).open(begin), await new TestBrowser(realm).open(begin)];
  const id = "_the-same";
  const assertion = (xml: string) => xml.replace(/ ID="[^"]+"/, ` ID="${id}"`);

  expect((await post(answer(requestIn(first), hamlet, { assertion }))).status).toBe(303);
  expect((await post(answer(requestIn(second), hamlet, { assertion }))).status).toBe(400);
});

test("nobody signs in with the response of somebody else whom they have sent to the provider, nor signs others in", async () => {
  await add();
  const [hamlet, mallory] = [await realm.user("hamlet"), await realm.user("mallory")];
  const attacker = new TestBrowser(realm);
  // Hamlet follows the attacker's link to the provider, which makes his browser post a response about him.
  const asked = requestIn(await attacker.open(begin));
  const { location: ticketOfHamlet = "" } = await post(answer(asked, hamlet));
  const withoutTicket = `${acs}?request=${asked.requestId}&ticket=`;

  expect((await attacker.open(withoutTicket)).status).toBe(400);
  expect(isSignedIn(attacker)).toBe(false);
  expect((await new TestBrowser(realm).open(ticketOfHamlet)).status).toBe(400);
  // The attacker makes Hamlet's browser bring a response about the attacker.
  const victim = new TestBrowser(realm);
  await victim.open(begin);
  const { location: ticketOfMallory = "" } = await post(answer(requestIn(await attacker.open(begin)), mallory));
  expect((await victim.open(ticketOfMallory)).status).toBe(400);
  expect(isSignedIn(victim)).toBe(false);
});

test("a response of another organization, another provider, a disabled one or a late one is refused", async () => {
  const made = await add();
  const elsewhere = await newRealm();
  await add({}, elsewhere);
  const hamlet = await realm.user("hamlet");
  const another = new SamlProvider(provider.issuer);
  const ask = async (at = realm) => requestIn(await new TestBrowser(at).open(begin));
  const asked = await ask();

  // Meant for the other organization, whose people the same provider knows.
  expect((await post(answer(await ask(elsewhere), hamlet))).status).toBe(400);
  const { requestId } = await ask();
  expect((await post(answer({ ...(await ask(elsewhere)), requestId }, hamlet))).status).toBe(502);
  expect((await post(toBase64(another.respond({ nameId: hamlet.email, ...asked })))).status).toBe(502);
  expect((await post(answer({ ...asked, requestId: "_unknown" }, hamlet))).status).toBe(400);
  expect((await post("nonsense")).status).toBe(502);
  expect((await post(answer(asked, hamlet, { status: "urn:oasis:names:tc:SAML:2.0:status:Responder" }))).status).toBe(
    400,
  );
  success(await realm.admin.call(updateIdentityProvider, { provider_id: made.id, is_enabled: false }));
  expect((await post(answer(asked, hamlet))).status).toBe(400);
  expect((await new TestBrowser(realm).open(begin)).status).toBe(404);
  success(await realm.admin.call(updateIdentityProvider, { provider_id: made.id, is_enabled: true }));
  expect((await post(answer(asked, hamlet))).status).toBe(303);
  const late = await ask();
  await realm.ctx.db
    .updateTable("saml_requests")
    .set({ expires_at: new Date(Date.now() - 1000) })
    .where("request_id", "=", late.requestId)
    .execute();
  expect((await post(answer(late, hamlet))).status).toBe(400);
  success(
    await realm.admin.call(updateIdentityProvider, { provider_id: made.id, saml: { requires_signed_response: true } }),
  );
  expect((await post(answer(await ask(), hamlet))).status).toBe(502);
  expect((await post(answer(await ask(), hamlet, { signs: "both" }))).status).toBe(303);
});

test("whoever comes from the provider's own page begins a sign-in here, once", async () => {
  await add();
  const hamlet = await realm.user("hamlet");
  const asked = requestIn(await new TestBrowser(realm).open(begin));
  const unsolicited = answer({ ...asked, requestId: undefined }, hamlet);
  const browser = new TestBrowser(realm);

  const { location = "" } = await post(unsolicited);
  expect(location).toBe(`${begin}?unsolicited=true`);
  const started = await browser.open(location);
  expect(started.location).toContain("https://idp.example.com/sso?tenant=7&SAMLRequest=");
  // A provider that never names the request would go round in circles.
  expect((await browser.open(location)).status).toBe(502);
  expect(
    (await post(toBase64(new SamlProvider("urn:unknown").respond({ ...asked, nameId: "x", requestId: undefined }))))
      .status,
  ).toBe(404);
});

test("the response of a page of another site changes no cookies, and an app gets its key", async () => {
  await add();
  const hamlet = await realm.user("hamlet");
  const browser = new TestBrowser(realm);
  const asked = requestIn(await browser.open(`${begin}?mobile_flow_otp=${"ab".repeat(32)}`));

  const posted = await post(answer(asked, hamlet));
  const completed = await browser.open(posted.location ?? "");

  expect(asked.isForced).toBe("true");
  expect(posted.headers.getSetCookie()).toEqual([]);
  expect(completed.location).toMatch(/^zulip:\/\/login\?.*otp_encrypted_api_key=/);
});

test("with an only SAML provider every other way to sign in is refused", async () => {
  const made = await add();
  await add({ key: "second" });
  await enter(realm.admin);

  success(await realm.admin.call(updateIdentityProvider, { provider_id: made.id, is_only: true }));

  const browser = new TestBrowser(realm);
  expect((await browser.open("/login/")).html).not.toContain('name="password"');
  expect((await browser.open("/accounts/login/social/saml/second")).status).toBe(403);
  expect(await enter(realm.admin)).toBe(realm.admin.id);
});

test("a provider that others have written: people sign in, and get names and groups", async () => {
  const people = {
    mira: { email: newAddress(), first_name: "Mira", last_name: "Lindqvist", groups: ["pilots", "crew"] },
    tomas: { email: newAddress(), first_name: "Tomáš", last_name: "Orlík & Son", groups: ["crew"] },
    stray: { email: "stray@elsewhere.test", first_name: "Stray", last_name: "Cat", groups: [] },
  };
  const real = await startRealSamlProvider(people);
  const group = { name: "crew", description: "", members: [realm.admin.id] };
  const crew = success(await realm.admin.call(createUserGroup, group)).group_id;
  const made = await add({
    issuer: "",
    saml: { metadata: await real.metadata(), requires_signed_response: true },
    allowed_domains: ["example.com"],
    groups_claim: "groups",
    group_map: { crew },
  });
  const come = async (login: string) => {
    const browser = new TestBrowser(realm);
    const { location = "" } = await browser.open(begin);
    const { action, form } = await real.signIn(location, login);
    expect(action).toBe(made.redirect_uri);
    const posted = await post(form.SAMLResponse);
    return { browser, page: await browser.open(posted.location ?? "") };
  };
  const userOf = async (browser: TestBrowser) =>
    success(await realm.admin.call(getUser, { user_id: Number(await whoIs(browser)) })).user;

  const { browser: ofMira, page } = await come("mira");
  const { browser: ofTomas } = await come("tomas");

  expect(made.issuer).toBe("urn:harbor:idp");
  expect(page).toMatchObject({ status: 303, location: "/" });
  expect(await userOf(ofMira)).toMatchObject({ full_name: "Mira Lindqvist", delivery_email: people.mira.email });
  expect(await userOf(ofTomas)).toMatchObject({ full_name: "Tomáš Orlík & Son" });
  expect(success(await realm.admin.call(getUserGroupMembers, { user_group_id: crew })).members).toHaveLength(3);
  expect((await come("stray")).page.status).toBe(403);
});
