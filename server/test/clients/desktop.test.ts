/** The desktop app: checks that a server exists, and shows its web page. */
import { createDecipheriv, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { newRealm, type TestRealm, type TestUser } from "../realm.ts";
import { uploadAs } from "../files.ts";
import { password, TestBrowser, withPassword } from "../test-browser.ts";
import { exchange } from "./wire.ts";

const headers = {
  "user-agent":
    "ZulipElectron/5.12.4 Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/138.0.0.0 Safari/537.36",
};

// clients 1 desktop, 9
test("it finds an organization's name, URL and icon", async () => {
  const realm = await newRealm();

  const { status, json } = await exchange(realm, "/api/v1/server_settings", { headers });

  expect(status).toBe(200);
  expect(json).toMatchObject({
    realm_name: expect.stringMatching(/./),
    realm_uri: `http://${realm.host}`,
    realm_icon: expect.stringMatching(/^(https?:\/)?\//),
    zulip_feature_level: expect.any(Number),
  });
});

// clients 2.11, 9
test("it checks with a HEAD request for the settings that the server exists", async () => {
  const realm = await newRealm();

  const whole = await fetch(`${realm.nodes[0]?.url}/api/v1/server_settings`, {
    headers: { ...headers, "x-forwarded-host": realm.host },
  });
  const { status, headers: given } = await exchange(realm, "/api/v1/server_settings", { method: "HEAD", headers });

  expect(status).toBe(200);
  expect(given.get("content-type")).toBe(whole.headers.get("content-type"));
});

// clients 1 desktop, 9
test("the organization's URL leads to a sign-in page, and signed-in users can download files", async () => {
  const realm = await newRealm();
  const hamlet = await withPassword(realm, "hamlet");
  const path = await uploadAs(hamlet, { name: "plans.zip" });
  const browser = new TestBrowser(realm);

  const front = await browser.open("/", { headers });
  const page = await browser.open(front.location ?? "/", { headers });
  await browser.signIn(hamlet, { headers });
  const file = await browser.ask(path, { headers });

  expect(front.location).toMatch(/^\/login\//);
  expect([page.status, page.headers.get("content-type")]).toEqual([200, expect.stringContaining("text/html")]);
  expect(file.status).toBe(200);
  expect(file.headers.get("content-disposition")).toMatch(/^attachment/);
});

/** How the app decodes clipboard content while it waits; undefined for unrelated content. */
function opened(copied: string, key: Buffer): string | undefined {
  const data = Buffer.from(copied, "hex");
  const decipher = createDecipheriv("aes-256-gcm", key, data.subarray(0, 12), { authTagLength: 16 });
  try {
    decipher.setAuthTag(data.subarray(-16));
    return decipher.update(data.subarray(12, -16), undefined, "utf8") + decipher.final("utf8");
  } catch {
    return undefined;
  }
}

/** Signs in with the browser that the app opened; returns the text to copy. */
async function signInOutside(realm: TestRealm, user: TestUser, key: Buffer): Promise<string> {
  const outside = new TestBrowser(realm);
  const parameter = { desktop_flow_otp: key.toString("hex") };
  const form = await outside.open(`/login/?${new URLSearchParams(parameter).toString()}`);
  expect(form.html).toContain(`name="desktop_flow_otp" value="${parameter.desktop_flow_otp}"`);
  const page = await outside.send("/accounts/login/", { username: user.email, password, ...parameter });
  expect(page.status).toBe(200);
  expect(page.headers.get("content-security-policy")).toMatch(/; script-src 'sha256-[\w+/]+=*';/);
  expect(outside.cookies.has("sessionid")).toBe(false);
  return /<input id="token" readonly type="text" value="([0-9a-f]+)"/.exec(page.html)?.[1] ?? "";
}

test("a browser it has opened returns a code that only the app can read, and that signs it in", async () => {
  const realm = await newRealm();
  const hamlet = await withPassword(realm, "hamlet");
  const key = randomBytes(32);
  const program = new TestBrowser(realm);

  const copied = await signInOutside(realm, hamlet, key);
  const token = opened(copied, key) ?? "";
  const path = `/accounts/login/subdomain/${encodeURIComponent(token)}`;
  const asked = await program.open(path, { headers });
  const isSignedIn = program.cookies.has("sessionid");
  const entered = await program.send(path, {}, { headers });

  expect(opened(copied, randomBytes(32))).toBeUndefined();
  expect(copied).not.toContain(Buffer.from(token).toString("hex"));
  expect(asked.status).toBe(200);
  expect(asked.html).toContain(`value="${hamlet.email}"`);
  expect(isSignedIn).toBe(false);
  expect(entered).toMatchObject({ status: 303, location: "/" });
  expect(await program.call("GET", "/users/me")).toMatchObject({ user_id: hamlet.id });
});

test("the code signs nobody in when it is only viewed, or when another person's page uses it", async () => {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await withPassword(realm, "hamlet"), await withPassword(realm, "ophelia")];
  const key = randomBytes(32);
  const path = `/accounts/login/subdomain/${opened(await signInOutside(realm, hamlet, key), key)}`;
  const reader = new TestBrowser(realm);
  await reader.signIn(ophelia);
  const session = reader.cookies.get("sessionid");

  for (const address of [path, `${path}?.png`, `${path}/`])
    expect((await reader.open(address, { headers: { "sec-fetch-dest": "image" } })).status).toBe(200);
  const forged = await reader.open(path, { method: "POST", form: { csrfmiddlewaretoken: "x".repeat(43) } });

  expect(forged.status).toBe(403);
  expect(reader.cookies.get("sessionid")).toBe(session);
  expect(await reader.call("GET", "/users/me")).toMatchObject({ user_id: ophelia.id });
  expect(await new TestBrowser(realm).send(path, {})).toMatchObject({ status: 303 });
});

test("the code works once, before it expires, in its own organization, and for an active account", async () => {
  const [realm, elsewhere] = [await newRealm(), await newRealm()];
  const hamlet = await withPassword(realm, "hamlet");
  const key = randomBytes(32);
  const path = async () => `/accounts/login/subdomain/${opened(await signInOutside(realm, hamlet, key), key)}`;
  const enter = (address: string, at = realm, more = {}) =>
    new TestBrowser(at).send(address, {}, { headers: { ...headers, ...more } });
  const [once, late, closed] = [await path(), await path(), await path()];

  expect(await enter(once, elsewhere)).toMatchObject({ status: 410 });
  expect(await enter(once, realm, { "sec-fetch-site": "cross-site" })).toMatchObject({ status: 403 });
  const many = await Promise.all([enter(once), enter(once), enter(once)]);
  expect(many.map(({ status }) => `${status}`).toSorted()).toEqual(["303", "410", "410"]);
  const past = { expires_at: new Date(Date.now() - 1) };
  const { db } = realm.ctx;
  await db
    .updateTable("confirmations")
    .set(past)
    .where("realm_id", "=", realm.id)
    .where("used_at", "is", null)
    .execute();
  expect(await enter(late)).toMatchObject({ status: 410 });
  const later = { expires_at: new Date(Date.now() + 60_000) };
  await db
    .updateTable("confirmations")
    .set(later)
    .where("realm_id", "=", realm.id)
    .where("used_at", "is", null)
    .execute();
  await db.updateTable("users").set({ is_active: false }).where("id", "=", hamlet.id).execute();
  expect(await enter(closed)).toMatchObject({ status: 410 });
});
