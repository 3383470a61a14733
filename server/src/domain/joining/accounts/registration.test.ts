/** Open registration: joining without an invitation. */
import { getSubscriptions } from "@skein/api/subscriptions.ts";
import { expect, test } from "vitest";
import { linkIn, mailTo } from "../../../../test/mail.ts";
import { newRealm, success, type TestRealm } from "../../../../test/realm.ts";
import { newChannel } from "../../../../test/actions.ts";
import { newAddress, password, TestBrowser } from "../../../../test/test-browser.ts";

const setRealm = (realm: TestRealm, values: { [setting: string]: unknown }) =>
  realm.ctx.db.updateTable("realms").set(values).where("id", "=", realm.id).execute();

async function openRealm(): Promise<TestRealm> {
  const realm = await newRealm();
  await setRealm(realm, { invite_required: false });
  return realm;
}

async function mailedLink(browser: TestBrowser, email: string): Promise<string> {
  await browser.send("/register/", { email });
  return linkIn(await mailTo(email)).pathname;
}

const register = (browser: TestBrowser, link: string, fields: Record<string, string> = {}) =>
  browser.send("/accounts/register/", {
    key: link.split("/").at(-1) ?? "",
    full_name: "Nell Newcomer",
    password,
    ...fields,
  });

// spec 3.3: User account
test("a person with a verified address joins as a member, in the default channels, and is signed in", async () => {
  const realm = await openRealm();
  const channel = await newChannel(realm.admin, "standard");
  await realm.ctx.db.updateTable("channels").set({ is_default: true }).where("id", "=", channel).execute();
  const queue = await realm.admin.register(["realm_user", "message"]);
  const browser = new TestBrowser(realm);
  const email = newAddress();

  for (const path of ["/register/", "/accounts/home/"])
    expect((await browser.open(path)).html).toContain("Anyone can join");
  const link = await mailedLink(browser, email.toUpperCase());
  expect((await browser.open(link)).html).toContain("Almost there.");
  const joined = await register(browser, link);

  expect(joined.html).toContain("Your account is ready");
  expect(await queue.next()).toMatchObject({
    type: "realm_user",
    op: "add",
    person: { delivery_email: email, role: 400 },
  });
  for (const node of [0, 1])
    expect(await browser.call("GET", "/users/me", {}, { node })).toMatchObject({ email, role: 400 });
  const { subscriptions } = await browser.call("GET", "/users/me/subscriptions");
  expect(subscriptions).toMatchObject([{ name: "standard" }]);
  expect(success(await realm.admin.call(getSubscriptions, {})).subscriptions).toHaveLength(1);
  // There is no inviter to notify.
  expect(await queue.all()).toEqual([]);
});

test("the alternative URLs for joining show the same pages", async () => {
  const realm = await openRealm();
  const browser = new TestBrowser(realm);
  const email = newAddress();

  expect(await browser.send("/accounts/home/", { email })).toMatchObject({ status: 200 });
  const key =
    linkIn(await mailTo(email))
      .pathname.split("/")
      .at(-1) ?? "";

  expect(await browser.open("/accounts/register/")).toMatchObject({ status: 303, location: "/register/" });
  expect((await browser.open(`/accounts/register/?key=${key}`)).html).toContain(`value="${email}"`);
});

test("if an invitation is required nobody joins without one, nor with an older link", async () => {
  const realm = await openRealm();
  const browser = new TestBrowser(realm);
  const link = await mailedLink(browser, newAddress());
  await setRealm(realm, { invite_required: true });

  for (const answer of [
    await browser.open("/register/"),
    await browser.open("/accounts/home/"),
    await browser.send("/register/", { email: newAddress() }),
  ])
    expect(answer).toMatchObject({ status: 403, html: expect.stringContaining("You need an invitation") });
  for (const answer of [await browser.open(link), await register(browser, link)]) expect(answer.status).toBe(410);
});

test.for<[string, { [setting: string]: unknown }, string]>([
  [
    "nell@mailinator.com",
    { disallow_disposable_email_addresses: true },
    "Disposable e-mail addresses are not accepted.",
  ],
  [
    "nell@example.com",
    { emails_restricted_to_domains: true },
    "This organization does not accept e-mail addresses of this domain.",
  ],
  ["nonsense", { invite_required: false }, "Invalid address."],
  ["", { invite_required: false }, "Invalid address."],
])("%j is refused beside its field with %j", async ([email, settings, problem]) => {
  const realm = await openRealm();
  await setRealm(realm, settings);

  const page = await new TestBrowser(realm).send("/register/", { email });

  expect(page.status).toBe(400);
  expect(page.html).toContain(`<p class="wrong" id="email-wrong">${problem}</p>`);
  expect(page.html).toContain(`value="${email}"`);
});

test("addresses of the organization's domains may join if it is restricted to them", async () => {
  const realm = await openRealm();
  await setRealm(realm, { emails_restricted_to_domains: true });
  const domain = { realm_id: realm.id, domain: "harbor.example", allow_subdomains: false };
  await realm.ctx.db.insertInto("realm_domains").values(domain).execute();
  const browser = new TestBrowser(realm);
  const email = newAddress().replace("example.com", "harbor.example");

  expect((await register(browser, await mailedLink(browser, email))).html).toContain("Your account is ready");
});

test("the response does not reveal whether there is an account; only the mail does", async () => {
  const realm = await openRealm();
  const hamlet = await realm.user("hamlet");
  const browser = new TestBrowser(realm);
  const stranger = newAddress();

  const known = await browser.send("/register/", { email: hamlet.email });
  const unknown = await browser.send("/register/", { email: stranger });

  expect(known.html.replaceAll(hamlet.email, "")).toBe(unknown.html.replaceAll(stranger, ""));
  expect((await browser.open(linkIn(await mailTo(hamlet.email)).pathname)).html).toContain(
    "There is already an account for",
  );
  expect((await browser.open(linkIn(await mailTo(stranger)).pathname)).html).toContain("Almost there.");
});

test("the mails to an address are limited per hour, even for concurrent requests on two nodes", async () => {
  const realm = await openRealm();
  const browser = new TestBrowser(realm);
  const email = newAddress();
  await browser.open("/register/");

  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, node) => browser.send("/register/", { email }, { node })),
  );

  expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(3);
});

test("if many people use a link at once, one joins", async () => {
  const realm = await openRealm();
  const browser = new TestBrowser(realm);
  const email = newAddress();
  const link = await mailedLink(browser, email);

  const answers = await Promise.all(Array.from({ length: 4 }, () => register(new TestBrowser(realm), link)));

  expect(answers.filter(({ html }) => html.includes("Your account is ready"))).toHaveLength(1);
  const accounts = await realm.ctx.db
    .selectFrom("users")
    .select("id")
    .where("realm_id", "=", realm.id)
    .where("delivery_email", "=", email)
    .execute();
  expect(accounts).toHaveLength(1);
});

test("a link of another organization does not work, and users cannot create organizations", async () => {
  const [realm, other] = [await openRealm(), await openRealm()];
  const browser = new TestBrowser(realm);
  const link = await mailedLink(browser, newAddress());

  expect((await new TestBrowser(other).open(link)).status).toBe(404);
  expect((await browser.open("/new/")).status).toBe(403);
});
