/** The desktop program: it asks whether a server is there, and shows the page at its address. */
import { expect, test } from "vitest";
import { newRealm } from "../realm.ts";
import { uploadAs } from "../files.ts";
import { TestBrowser, withPassword } from "../test-browser.ts";
import { exchange } from "./wire.ts";

const headers = {
  "user-agent":
    "ZulipElectron/5.12.4 Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/138.0.0.0 Safari/537.36",
};

// clients 1 desktop, 9
test("it finds name, address and icon of an organization", async () => {
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
test("it asks for the head of the settings to learn whether the server is there", async () => {
  const realm = await newRealm();

  const whole = await fetch(`${realm.nodes[0]?.url}/api/v1/server_settings`, {
    headers: { ...headers, "x-forwarded-host": realm.host },
  });
  const { status, headers: given } = await exchange(realm, "/api/v1/server_settings", { method: "HEAD", headers });

  expect(status).toBe(200);
  expect(given.get("content-type")).toBe(whole.headers.get("content-type"));
});

// clients 1 desktop, 9
test("the page at the organization's address is one to sign in at, and files are downloads for who has", async () => {
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
