import { expect, test } from "vitest";
import { startNode } from "../../../../test/nodes.ts";
import { newRealm, TestUser } from "../../../../test/realm.ts";
import { password, TestBrowser, withPassword } from "../../../../test/test-browser.ts";
import { nextPage } from "./next-page.ts";

test("the page shows the organization's name, its icon, and how to join", async () => {
  const realm = await newRealm();
  const { db } = realm.ctx;
  const set = (values: object) => db.updateTable("realms").set(values).where("id", "=", realm.id).execute();
  const browser = new TestBrowser(realm);
  await set({ name: "Elsinore & Sons", invite_required: true });

  for (const path of ["/login", "/login/", "/accounts/login/"]) {
    const page = await browser.open(path);
    expect(page.status).toBe(200);
    expect(page.html).toContain("<title>Sign in · Elsinore &amp; Sons</title>");
    expect(page.html).toContain("You need an invitation");
    expect(page.html).not.toContain("<img");
  }
  await set({ invite_required: false, icon_key: "0123", icon_version: 7 });
  const open = await browser.open("/login/");

  expect(open.html).toContain(`<img src="/user_avatars/${realm.id}/realm/icon.png?version=7" alt=""`);
  expect(open.html).toContain('<a href="/register/">');
});

test("pages need no script, load nothing from other hosts, and send no referrer", async () => {
  const browser = new TestBrowser(await newRealm());

  const { headers, html } = await browser.open("/login/");

  expect(headers.get("content-security-policy")).toMatch(
    /^default-src 'none'; style-src 'sha256-[\w+/]+='; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
  );
  expect(headers.get("cache-control")).toBe("no-store");
  expect(headers.get("referrer-policy")).toBe("no-referrer");
  expect(html).not.toMatch(/<script|@import|url\(| style=| on\w+=/);
});

test("a wrong password is reported beside the field, and the address is kept", async () => {
  const realm = await newRealm();
  const hamlet = await withPassword(realm, "hamlet");
  const browser = new TestBrowser(realm);

  const page = await browser.send("/accounts/login/", { username: hamlet.email, password: "guess", next: "/#inbox" });

  expect(page.status).toBe(401);
  expect(page.html).toContain(`value="${hamlet.email}"`);
  expect(page.html).toContain('<p class="wrong" id="password-wrong">Wrong e-mail address or password.</p>');
  expect(page.html).toMatch(/<input id="password"[^>]* aria-invalid="true" aria-describedby="password-wrong">/);
  expect(page.html).toContain('<input type="hidden" name="next" value="/#inbox">');
  expect(page.html).not.toContain("guess");
  expect(browser.cookies.has("sessionid")).toBe(false);
});

test("an unknown address and a wrong password get the same response", async () => {
  const realm = await newRealm();
  const hamlet = await withPassword(realm, "hamlet");
  const browser = new TestBrowser(realm);
  const nobody = `nobody@${realm.host}`;

  const known = await browser.send("/login/", { username: hamlet.email, password: "guess" });
  const unknown = await browser.send("/login/", { username: nobody, password: "guess" });

  expect(unknown.status).toBe(known.status);
  expect(unknown.html.replaceAll(nobody, "")).toBe(known.html.replaceAll(hamlet.email, ""));
});

test("after too many attempts every node says when to try again", async () => {
  const environment = { SKEIN_RATE_LIMITS: "true", SKEIN_ROLES: "api" };
  const realm = await newRealm([await startNode({ environment }), await startNode({ environment })]);
  const hamlet = await withPassword(realm, "hamlet");
  const browser = new TestBrowser(realm);
  for (let count = 0; count < 5; count++) await browser.send("/login/", { username: hamlet.email, password: "guess" });

  for (const node of [0, 1]) {
    const page = await browser.signIn(hamlet, { node });
    expect(page.status).toBe(429);
    expect(page.html).toContain("Too many attempts. Try again in 30 minutes.");
    expect(page.html).toContain(`value="${hamlet.email}"`);
  }
});

test("programs get JSON", async () => {
  const realm = await newRealm();
  const hamlet = await withPassword(realm, "hamlet");
  const browser = new TestBrowser(realm);
  const headers = { accept: "application/json" };

  const wrong = await browser.send("/accounts/login/", { username: hamlet.email, password: "guess" }, { headers });
  const right = await browser.signIn(hamlet, { headers });

  expect(wrong.status).toBe(401);
  expect(JSON.parse(wrong.html)).toEqual({
    result: "error",
    msg: "Your username or password is incorrect",
    code: "AUTHENTICATION_FAILED",
  });
  expect(JSON.parse(right.html)).toEqual({ result: "success", msg: "", next: "/" });
  expect(await browser.call("GET", "/users/me")).toMatchObject({ user_id: hamlet.id });
  const left = await browser.send("/accounts/logout/", {}, { headers });
  expect(JSON.parse(left.html)).toEqual({ result: "success", msg: "" });
  const forged = await browser.open("/accounts/login/", { method: "POST", headers });
  expect(JSON.parse(forged.html)).toMatchObject({ code: "CSRF_FAILED" });
});

test("a form without the browser's token, or from another site, is refused and does nothing", async () => {
  const realm = await newRealm();
  const hamlet = await withPassword(realm, "hamlet");
  const browser = new TestBrowser(realm);
  const form = { username: hamlet.email, password };

  const noCookie = await browser.open("/accounts/login/", { method: "POST", form });
  await browser.open("/login/");
  const noToken = await browser.open("/accounts/login/", { method: "POST", form });
  const wrongToken = await browser.send("/accounts/login/", { ...form, csrfmiddlewaretoken: "x".repeat(43) });
  const elsewhere = await browser.send("/accounts/login/", form, { headers: { "sec-fetch-site": "cross-site" } });

  for (const page of [noCookie, noToken, wrongToken]) {
    expect(page.status).toBe(403);
    expect(page.html).toContain("This page has expired");
  }
  expect(elsewhere.status).toBe(403);
  expect(browser.cookies.has("sessionid")).toBe(false);
  await browser.signIn(hamlet);
  expect((await browser.open("/accounts/logout/", { method: "POST" })).status).toBe(403);
  expect(await browser.call("GET", "/users/me")).toMatchObject({ result: "success" });
});

test("a user who is already signed in is redirected", async () => {
  const realm = await newRealm();
  const browser = new TestBrowser(realm);
  await browser.signIn(await withPassword(realm, "hamlet"));

  expect(await browser.open("/login/?next=/user_uploads/2/x")).toMatchObject({
    status: 303,
    location: "/user_uploads/2/x",
  });
});

test("a page that needs signing in redirects to the sign-in page and back afterwards", async () => {
  const realm = await newRealm();
  const hamlet = await withPassword(realm, "hamlet");
  const browser = new TestBrowser(realm);

  const refused = await browser.open("/user_uploads/2/ab/plan.pdf");

  expect(refused).toMatchObject({ status: 302, location: "/login/?next=%2Fuser_uploads%2F2%2Fab%2Fplan.pdf" });
  const next = new URL(refused.location ?? "", "http://x").searchParams.get("next") ?? "";
  expect(await browser.send("/accounts/login/", { username: hamlet.email, password, next })).toMatchObject({
    location: "/user_uploads/2/ab/plan.pdf",
  });
});

test("a request that needs an API key is not redirected to the sign-in page, which would loop", async () => {
  const browser = new TestBrowser(await newRealm());

  expect(await browser.open("/api/v1/users/me")).toMatchObject({ status: 401 });
  expect(await browser.open("/json/users/me")).toMatchObject({
    status: 302,
    location: "/login/?next=%2Fjson%2Fusers%2Fme",
  });
});

test.for<[string | undefined, string]>([
  ["/", "/"],
  ["/#narrow/channel/7", "/#narrow/channel/7"],
  ["/a/b?c=d", "/a/b?c=d"],
  [undefined, "/"],
  ["", "/"],
  ["inbox", "/"],
  ["//evil.example.com", "/"],
  ["/\\evil.example.com", "/"],
  ["\\\\evil.example.com", "/"],
  ["/\t/evil.example.com", "/"],
  ["/\n/evil.example.com", "/"],
  ["///evil.example.com", "/"],
  ["/.//evil.example.com", "/"],
  ["/x/..//evil.example.com", "/"],
  ["https://evil.example.com/", "/"],
  ["https:evil.example.com", "/"],
  ["javascript:alert(1)", "/"],
  ["/%0d%0aSet-Cookie:x=y", "/%0d%0aSet-Cookie:x=y"],
])("after signing in, %j becomes %j", ([wanted, leads]) => {
  expect(nextPage(wanted)).toBe(leads);
});

test("signing in never redirects to another site", async () => {
  const realm = await newRealm();
  const hamlet = await withPassword(realm, "hamlet");

  for (const next of ["//evil.example.com", "https://evil.example.com/", "/\\evil.example.com"]) {
    const browser = new TestBrowser(realm);
    expect((await browser.open(`/login/?next=${encodeURIComponent(next)}`)).html).not.toContain("evil");
    expect(await browser.send("/login/", { username: hamlet.email, password, next })).toMatchObject({
      status: 303,
      location: "/",
    });
  }
});

test("nobody can sign in to a deactivated account or organization", async () => {
  const realm = await newRealm();
  const hamlet = await withPassword(realm, "hamlet");
  const { db } = realm.ctx;
  await db.updateTable("users").set({ is_active: false }).where("id", "=", hamlet.id).execute();

  const closed = await new TestBrowser(realm).signIn(hamlet);
  expect(closed.status).toBe(401);
  expect(closed.html).toContain("Account is deactivated.");

  await db.updateTable("realms").set({ deactivated: true }).where("id", "=", realm.id).execute();
  const browser = new TestBrowser(realm);
  expect(await browser.open("/login/")).toMatchObject({ status: 410 });
  expect(await browser.signIn(hamlet)).toMatchObject({ status: 410 });
  const response = await browser.signIn(hamlet, { headers: { accept: "application/json" } });
  expect(JSON.parse(response.html)).toMatchObject({ code: "REALM_DEACTIVATED" });
});

// clients 8.3
test("an app that opened the browser receives a key that only it can read", async () => {
  const realm = await newRealm();
  const hamlet = await withPassword(realm, "hamlet");
  const browser = new TestBrowser(realm, { isSecure: true });
  const pad = "0123456789abcdef".repeat(4);

  const page = await browser.open(`/login/?mobile_flow_otp=${pad}`);
  expect(page.html).toContain(`<input type="hidden" name="mobile_flow_otp" value="${pad}">`);
  expect(page.headers.get("content-security-policy")).toContain("form-action 'self' zulip:;");
  const { status, location = "" } = await browser.send("/login/", {
    username: hamlet.email,
    password,
    mobile_flow_otp: pad,
  });

  expect(status).toBe(303);
  const appUrl = new URL(location);
  expect(`${appUrl.protocol}//${appUrl.host}`).toBe("zulip://login");
  expect(Object.fromEntries(appUrl.searchParams)).toEqual({
    realm: `https://${realm.host}`,
    email: hamlet.email,
    user_id: String(hamlet.id),
    otp_encrypted_api_key: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  const hidden = Buffer.from(appUrl.searchParams.get("otp_encrypted_api_key") ?? "", "hex");
  const padBytes = Buffer.from(pad, "hex");
  const apiKey = Buffer.from(hidden.map((byte, index) => byte ^ (padBytes[index] ?? 0))).toString("ascii");
  const app = new TestUser(realm, hamlet.id, hamlet.email, hamlet.fullName, apiKey);
  expect(await app.request("GET", "/users/me")).toMatchObject({ user_id: hamlet.id });
  expect(browser.cookies.has("__Host-sessionid")).toBe(false);
});

test("an app needs the password even if the browser is signed in, and a valid pad", async () => {
  const realm = await newRealm();
  const hamlet = await withPassword(realm, "hamlet");
  const browser = new TestBrowser(realm);
  await browser.signIn(hamlet);
  const pad = "aB".repeat(32);

  for (const name of ["mobile_flow_otp", "desktop_flow_otp"]) {
    expect((await browser.open(`/login/?${name}=${pad}`)).html).toContain('type="password"');
    for (const wrong of ["", "abc", "g".repeat(64), `${pad}0`, "a".repeat(63)]) {
      const shown = await browser.open(`/login/?${name}=${wrong}`);
      const sent = await browser.send("/login/", { username: hamlet.email, password, [name]: wrong });
      for (const page of [shown, sent])
        expect(page).toMatchObject({ status: 400, html: expect.stringContaining("Invalid OTP") });
    }
  }
  const both = await browser.open(`/login/?mobile_flow_otp=${pad}&desktop_flow_otp=${pad}`, {
    headers: { accept: "application/json" },
  });
  expect(both.status).toBe(400);
  expect(JSON.parse(both.html)).toEqual({
    result: "error",
    msg: "Can't use both mobile_flow_otp and desktop_flow_otp together.",
    code: "BAD_REQUEST",
  });
});

test("after a wrong password the app's pad is kept, and the app receives nothing", async () => {
  const realm = await newRealm();
  const hamlet = await withPassword(realm, "hamlet");
  const browser = new TestBrowser(realm);
  const pad = "0123456789abcdef".repeat(4);

  const page = await browser.send("/login/", { username: hamlet.email, password: "guess", desktop_flow_otp: pad });

  expect(page.status).toBe(401);
  expect(page.html).toContain(`<input type="hidden" name="desktop_flow_otp" value="${pad}">`);
  expect(page.html).not.toContain('id="token"');
});
