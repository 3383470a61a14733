import { fetchApiKey } from "@skein/api/authentication.ts";
import { getOwnUser } from "@skein/api/users.ts";
import { expect, test } from "vitest";
import { linkIn, mailTo } from "../../../../test/mail.ts";
import { startNode } from "../../../../test/nodes.ts";
import { newRealm, success, type TestRealm, type TestUser } from "../../../../test/realm.ts";
import { newAddress, password, TestBrowser, withPassword } from "../../../../test/test-browser.ts";

const newPassword = "Quartz-91bd-dune";

const ask = (browser: TestBrowser, email: string, asking = {}) =>
  browser.send("/accounts/password/reset/", { email }, asking);

async function mailedLink(browser: TestBrowser, email: string): Promise<string> {
  await ask(browser, email);
  return linkIn(await mailTo(email)).pathname;
}

const opens = async (realm: TestRealm, username: string, given: string): Promise<boolean> => {
  const [node] = realm.nodes;
  const answer = node && (await realm.client(node).call(fetchApiKey, { username, password: given }));
  return answer?.result === "success";
};

test("a user who has forgotten the password chooses a new one with a mailed link", async () => {
  const realm = await newRealm();
  const hamlet = await withPassword(realm, "hamlet");
  const browser = new TestBrowser(realm);

  const asked = await ask(browser, hamlet.email.toUpperCase());
  const mail = await mailTo(hamlet.email);
  const link = linkIn(mail).pathname;
  const page = await browser.open(link);
  const done = await browser.send(link, { password: newPassword });

  expect(asked.html).toContain("Check your e-mail");
  expect(mail.subject).toMatch(/^Reset your password for /);
  expect(page.html).toContain(`value="${hamlet.email}"`);
  expect(done).toMatchObject({ status: 200, html: expect.stringContaining("Password changed") });
  expect((await mailTo(hamlet.email)).subject).toMatch(/^Your password for .* was changed$/);
  expect(await opens(realm, hamlet.email, newPassword)).toBe(true);
  expect(await opens(realm, hamlet.email, password)).toBe(false);
});

test("a reset revokes API keys on every node, unless the user keeps them", async () => {
  const realm = await newRealm();
  const opened = async ({ id }: TestUser, form: Record<string, string>) => {
    const user = await withPassword(realm, `reader-${id}`);
    const browser = new TestBrowser(realm);
    const link = await mailedLink(browser, user.email);
    for (const node of [0, 1]) success(await user.on(node).call(getOwnUser, {}));
    const page = await browser.open(link);
    await browser.send(link, { password: newPassword, ...form });
    const answers = await Promise.all([0, 1].map((node) => user.on(node).call(getOwnUser, {})));
    return { page, opens: answers.map(({ result }) => result) };
  };
  const [first, second, third] = [await realm.user("a"), await realm.user("b"), await realm.user("c")];

  const asShown = await opened(first, { offers_sign_out_apps: "1", sign_out_apps: "1" });
  const cleared = await opened(second, { offers_sign_out_apps: "1" });
  const unaware = await opened(third, {});

  expect(asShown.page.html).toContain('<input type="checkbox" name="sign_out_apps" value="1" checked');
  expect(asShown.opens).toEqual(["error", "error"]);
  expect(cleared.opens).toEqual(["success", "success"]);
  expect(unaware.opens).toEqual(["error", "error"]);
});

test("a URL that also names the account shows the same page and does the same", async () => {
  const realm = await newRealm();
  const hamlet = await withPassword(realm, "hamlet");
  const browser = new TestBrowser(realm);

  expect((await browser.open("/accounts/password/reset/")).html).toContain("Send link");
  const link = await mailedLink(browser, hamlet.email);
  const account = Buffer.from(String(hamlet.id)).toString("base64url");
  const named = link.replace("/reset/", `/reset/${account}/`);
  const page = await browser.open(named);
  const done = await browser.send(named, { password: newPassword });

  expect(page.html).toContain(`value="${hamlet.email}"`);
  expect(done.html).toContain("Password changed");
  expect(await opens(realm, hamlet.email, newPassword)).toBe(true);
  for (const used of [named, link]) expect((await browser.open(used)).status).toBe(410);
});

test("a reset signs out all browsers, on every node", async () => {
  const realm = await newRealm();
  const hamlet = await withPassword(realm, "hamlet");
  const [one, two] = [new TestBrowser(realm), new TestBrowser(realm)];
  for (const browser of [one, two]) await browser.signIn(hamlet);
  for (const node of [0, 1]) await one.call("GET", "/users/me", {}, { node });

  await one.send(await mailedLink(one, hamlet.email), { password: newPassword }, { node: 0 });

  for (const browser of [one, two])
    for (const node of [1, 0])
      expect(await browser.call("GET", "/users/me", {}, { node })).toMatchObject({ code: "UNAUTHORIZED" });
});

test("the response does not reveal whether there is an account; only the mail does", async () => {
  const realm = await newRealm();
  const hamlet = await withPassword(realm, "hamlet");
  const closed = await withPassword(realm, "closed");
  await realm.ctx.db.updateTable("users").set({ is_active: false }).where("id", "=", closed.id).execute();
  const browser = new TestBrowser(realm);
  const stranger = newAddress();
  const answers: string[] = [];

  for (const email of [hamlet.email, stranger, closed.email])
    answers.push((await ask(browser, email)).html.replaceAll(email, ""));

  expect(new Set(answers).size).toBe(1);
  expect((await mailTo(hamlet.email)).text).toContain("/accounts/password/reset/");
  for (const email of [stranger, closed.email]) {
    const mail = await mailTo(email);
    expect(mail.subject).toMatch(/^No account at /);
    expect(linkIn(mail).pathname).toBe("/accounts/find/");
  }
});

