import { fetchApiKey } from "@skein/api/authentication.ts";
import type { ArgumentsOf } from "@skein/api/client.ts";
import { getMessages } from "@skein/api/fetch-messages.ts";
import { createInvitationLink, getInvitations, revokeInvitation, sendInvitations } from "@skein/api/invitations.ts";
import { getSubscriptions } from "@skein/api/subscriptions.ts";
import { createUserGroup, getUserGroups } from "@skein/api/user-groups.ts";
import { getUsers } from "@skein/api/users.ts";
import { describe, expect, test } from "vitest";
import { eventsUntilNow } from "../../../../test/events-until.ts";
import { linkIn, mailTo } from "../../../../test/mail.ts";
import { startNode } from "../../../../test/nodes.ts";
import { newRealm, success, TestUser, type TestRealm } from "../../../../test/realm.ts";
import { channelOf, newChannel, sendToChannel } from "../../../../test/actions.ts";
import { newAddress, password, TestBrowser, type Visited } from "../../../../test/test-browser.ts";

/** Fetches a page of this organization from one node, or submits a form, with a fresh browser. */
async function browse(realm: TestRealm, path: string, form?: Record<string, string>, node = 0): Promise<Visited> {
  const browser = new TestBrowser(realm);
  return form ? browser.send(path, form, { node }) : browser.open(path, { node });
}

/** The path of the link that was mailed to this address. */
const mailedLink = async (email: string): Promise<string> => linkIn(await mailTo(email)).pathname;
const keyOf = (path: string): string => path.split("/")[3] ?? "";

const register = (realm: TestRealm, path: string, fields: Record<string, string> = {}, node = 0) =>
  browse(realm, "/accounts/register/", { key: keyOf(path), full_name: "Nell Newcomer", password, ...fields }, node);

type Offer = Partial<ArgumentsOf<typeof sendInvitations>>;

/** Sends an invitation and returns the path of the mailed link. */
async function invited(inviter: TestUser, email: string, offer: Offer = {}): Promise<string> {
  success(await inviter.call(sendInvitations, { invitee_emails: email, stream_ids: [], ...offer }));
  return mailedLink(email);
}

async function findAccount(realm: TestRealm, email: string) {
  const { members } = success(await realm.admin.call(getUsers, {}));
  return members.filter((member) => member.delivery_email?.toLowerCase() === email.toLowerCase());
}

/** Signs in to an existing account. */
async function signIn(realm: TestRealm, email: string): Promise<TestUser> {
  const [node] = realm.nodes;
  if (!node) throw new Error("a realm has at least one node");
  const answer = success(await realm.client(node).call(fetchApiKey, { username: email, password }));
  return new TestUser(realm, answer.user_id, email, "Nell Newcomer", answer.api_key);
}

const channelsOf = async (user: TestUser): Promise<string[]> =>
  success(await user.call(getSubscriptions, {}))
    .subscriptions.map(({ name }) => name)
    .toSorted();

const setRealm = (realm: TestRealm, values: { [setting: string]: unknown }) =>
  realm.ctx.db.updateTable("realms").set(values).where("id", "=", realm.id).execute();

/** How many elements are unclosed, or closed without being open, by name. */
function unbalanced(html: string): Record<string, number> {
  const empty = new Set(["!doctype", "meta", "link", "input", "br"]);
  const balance: Record<string, number> = {};
  for (const [, slash, name = ""] of html.matchAll(/<(\/?)(!?[a-z][a-z0-9]*)/gi)) {
    if (!empty.has(name.toLowerCase())) balance[name] = (balance[name] ?? 0) + (slash === "/" ? -1 : 1);
  }
  return Object.fromEntries(Object.entries(balance).filter(([, count]) => count !== 0));
}

