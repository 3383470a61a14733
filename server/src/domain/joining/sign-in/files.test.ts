/** Files and pictures requested and uploaded by our own pages, with the browser's cookie. */
import { expect, test } from "vitest";
import { uploadAs } from "../../../../test/files.ts";
import { newRealm, type TestRealm } from "../../../../test/realm.ts";
import { TestBrowser, withPassword } from "../../../../test/test-browser.ts";

async function signedIn(realm: TestRealm, name: string) {
  const user = await withPassword(realm, name);
  const browser = new TestBrowser(realm);
  await browser.signIn(user);
  return { user, browser };
}

const plain = { accept: "*/*" };

test("a file is served on every node to users who may see it, until they log out", async () => {
  const realm = await newRealm();
  const { user, browser } = await signedIn(realm, "hamlet");
  const { browser: stranger } = await signedIn(realm, "stranger");
  const url = await uploadAs(user, { name: "notes.txt", type: "text/plain", content: "to be" });

  for (const node of [0, 1]) {
    const answer = await browser.ask(url, { node });
    expect(await answer.text()).toBe("to be");
    expect((await stranger.ask(url, { node, headers: plain })).status).toBe(404);
    expect((await new TestBrowser(realm).ask(url, { node, headers: plain })).status).toBe(401);
  }
  await browser.send("/accounts/logout/", {}, { node: 0 });
  expect((await browser.ask(url, { node: 1, headers: plain })).status).toBe(401);
});

test("avatars redirect to what the reader may see, even with an invalid cookie", async () => {
  const realm = await newRealm();
  const { user, browser } = await signedIn(realm, "hamlet");

  expect((await browser.ask(`/avatar/${user.email}`)).status).toBe(200);
  browser.cookies.set("sessionid", "A".repeat(43));
  expect((await browser.ask(`/avatar/${user.id}`)).status).toBe(200);
  expect((await browser.ask(`/avatar/${user.email}`, { headers: plain })).status).toBe(401);
});

test("a file is uploaded in one piece under /json, with the token in a header", async () => {
  const realm = await newRealm();
  const { browser } = await signedIn(realm, "hamlet");
  const body = () => {
    const form = new FormData();
    form.append("file", new Blob(["to be"]), "notes.txt");
    return form;
  };

  const refused = await browser.ask("/json/user_uploads", { method: "POST", body: body() });
  const headers = { "x-csrftoken": browser.cookies.get("csrftoken") ?? "" };
  const sent = await browser.ask("/json/user_uploads", { method: "POST", body: body(), headers });

  expect(await refused.json()).toMatchObject({ code: "CSRF_FAILED" });
  expect(await sent.json()).toMatchObject({ result: "success", filename: "notes.txt" });
});

test("a resumable upload needs a header that only scripts of our own pages can send", async () => {
  const realm = await newRealm();
  const { browser } = await signedIn(realm, "hamlet");
  const tus = { "tus-resumable": "1.0.0", "upload-length": "5" };
  const bytes = { "content-type": "application/offset+octet-stream", "upload-offset": "0" };

  // Another site's page cannot send such a header, since its CORS preflight is not granted.
  expect((await browser.ask("/api/v1/tus/", { method: "POST", body: "" })).status).toBe(412);
  const asked = await browser.ask("/api/v1/tus/", {
    method: "OPTIONS",
    headers: { origin: "https://evil.example.com", "access-control-request-headers": "tus-resumable" },
  });
  expect(asked.headers.has("access-control-allow-origin")).toBe(false);
  const begun = await browser.ask("/api/v1/tus/", { method: "POST", headers: tus, body: "" });
  const location = begun.headers.get("location") ?? "";
  const done = await browser.ask(location, { method: "PATCH", headers: { ...tus, ...bytes }, body: "to be" });

  expect(begun.status).toBe(201);
  const { url } = (await done.json()) as { url: string };
  expect(await (await browser.ask(url)).text()).toBe("to be");
  const stranger = (await signedIn(realm, "stranger")).browser;
  expect((await stranger.ask(location, { method: "HEAD", headers: tus })).status).toBe(404);
});