test("a link works once, even if many use it at once", async () => {
  const realm = await newRealm();
  const hamlet = await withPassword(realm, "hamlet");
  const browser = new TestBrowser(realm);
  const link = await mailedLink(browser, hamlet.email);

  const answers = await Promise.all(
    Array.from({ length: 4 }, (_, node) => browser.send(link, { password: `${newPassword}-${node}` }, { node })),
  );

  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 410)).toHaveLength(3);
  expect(await browser.open(link)).toMatchObject({ status: 410, html: expect.stringContaining("already been used") });
});

test("a link stops working when the password or the address changes", async () => {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await withPassword(realm, "hamlet"), await withPassword(realm, "ophelia")];
  const browser = new TestBrowser(realm);
  const links = [await mailedLink(browser, hamlet.email), await mailedLink(browser, ophelia.email)];
  await new TestBrowser(realm).signIn(hamlet);
  const owner = new TestBrowser(realm);
  await owner.signIn(hamlet);
  await owner.call("PATCH", "/settings", { old_password: password, new_password: newPassword });
  await realm.ctx.db.updateTable("users").set({ delivery_email: newAddress() }).where("id", "=", ophelia.id).execute();

  for (const link of links) {
    expect(await browser.open(link)).toMatchObject({ status: 410 });
    expect(await browser.send(link, { password: "Slate-55aa-reed" })).toMatchObject({ status: 410 });
  }
  expect(await opens(realm, hamlet.email, newPassword)).toBe(true);
});

test("a link of another organization, a made-up one and an expired one do not work", async () => {
  const [realm, other] = [await newRealm(), await newRealm()];
  const hamlet = await withPassword(realm, "hamlet");
  const browser = new TestBrowser(realm);
  const link = await mailedLink(browser, hamlet.email);

  expect((await new TestBrowser(other).open(link)).status).toBe(404);
  expect((await browser.open(`${link.slice(0, -2)}/`)).status).toBe(404);
  await realm.ctx.db
    .updateTable("confirmations")
    .set({ expires_at: new Date(Date.now() - 1000) })
    .where("realm_id", "=", realm.id)
    .execute();
  expect(await browser.send(link, { password: newPassword })).toMatchObject({
    status: 410,
    html: expect.stringContaining("It has expired"),
  });
});

test("a weak password is refused beside the field, and the link still works", async () => {
  const realm = await newRealm();
  const hamlet = await withPassword(realm, "hamlet");
  const browser = new TestBrowser(realm);
  const link = await mailedLink(browser, hamlet.email);

  const refused = await browser.send(link, { password: "123456" });

  expect(refused.status).toBe(400);
  expect(refused.html).toContain('<p class="wrong" id="password-wrong">The password is too weak.</p>');
  expect((await browser.send(link, { password: newPassword })).status).toBe(200);
});

test("the link points to our own URL, whatever the request's headers say", async () => {
  const realm = await newRealm();
  const hamlet = await withPassword(realm, "hamlet");
  const browser = new TestBrowser(realm);

  await ask(browser, hamlet.email, { headers: { "x-forwarded-host": `${realm.host}:8443` } });

  const { hostname, port } = linkIn(await mailTo(hamlet.email));
  expect(hostname).toBe(realm.host);
  expect(port).not.toBe("8443");
});

test("an address gets at most two mails an hour, and an IP address may request five a day", async () => {
  const environment = { SKEIN_RATE_LIMITS: "true", SKEIN_ROLES: "api" };
  const realm = await newRealm([await startNode({ environment })]);
  const browser = new TestBrowser(realm);
  const from = (ip: string) => ({ headers: { "x-forwarded-for": ip } });
  const email = newAddress();

  const sameAddress = [];
  for (let count = 0; count < 3; count++)
    sameAddress.push((await ask(browser, email, from(`192.0.2.${count}`))).status);
  const sameAsker = [];
  for (let count = 0; count < 6; count++) sameAsker.push(await ask(browser, newAddress(), from("198.51.100.7")));

  expect(sameAddress).toEqual([200, 200, 429]);
  expect(sameAsker.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429]);
  expect(sameAsker.at(-1)?.html).toContain("Try again in 24 hours");
});

test.for(["", "nonsense", "a@example.com\r\nBcc: b@example.com", "a@example.com,b@example.com"])(
  "no mail is sent to %j",
  async (email) => {
    const browser = new TestBrowser(await newRealm());

    for (const path of ["/accounts/password/reset/", "/accounts/find/"])
      expect(await browser.send(path, { email })).toMatchObject({
        status: 400,
        html: expect.stringContaining('<p class="wrong" id="email-wrong">Invalid address.</p>'),
      });
  },
);

test("a list of accounts is mailed to their address and shown to nobody else", async () => {
  const [here, there, elsewhere] = [await newRealm(), await newRealm(), await newRealm()];
  const [email, stranger] = [newAddress(), newAddress()];
  for (const { id, ctx } of [here, there])
    await ctx.db
      .insertInto("users")
      .values({ realm_id: id, delivery_email: email.toUpperCase(), full_name: "Nell" })
      .execute();
  const browser = new TestBrowser(here);

  const known = await browser.send("/accounts/find/", { email });
  const unknown = await browser.send("/accounts/find/", { email: stranger });

  expect(known.html.replaceAll(email, "")).toBe(unknown.html.replaceAll(stranger, ""));
  const { text } = await mailTo(email);
  expect([here, there, elsewhere].map(({ host }) => text.includes(host))).toEqual([true, true, false]);
  expect((await mailTo(stranger)).subject).toBe("No accounts found");
});