describe("by an invitation", () => {
  // spec 4.11: invitee_emails; 3.3: User account
  test("a person who opens the link chooses a name and a password and gets an account", async () => {
    const realm = await newRealm();
    const email = newAddress();
    const queue = await realm.admin.register(["realm_user", "invites_changed"]);
    const link = await invited(realm.admin, email);
    expect(await queue.next()).toEqual({ type: "invites_changed" });

    const page = await browse(realm, link);
    expect(page.status).toBe(200);
    expect(page.html).toContain(`value="${email}"`);
    expect(page.html).toContain('<form method="post" action="/accounts/register/">');
    const answer = await register(realm, link);

    expect(answer.status).toBe(200);
    expect(answer.html).toContain("Your account is ready");
    expect(await queue.nextOf("realm_user")).toMatchObject({
      op: "add",
      person: { delivery_email: email, full_name: "Nell Newcomer", role: 400, is_active: true },
    });
    expect(await queue.nextOf("invites_changed")).toEqual({ type: "invites_changed" });
    expect((await mailTo(email)).subject).toMatch(/^Your account at /);
    const newcomer = await signIn(realm, email);
    expect(success(await newcomer.call(getInvitations, {})).invites).toEqual([]);
    expect(success(await realm.admin.call(getInvitations, {})).invites).toEqual([]);
  });

  test("a newcomer to an organization that requires a second factor sets one up before the first session", async () => {
    const realm = await newRealm();
    await setRealm(realm, { second_factor_required_for: "members" });
    const browser = new TestBrowser(realm);
    const key = keyOf(await invited(realm.admin, newAddress()));

    const joined = await browser.send("/accounts/register/", { key, full_name: "Nell", password });

    expect(joined).toMatchObject({ status: 303, location: "/accounts/login/set_up_second_factor/" });
    expect(browser.cookies.has("sessionid")).toBe(false);
    expect((await browser.open(joined.location ?? "")).html).toContain("Set up a second factor");
  });

  // spec 4.11: invite_as, stream_ids, group_ids, include_realm_default_subscriptions
  test("the newcomer gets the role, groups and channels of the invitation", async () => {
    const realm = await newRealm();
    const [plain, secret] = [
      await newChannel(realm.admin, "plain"),
      await newChannel(realm.admin, "secret", { invite_only: true }),
    ];
    const standard = await newChannel(realm.admin, "standard");
    await realm.ctx.db.updateTable("channels").set({ is_default: true }).where("id", "=", standard).execute();
    const { group_id } = success(
      await realm.admin.call(createUserGroup, { name: "players", description: "", members: [realm.admin.id] }),
    );
    const queue = await realm.admin.register(["user_group", "subscription"]);
    const [email, bare] = [newAddress(), newAddress()];
    const offer: Offer = { invite_as: 300, stream_ids: [plain, secret], group_ids: [group_id] };

    await register(realm, await invited(realm.admin, email, { ...offer, include_realm_default_subscriptions: true }));
    await register(realm, await invited(realm.admin, bare), { full_name: "Bare" });

    const newcomer = await signIn(realm, email);
    expect(await findAccount(realm, email)).toMatchObject([{ role: 300 }]);
    expect(await channelsOf(newcomer)).toEqual(["plain", "secret", "standard"]);
    expect(await channelsOf(await signIn(realm, bare))).toEqual([]);
    const groups = success(await realm.admin.call(getUserGroups, {})).user_groups;
    expect(groups.find(({ id }) => id === group_id)?.members).toContain(newcomer.id);
    const [events] = await eventsUntilNow(realm, [queue]);
    expect(events).toContainEqual(
      expect.objectContaining({ type: "user_group", op: "add_members", group_id, user_ids: [newcomer.id] }),
    );
    for (const id of [plain, secret, standard])
      expect(events).toContainEqual(
        expect.objectContaining({ type: "subscription", op: "peer_add", stream_ids: [id], user_ids: [newcomer.id] }),
      );
  });

  test("the newcomer sees earlier messages only in channels with shared history", async () => {
    const realm = await newRealm();
    const { admin } = realm;
    const shared = await channelOf([admin], "shared", { isPrivate: true });
    const guarded = await channelOf([admin], "guarded", { isPrivate: true, hasSharedHistory: false });
    const said = await sendToChannel(admin, shared);
    await sendToChannel(admin, guarded);
    const email = newAddress();

    await register(realm, await invited(admin, email, { stream_ids: [shared.id, guarded.id] }));

    const newcomer = await signIn(realm, email);
    const all = { anchor: "oldest", num_before: 0, num_after: 100 } as const;
    const { messages } = success(await newcomer.call(getMessages, all));
    expect(messages.filter((message) => message.sender_id === admin.id).map(({ id }) => id)).toEqual([said]);
  });

  test("the newcomer does not get what the inviter may no longer grant", async () => {
    const realm = await newRealm();
    const hamlet = await realm.user("hamlet");
    const [kept, lost] = [await newChannel(hamlet, "kept"), await newChannel(hamlet, "lost", { invite_only: true })];
    const { group_id } = success(
      await hamlet.call(createUserGroup, { name: "players", description: "", members: [hamlet.id] }),
    );
    const email = newAddress();
    const link = await invited(hamlet, email, { stream_ids: [kept, lost], group_ids: [group_id] });
    await realm.ctx.db.updateTable("subscriptions").set({ active: false }).where("channel_id", "=", lost).execute();
    const { id: nobody } = await realm.ctx.db
      .selectFrom("user_groups")
      .select("id")
      .where("realm_id", "=", realm.id)
      .where("name", "=", "role:nobody")
      .executeTakeFirstOrThrow();
    await realm.ctx.db
      .updateTable("user_groups")
      .set({ can_add_members_group_id: nobody, can_manage_group_id: nobody })
      .where("id", "=", group_id)
      .execute();

    await register(realm, link);

    const newcomer = await signIn(realm, email);
    expect(await channelsOf(newcomer)).toEqual(["kept"]);
    const groups = success(await realm.admin.call(getUserGroups, {})).user_groups;
    expect(groups.find(({ id }) => id === group_id)?.members).toEqual([hamlet.id]);
  });

  test("an invitation stops working when the inviter is deactivated or demoted", async () => {
    const realm = await newRealm();
    const [gone, demoted] = [await realm.user("gone"), await realm.user("demoted", { role: 200 })];
    const [first, second] = [newAddress(), newAddress()];
    const links = [await invited(gone, first), await invited(demoted, second, { invite_as: 200 })];
    await realm.ctx.db.updateTable("users").set({ is_active: false }).where("id", "=", gone.id).execute();
    await realm.ctx.db.updateTable("users").set({ role: 400 }).where("id", "=", demoted.id).execute();

    for (const link of links) {
      expect(await browse(realm, link)).toMatchObject({ status: 410, html: expect.stringContaining("was revoked") });
      expect(await register(realm, link)).toMatchObject({ status: 410 });
    }
    expect(await findAccount(realm, second)).toEqual([]);
  });

  test("the newcomer gets the organization's default settings", async () => {
    const realm = await newRealm();
    await setRealm(realm, { user_settings_defaults: JSON.stringify({ twenty_four_hour_time: true }) });
    const email = newAddress();

    await register(realm, await invited(realm.admin, email));

    const queue = await (await signIn(realm, email)).register([], ["user_settings"]);
    expect(queue.state.user_settings).toMatchObject({ twenty_four_hour_time: true });
  });

  // spec 4.11: notify_referrer_on_join
  test("the newcomer is greeted, the inviter is notified on request, and the channel gets a notice", async () => {
    const realm = await newRealm();
    const hamlet = await realm.user("hamlet");
    const channel = await newChannel(realm.admin, "lobby");
    await setRealm(realm, { signup_announcements_stream_id: channel });
    const queues = [await hamlet.register(["message"]), await realm.admin.register(["message"])] as const;
    const [told, untold] = [newAddress(), newAddress()];

    await register(realm, await invited(hamlet, untold, { notify_referrer_on_join: false }), { full_name: "Quiet" });
    await register(realm, await invited(hamlet, told), { full_name: "Loud" });

    const { id } = await signIn(realm, told);
    const { message } = await queues[0].nextOf("message");
    expect(message).toMatchObject({
      type: "private",
      sender_full_name: "Notification Bot",
      content: `@_**Loud|${id}** accepted your invitation.`,
    });
    const notices = [await queues[1].nextOf("message"), await queues[1].nextOf("message")];
    expect(notices.map((event) => [event.message.subject, event.message.content])).toEqual([
      ["signups", expect.stringMatching(/^@_\*\*Quiet\|\d+\*\* joined /)],
      ["signups", expect.stringMatching(/^@_\*\*Loud\|\d+\*\* joined /)],
    ]);
    const state = await (await signIn(realm, told)).register([], ["message", "update_message_flags"]);
    expect(state.state.unread_msgs).toMatchObject({ count: 1 });
  });

  // spec 4.11: invitee_emails
  test("if ten people accept an invitation at once on two nodes, one gets an account", async () => {
    const realm = await newRealm();
    const email = newAddress();
    const link = await invited(realm.admin, email);

    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => register(realm, link, { full_name: `Nell ${index}` }, index)),
    );

    expect(answers.filter(({ html }) => html.includes("Your account is ready"))).toHaveLength(1);
    for (const { html } of answers)
      expect(html).toMatch(/Your account is ready|This link has already been used|There is already an account/);
    expect(await findAccount(realm, email)).toHaveLength(1);
  });

  test("accepting one of two invitations to an address invalidates the other", async () => {
    const realm = await newRealm();
    const hamlet = await realm.user("hamlet");
    const email = newAddress();
    const links = [await invited(hamlet, email, { invite_as: 600 }), await invited(realm.admin, email.toUpperCase())];

    const answers = await Promise.all(links.map((link, node) => register(realm, link, {}, node)));

    expect(answers.filter(({ html }) => html.includes("Your account is ready"))).toHaveLength(1);
    expect(await findAccount(realm, email)).toHaveLength(1);
    expect(success(await realm.admin.call(getInvitations, {})).invites).toEqual([]);
    for (const link of links) expect((await browse(realm, link)).status).toBe(410);
  });

  test("a person who already has an account is told so when opening a link", async () => {
    const realm = await newRealm();
    const email = newAddress();
    const link = await invited(realm.admin, email);
    await realm.ctx.db
      .insertInto("users")
      .values({ realm_id: realm.id, delivery_email: email, full_name: "Nell" })
      .execute();

    expect((await browse(realm, link)).html).toContain("There is already an account for");
    expect((await register(realm, link)).html).toContain("There is already an account for");
  });

  test.for<[string, Record<string, string>, string, string]>([
    ["a weak password", { password: "123456" }, "password", "The password is too weak."],
    ["no password", { password: "" }, "password", "The password is too weak."],
    ["a name with markup", { full_name: '<b>"*' }, "full_name", "Invalid characters in name!"],
    ["no name", { full_name: " " }, "full_name", "Name too short!"],
  ])("%s is refused beside its field, and the link still works", async ([_, fields, field, problem]) => {
    const realm = await newRealm();
    const email = newAddress();
    const link = await invited(realm.admin, email);

    const answer = await register(realm, link, fields);

    expect(answer.status).toBe(400);
    expect(answer.html).toContain(`<p class="wrong" id="${field}-wrong">${problem}</p>`);
    expect(answer.html).not.toContain("<b>");
    expect(answer.html).not.toContain("123456");
    expect((await register(realm, link)).html).toContain("Your account is ready");
  });

  test("a name that is taken is refused if the organization requires unique names", async () => {
    const realm = await newRealm();
    await setRealm(realm, { require_unique_names: true });
    await realm.user("nell", { fullName: "Nell Newcomer" });
    const link = await invited(realm.admin, newAddress());

    expect(await register(realm, link)).toMatchObject({
      status: 400,
      html: expect.stringContaining("Unique names required in this organization."),
    });
  });

  test("an address that the organization no longer allows cannot join", async () => {
    const realm = await newRealm();
    const link = await invited(realm.admin, newAddress());
    await setRealm(realm, { emails_restricted_to_domains: true });

    for (const answer of [await browse(realm, link), await register(realm, link)])
      expect(answer).toMatchObject({ status: 403, html: expect.stringContaining("does not accept e-mail addresses") });
  });

  test("a link that does not work explains why and what to do", async () => {
    const [realm, other] = [await newRealm(), await newRealm()];
    const [used, revoked, expired] = [newAddress(), newAddress(), newAddress()];
    const links = {
      used: await invited(realm.admin, used),
      revoked: await invited(realm.admin, revoked),
      expired: await invited(realm.admin, expired),
    };
    await register(realm, links.used);
    const { invites } = success(await realm.admin.call(getInvitations, {}));
    const toRevoke = invites.find(({ email }) => email === revoked)?.id ?? 0;
    success(await realm.admin.call(revokeInvitation, { invite_id: toRevoke }));
    await realm.ctx.db
      .updateTable("invitations")
      .set({ expires_at: new Date(Date.now() - 1000) })
      .where("email", "=", expired)
      .execute();

    for (const answer of [await browse(realm, links.used), await register(realm, links.used)])
      expect(answer).toMatchObject({ status: 410, html: expect.stringContaining("This link has already been used") });
    for (const answer of [await browse(realm, links.revoked), await register(realm, links.revoked)])
      expect(answer).toMatchObject({ status: 410, html: expect.stringContaining("This invitation was revoked") });
    for (const answer of [await browse(realm, links.expired), await register(realm, links.expired)])
      expect(answer).toMatchObject({ status: 410, html: expect.stringContaining("This link has expired") });
    const unknown = [`${links.expired}x`, "/accounts/do_confirm/x", "/accounts/do_confirm/%00"];
    for (const path of unknown)
      expect(await browse(realm, path)).toMatchObject({
        status: 404,
        html: expect.stringContaining("This link is invalid"),
      });
    expect((await browse(other, links.used)).status).toBe(404);
    expect(await findAccount(realm, revoked)).toEqual([]);
  });

  test("nobody can join a deactivated organization", async () => {
    const realm = await newRealm();
    const link = await invited(realm.admin, newAddress());
    await setRealm(realm, { deactivated: true });

    for (const answer of [await browse(realm, link), await register(realm, link)])
      expect(answer).toMatchObject({ status: 410, html: expect.stringContaining("has been deactivated") });
  });
});

