import { fetchApiKey } from "@skein/api/authentication.ts";
import { updateSettings } from "@skein/api/settings.ts";
import { getOwnUser } from "@skein/api/users.ts";
import { expect, test } from "vitest";
import { linkIn, mailTo } from "../../../../test/mail.ts";
import { startNode } from "../../../../test/nodes.ts";
import { newRealm, success, type TestRealm, type TestUser } from "../../../../test/realm.ts";
import { TestBrowser } from "../../../../test/test-browser.ts";
import { hashPassword } from "../auth/passwords.ts";

const password = "Basalt-7f3a-tide";
const new_password = "Granite-91c2-wave";
const passwordHash = await hashPassword(password);

async function withPassword(realm: TestRealm, name: string): Promise<TestUser> {
  const user = await realm.user(name);
  await realm.ctx.db.updateTable("users").set({ password_hash: passwordHash }).where("id", "=", user.id).execute();
  return user;
}

const firstNode = (realm: TestRealm) => {
  const [node] = realm.nodes;
  if (!node) throw new Error("a realm has at least one node");
  return node;
};

const signIn = (realm: TestRealm, username: string, secret: string) =>
  realm.client(firstNode(realm)).call(fetchApiKey, { username, password: secret });

const refused = (msg: string) => ({ result: "error", msg, code: "BAD_REQUEST" });

// spec 4.4: old_password, new_password
test("a new password replaces the old one, and keys stay valid", async () => {
  const realm = await newRealm();
  const hamlet = await withPassword(realm, "hamlet");

  expect(await hamlet.call(updateSettings, { old_password: password, new_password })).toEqual({
    result: "success",
    msg: "",
  });

  expect(await signIn(realm, hamlet.email, new_password)).toMatchObject({ result: "success" });
  expect(await signIn(realm, hamlet.email, password)).toMatchObject({ code: "AUTHENTICATION_FAILED" });
  for (const node of [0, 1]) success(await hamlet.on(node).call(getOwnUser, {}));
});

// spec 4.4: new_password needs old_password
test("a new password requires the old one and must be strong", async () => {
  const realm = await newRealm();
  const [hamlet, keyOnly] = [await withPassword(realm, "hamlet"), await realm.user("horatio")];

  expect(await hamlet.call(updateSettings, { new_password })).toEqual(refused("Wrong password!"));
  expect(await hamlet.call(updateSettings, { new_password, old_password: "wrong" })).toEqual(
    refused("Wrong password!"),
  );
  expect(await hamlet.call(updateSettings, { new_password: "a", old_password: password })).toEqual(
    refused("New password is too weak!"),
  );
  expect(await keyOnly.call(updateSettings, { new_password, old_password: "" })).toEqual(refused("Wrong password!"));
  expect(await signIn(realm, hamlet.email, password)).toMatchObject({ result: "success" });
});

test("one of two concurrent changes of a password succeeds", async () => {
  const realm = await newRealm();
  const hamlet = await withPassword(realm, "hamlet");

  const responses = await Promise.all(
    ["Granite-91c2-wave", "Granite-91c2-tide"].map((secret, index) =>
      hamlet.on(index).call(updateSettings, { old_password: password, new_password: secret }),
    ),
  );

  expect(responses.map((response) => response.msg).toSorted()).toEqual(["", "Wrong password!"]);
});

test("wrong old passwords count towards the limit like those of a login", async () => {
  const realm = await newRealm([await startNode({ environment: { SKEIN_RATE_LIMITS: "true", SKEIN_ROLES: "api" } })]);
  const hamlet = await withPassword(realm, "hamlet");
  for (let attempts = 0; attempts < 5; attempts++)
    await hamlet.call(updateSettings, { old_password: "wrong", new_password });

  expect(await hamlet.call(updateSettings, { old_password: password, new_password })).toMatchObject({
    code: "RATE_LIMIT_HIT",
  });
});

// spec 4.4: email
// spec 6: realm_user delivery email change, API email change
test("a new address takes effect when the linked form is submitted, and the old address is notified", async () => {
  const realm = await newRealm();
  const [hamlet, guest] = [await realm.user("hamlet"), await realm.user("guest", { role: 600 })];
  const email = `prince-${hamlet.id}@${realm.host}`;
  const queue = await guest.register(["realm_user"]);
  success(await hamlet.call(updateSettings, { email }));

  const mail = await mailTo(email);
  expect(mail.subject).toBe(`Confirm your new e-mail address for ${realm.host.split(".")[0]}`);
  expect(success(await hamlet.call(getOwnUser, {})).delivery_email).toBe(hamlet.email);
  const page = await new TestBrowser(realm).send(linkIn(mail).pathname, {});

  expect(page.status).toBe(200);
  expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(page.html).toContain(email);
  for (const node of [firstNode(realm), realm.nodes[1] ?? firstNode(realm)]) {
    const renamed = realm.client(node, { email, apiKey: hamlet.apiKey });
    expect(success(await renamed.call(getOwnUser, {})).delivery_email).toBe(email);
  }
  expect(await hamlet.call(getOwnUser, {})).toMatchObject({ code: "UNAUTHORIZED" });
  const update = { type: "realm_user", op: "update" };
  expect(await queue.next()).toEqual({ ...update, person: { user_id: hamlet.id, delivery_email: email } });
  expect(await queue.next()).toEqual({ ...update, person: { user_id: hamlet.id, new_email: email } });
  expect((await mailTo(hamlet.email)).text).toContain(email);
});

