/** Organizations that users create themselves. */
import { beforeAll, expect, test } from "vitest";
import { linkIn, mailTo } from "../../../../test/mail.ts";
import { startNode } from "../../../../test/nodes.ts";
import { startOwnServer } from "../../../../test/own-server.ts";
import { newRealm, type TestRealm } from "../../../../test/realm.ts";
import { newAddress, password, TestBrowser } from "../../../../test/test-browser.ts";

const environment = { SKEIN_OPEN_REALM_CREATION: "true", SKEIN_EXTERNAL_URL: "https://below.example.com:8443" };
let realm: TestRealm;
beforeAll(async () => {
  const api = { ...environment, SKEIN_ROLES: "api" };
  realm = await newRealm([await startNode({ environment }), await startNode({ environment: api })]);
});

const newBrowser = (at: TestRealm = realm) => new TestBrowser(at, { isSecure: true });
let count = 0;
const newName = () => `harbor-${Date.now().toString(36)}-${count++}`;

async function mailedLink(browser: TestBrowser, email: string): Promise<string> {
  const asked = await browser.send("/new/", { email });
  expect(asked.html).toContain("Check your e-mail");
  return linkIn(await mailTo(email)).pathname;
}

const creationFields = (subdomain: string) => ({
  organization: "Harbor & Sons",
  subdomain,
  full_name: "Mira Mole",
  password,
});
const keyOf = (link: string) => link.split("/").filter(Boolean).at(-1) ?? "";

test("a user with a verified address creates an organization, owns it, and is signed in there", async () => {
  const browser = newBrowser();
  const [email, subdomain] = [newAddress(), newName()];

  expect((await browser.open("/new/")).html).toContain("Create an organization");
  const link = await mailedLink(browser, email.toUpperCase());
  const form = await browser.open(link);
  const made = await browser.send("/realm/register/", { key: keyOf(link), ...creationFields(subdomain) });

  expect(form.html).toContain(`value="${email}"`);
  expect(form.headers.get("content-security-policy")).toContain("form-action 'self' https://*.below.example.com:8443;");
  const address = new URL(made.location ?? "");
  expect(address.origin).toBe(`https://${subdomain}.below.example.com:8443`);
  const owner = new TestBrowser({ host: address.hostname, nodes: realm.nodes }, { isSecure: true });
  expect((await owner.open(address.pathname)).html).toContain(`value="${email}"`);
  expect(await owner.send(address.pathname, {})).toMatchObject({ status: 303, location: "/" });
  expect(await owner.call("GET", "/users/me")).toMatchObject({ is_owner: true, delivery_email: email });
  const { subscriptions } = await owner.call("GET", "/users/me/subscriptions");
  expect(subscriptions).toMatchObject([{ name: "general" }]);
  expect((await owner.open("/login/")).location).toBe("/");
});

test("the form reports errors and keeps the valid fields, and the link still works", async () => {
  const browser = newBrowser();
  const link = await mailedLink(browser, newAddress());
  const subdomain = newName();
  const [taken = ""] = realm.host.split(".");
  const send = (fields: object) => browser.send(link, { ...creationFields(subdomain), ...fields });

  for (const [fields, field] of [
    [{ organization: " " }, "organization"],
    [{ subdomain: "a" }, "subdomain"],
    [{ subdomain: "www" }, "subdomain"],
    [{ subdomain: taken }, "subdomain"],
    [{ subdomain: "a.b.c" }, "subdomain"],
    [{ full_name: "*" }, "full_name"],
    [{ password: "123456" }, "password"],
  ] as const) {
    const page = await send(fields);
    expect(page).toMatchObject({ status: 400, html: expect.stringContaining(`id="${field}-wrong"`) });
    expect(page.html).not.toContain(password);
  }
  expect((await browser.open(`/realm/register/?key=${keyOf(link)}`)).html).toContain('name="subdomain"');
  expect((await send({})).location).toContain(`https://${subdomain}.below.example.com`);
});

test("a link creates one organization, even if many try at once on several nodes", async () => {
  const browser = newBrowser();
  const link = await mailedLink(browser, newAddress());
  const names = [newName(), newName(), newName()];

  const answers = await Promise.all(names.map((name, node) => browser.send(link, creationFields(name), { node })));

  expect(answers.map(({ status }) => `${status}`).toSorted()).toEqual(["303", "410", "410"]);
  const made = await realm.ctx.db.selectFrom("realms").select("string_id").where("string_id", "in", names).execute();
  expect(made).toHaveLength(1);
  expect(await browser.open(link)).toMatchObject({ status: 410 });
});

test("only one of several concurrent requests gets a subdomain", async () => {
  const browser = newBrowser();
  const links = [await mailedLink(browser, newAddress()), await mailedLink(browser, newAddress())];
  const name = newName();

  const answers = await Promise.all(links.map((link, node) => browser.send(link, creationFields(name), { node })));

  expect(answers.map(({ status }) => `${status}`).toSorted()).toEqual(["303", "400"]);
  expect(answers.find(({ status }) => status === 400)?.html).toContain("This subdomain is already in use.");
});

test("a link works only in the organization it was requested from, and a form needs this browser's token", async () => {
  const browser = newBrowser();
  const elsewhere = newBrowser(await newRealm([...realm.nodes] as [TestRealm["nodes"][number]]));
  const link = await mailedLink(browser, newAddress());

  expect(await elsewhere.open(link)).toMatchObject({ status: 404 });
  expect(await elsewhere.send(link, creationFields(newName()))).toMatchObject({ status: 404 });
  expect(await browser.open(link, { method: "POST", form: creationFields(newName()) })).toMatchObject({ status: 403 });
  expect(await browser.open("/realm/register/")).toMatchObject({ status: 303, location: "/new/" });
  expect(await browser.send("/new/", { email: "nonsense" })).toMatchObject({ status: 400 });
});

test("if creation is closed, the page says who creates organizations", async () => {
  const browser = new TestBrowser(await newRealm());
  const closed = { status: 403, html: expect.stringContaining("You cannot create an organization here") };

  for (const path of ["/new/", "/new/key/", "/realm/register/"]) {
    expect(await browser.open(path)).toMatchObject(closed);
    expect(await browser.send(path, { email: newAddress(), key: "x" })).toMatchObject(closed);
  }
});

test("on a server without an organization it redirects to the setup page", async () => {
  const server = await startOwnServer();
  const browser = new TestBrowser({ host: "chat.example.com", nodes: [server] });

  expect(await browser.open("/new/")).toMatchObject({ status: 303, location: "/setup/" });
  expect(await browser.open("/new/abc/")).toMatchObject({ status: 303, location: "/setup/?token=abc" });
  expect(await browser.open("/realm/register/")).toMatchObject({ status: 303, location: "/setup/" });
});