describe("by an invitation link", () => {
  const linkOf = async (user: TestUser, params: ArgumentsOf<typeof createInvitationLink> = {}): Promise<string> =>
    new URL(success(await user.call(createInvitationLink, params)).invite_link).pathname;

  test("any number of people can join, each after verifying their address", async () => {
    const realm = await newRealm();
    const channel = await newChannel(realm.admin, "plain");
    const link = await linkOf(realm.admin, { invite_as: 600, stream_ids: [channel] });
    const people = [newAddress(), newAddress()];

    for (const email of people) {
      expect((await browse(realm, link)).html).toContain(`<form method="post" action="${link}">`);
      expect((await browse(realm, link, { email })).html).toContain("We have sent a mail to");
      expect((await register(realm, await mailedLink(email))).html).toContain("Your account is ready");
    }

    for (const email of people) {
      expect(await findAccount(realm, email)).toMatchObject([{ role: 600 }]);
      expect(await channelsOf(await signIn(realm, email))).toEqual(["plain"]);
    }
  });

  test("the response does not reveal whether there is an account; only the mail does", async () => {
    const realm = await newRealm();
    const hamlet = await realm.user("hamlet");
    const link = await linkOf(realm.admin);
    const stranger = newAddress();

    const known = await browse(realm, link, { email: hamlet.email });
    const unknown = await browse(realm, link, { email: stranger });

    expect(known.html.replaceAll(hamlet.email, "")).toBe(unknown.html.replaceAll(stranger, ""));
    expect((await browse(realm, await mailedLink(hamlet.email))).html).toContain("There is already an account for");
    expect((await browse(realm, await mailedLink(stranger))).html).toContain("choose a password");
  });

  test("a revoked or expired link does not work, nor do mails sent through it", async () => {
    const realm = await newRealm();
    const link = await linkOf(realm.admin);
    const email = newAddress();
    await browse(realm, link, { email });
    const mailed = await mailedLink(email);
    await realm.ctx.db
      .updateTable("invitation_links")
      .set({ revoked: true })
      .where("realm_id", "=", realm.id)
      .execute();

    for (const answer of [
      await browse(realm, link),
      await browse(realm, link, { email }),
      await browse(realm, mailed),
      await register(realm, mailed),
    ])
      expect(answer).toMatchObject({ status: 410, html: expect.stringContaining("This invitation was revoked") });
    expect((await browse(realm, "/join/nonsense/")).status).toBe(404);
  });

  test.for(["", "nonsense", "x@mailinator.com", "a@example.com\r\nBcc: b@example.com", "a@example.com,b@example.com"])(
    "nobody can join with the address %j",
    async (email) => {
      const realm = await newRealm();

      const answer = await browse(realm, await linkOf(realm.admin), { email });

      expect(answer.status).toBe(400);
      expect(answer.html).toMatch(/Invalid address\.|Disposable e-mail addresses are not accepted\./);
    },
  );

  test("the mails to an address are limited per hour, even for concurrent requests", async () => {
    const realm = await newRealm();
    const link = await linkOf(realm.admin);
    const email = newAddress();

    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, node) =>
        browse(realm, link, { email: node % 2 ? email : email.toUpperCase() }, node),
      ),
    );

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(3);
    expect((await browse(realm, link, { email: newAddress() })).status).toBe(200);
  });

  test("the mailed link uses the organization's URL as the inviter used it, whatever the request's headers say", async () => {
    const realm = await newRealm();
    const email = newAddress();
    const path = await linkOf(realm.admin);

    const headers = { "x-forwarded-host": `${realm.host}:8443`, "x-forwarded-proto": "gopher" };
    await new TestBrowser(realm).send(path, { email }, { headers });

    expect(linkIn(await mailTo(email)).origin).toBe(`http://${realm.host}`);
  });
});