test("opening the confirmation link changes nothing, nor does a form from another site", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const email = `prince-${hamlet.id}@${realm.host}`;
  success(await hamlet.call(updateSettings, { email }));
  const link = linkIn(await mailTo(email)).pathname;
  const browser = new TestBrowser(realm);

  const page = await browser.open(link);
  const statuses = [
    (await browser.ask(link, { method: "HEAD" })).status,
    (await browser.open(link, { method: "POST" })).status,
    (await browser.send(link, {}, { headers: { "sec-fetch-site": "cross-site" } })).status,
  ];

  expect(page).toMatchObject({ status: 200, html: expect.stringContaining(`value="${email}"`) });
  expect(page.html).toContain(`<form method="post" action="${link}/">`);
  expect(statuses).toEqual([200, 403, 403]);
  expect(success(await hamlet.call(getOwnUser, {})).delivery_email).toBe(hamlet.email);
  expect((await browser.send(`${link}/`, {})).html).toContain("E-mail address changed");
});

test("only the newest link works, once, and only for its own organization", async () => {
  const realm = await newRealm();
  const elsewhere = await newRealm();
  const hamlet = await realm.user("hamlet");
  const [first, second] = [`one-${hamlet.id}@${realm.host}`, `two-${hamlet.id}@${realm.host}`];
  success(await hamlet.call(updateSettings, { email: first }));
  success(await hamlet.call(updateSettings, { email: second }));
  const [stale, link] = [linkIn(await mailTo(first)).pathname, linkIn(await mailTo(second)).pathname];
  const [browser, stranger] = [new TestBrowser(realm), new TestBrowser(elsewhere)];

  const visits = [
    await stranger.open(link),
    await stranger.send(link, {}),
    await browser.open(stale),
    await browser.send(stale, {}),
    await browser.send(link, {}, { node: 0 }),
    await browser.send(link, {}, { node: 1 }),
    await browser.open(link),
    await browser.send("/accounts/confirm_new_email/guessed", {}),
  ];

  expect(visits.map(({ status }) => status)).toEqual([404, 404, 404, 404, 200, 404, 404, 404]);
  for (const visit of visits.slice(2, 4)) expect(visit.html).toContain("A newer link was sent");
  for (const visit of visits.slice(5, 7)) expect(visit.html).toContain("already been used");
});

test("a link stops working once the address was changed another way", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const email = `prince-${hamlet.id}@${realm.host}`;
  success(await hamlet.call(updateSettings, { email }));
  const link = linkIn(await mailTo(email)).pathname;
  const other = { delivery_email: `king-${hamlet.id}@${realm.host}` };
  await realm.ctx.db.updateTable("users").set(other).where("id", "=", hamlet.id).execute();
  const browser = new TestBrowser(realm);

  for (const visit of [await browser.open(link), await browser.send(link, {})])
    expect(visit).toMatchObject({ status: 404, html: expect.stringContaining("your account has changed") });
});

// spec 4.4: email
test("an invalid, used or unchangeable address is refused", async () => {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
  const change = (email: string) => hamlet.call(updateSettings, { email });

  expect(await change("not an address")).toEqual(refused("Invalid address."));
  expect(await change(ophelia.email.toUpperCase())).toEqual(refused("Email is already in use."));
  await realm.ctx.db.updateTable("realms").set({ email_changes_disabled: true }).where("id", "=", realm.id).execute();
  expect(await change(`free@${realm.host}`)).toEqual(
    refused("Email address changes are disabled in this organization."),
  );
  success(await change(hamlet.email));
  success(await realm.admin.call(updateSettings, { email: `chief@${realm.host}` }));
});

test("an organization restricted to domains refuses other addresses", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const domain = { realm_id: realm.id, domain: "court.example.com" };
  await realm.ctx.db.insertInto("realm_domains").values(domain).execute();
  const restricted = { emails_restricted_to_domains: true };
  await realm.ctx.db.updateTable("realms").set(restricted).where("id", "=", realm.id).execute();

  expect(await hamlet.call(updateSettings, { email: "hamlet@pirates.example.com" })).toEqual(
    refused("This organization does not accept e-mail addresses of this domain."),
  );
  success(await hamlet.call(updateSettings, { email: "hamlet@court.example.com" }));
});

test("if the new address was taken meanwhile, nothing changes and the page reports it", async () => {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
  const email = `wanted-${hamlet.id}@${realm.host}`;
  success(await hamlet.call(updateSettings, { email }));
  const link = linkIn(await mailTo(email)).pathname;
  await realm.ctx.db.updateTable("users").set({ delivery_email: email }).where("id", "=", ophelia.id).execute();

  const page = await new TestBrowser(realm).send(link, {});

  expect(page).toMatchObject({ status: 400, html: expect.stringContaining("Email is already in use.") });
  expect(success(await hamlet.call(getOwnUser, {})).delivery_email).toBe(hamlet.email);
});

test("two links can be requested per hour", async () => {
  const realm = await newRealm([await startNode({ environment: { SKEIN_RATE_LIMITS: "true", SKEIN_ROLES: "api" } })]);
  const hamlet = await realm.user("hamlet");
  const change = (name: string) => hamlet.call(updateSettings, { email: `${name}-${hamlet.id}@${realm.host}` });

  expect([await change("one"), await change("two"), await change("three")]).toMatchObject([
    { result: "success" },
    { result: "success" },
    { code: "RATE_LIMIT_HIT" },
  ]);
});