describe("the pages", () => {
  test("need no script, load nothing from other hosts, and send no referrer", async () => {
    const realm = await newRealm();
    const page = await browse(realm, await invited(realm.admin, newAddress()));

    expect(page.headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/]+='; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
    );
    expect(page.headers.get("cache-control")).toBe("no-store");
    expect(page.headers.get("referrer-policy")).toBe("no-referrer");
    expect(page.html).not.toMatch(/<script|src=|@import|url\(/);
  });

  test("are well-formed HTML with a label for every field", async () => {
    const realm = await newRealm();
    const link = new URL(success(await realm.admin.call(createInvitationLink, {})).invite_link).pathname;
    const pages = [
      await browse(realm, await invited(realm.admin, newAddress())),
      await browse(realm, link),
      await browse(realm, link, { email: newAddress() }),
      await browse(realm, "/join/nonsense/"),
    ];

    for (const { html } of pages) {
      expect(unbalanced(html)).toEqual({});
      expect(html).toMatch(/<html lang="en">/);
      const visible = [...html.matchAll(/<input (?!type="hidden")[^>]*id="(\w+)"/g)].map(([, id]) => id);
      for (const id of visible) expect(html).toContain(`<label for="${id}">`);
    }
  });

  test("mails are well-formed HTML, too, whatever the names of organization and inviter", async () => {
    const realm = await newRealm();
    await setRealm(realm, { name: '<i>"A & B"</i>' });
    const hamlet = await realm.user("hamlet", { fullName: "Ham <let> & Co" });
    const email = newAddress();
    const joiner = newAddress();
    success(await hamlet.call(sendInvitations, { invitee_emails: email, stream_ids: [] }));
    const { invite_link } = success(await realm.admin.call(createInvitationLink, {}));
    await browse(realm, new URL(invite_link).pathname, { email: joiner });
    const invitation = await mailTo(email);
    await register(realm, linkIn(invitation).pathname);

    for (const mail of [invitation, await mailTo(email), await mailTo(joiner)]) {
      expect(unbalanced(mail.html)).toEqual({});
      expect(mail.html).toContain("&lt;i&gt;&quot;A &amp; B&quot;&lt;/i&gt;");
      expect(mail.html).not.toMatch(/<i>|<let>|<img|src=/);
      expect(mail.text).toContain('<i>"A & B"</i>');
    }
  });

  test("a form that another site makes the browser send is refused", async () => {
    const realm = await newRealm();
    const link = await invited(realm.admin, newAddress());

    const form = { key: keyOf(link), full_name: "Nell", password };
    const browser = new TestBrowser(realm);
    const crossSite = await browser.send("/accounts/register/", form, { headers: { "sec-fetch-site": "cross-site" } });
    const withoutToken = await browser.open("/accounts/register/", { method: "POST", form });

    for (const { status } of [crossSite, withoutToken]) expect(status).toBe(403);
    expect((await register(realm, link)).html).toContain("Your account is ready");
  });

  test("are rate limited", async () => {
    const realm = await newRealm([await startNode({ environment: { SKEIN_RATE_LIMITS: "true" } })]);

    const statuses = [];
    for (let count = 0; count < 31; count++) statuses.push((await browse(realm, "/accounts/do_confirm/x")).status);

    expect(new Set(statuses.slice(0, 30))).toEqual(new Set([404]));
    expect(statuses.at(-1)).toBe(429);
  });
});
