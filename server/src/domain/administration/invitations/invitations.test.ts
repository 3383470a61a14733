import { randomUUID } from "node:crypto";
import type { ArgumentsOf } from "@skein/api/client.ts";
import {
  createInvitationLink,
  getInvitations,
  resendInvitation,
  revokeInvitation,
  revokeInvitationLink,
  sendInvitations,
  type Invitation,
} from "@skein/api/invitations.ts";
import { createUserGroup } from "@skein/api/user-groups.ts";
import { deactivateUser } from "@skein/api/users.ts";
import { describe, expect, test } from "vitest";
import { linkIn, mailTo } from "../../../../test/mail.ts";
import { startNode } from "../../../../test/nodes.ts";
import { newRealm, success, type TestRealm, type TestUser } from "../../../../test/realm.ts";
import { newChannel } from "../../../../test/actions.ts";

const newAddress = (name = "friend") => `${name}-${randomUUID()}@example.com`;

const invite = (user: TestUser, params: Partial<ArgumentsOf<typeof sendInvitations>> = {}) =>
  user.call(sendInvitations, { invitee_emails: newAddress(), stream_ids: [], ...params });

const openFor = async (user: TestUser): Promise<Invitation[]> => success(await user.call(getInvitations, {})).invites;

const refused = (msg: string) => ({ result: "error", code: "BAD_REQUEST", msg });

const setRealm = (realm: TestRealm, values: { [setting: string]: unknown }) =>
  realm.ctx.db.updateTable("realms").set(values).where("id", "=", realm.id).execute();

/** Sets a permission of the organization to a group of the system. */
async function permit(realm: TestRealm, permission: string, group: string): Promise<void> {
  const { id } = await realm.ctx.db
    .selectFrom("user_groups")
    .select("id")
    .where("realm_id", "=", realm.id)
    .where("name", "=", group)
    .executeTakeFirstOrThrow();
  await setRealm(realm, { [`${permission}_id`]: id });
}

const roles = { owner: 100, administrator: 200, moderator: 300, member: 400, guest: 600 } as const;
type RoleName = keyof typeof roles;

describe("inviting by mail", () => {
  // spec 4.11: invitee_emails, invite_as, invite_expires_in_minutes, notify_referrer_on_join; 8: default invitation validity
  test("each address gets a mail with its own link, and is listed as valid for ten days", async () => {
    const realm = await newRealm();
    const iago = await realm.user("iago", { fullName: "Iago & Sons" });
    const [ada, bo] = [newAddress(), newAddress()];

    expect(await invite(iago, { invitee_emails: `${ada},\nBo <${bo}>` })).toEqual({ result: "success", msg: "" });

    const [toAda, toBo] = [await mailTo(ada), await mailTo(bo)];
    expect(toAda.subject).toMatch(/^Iago & Sons invited you to /);
    expect(toAda.html).toContain("Iago &amp; Sons");
    expect(linkIn(toAda).host).toBe(realm.host);
    expect(linkIn(toAda).pathname).toMatch(/^\/accounts\/do_confirm\/[\w-]{43}$/);
    expect(linkIn(toBo).href).not.toBe(linkIn(toAda).href);
    const invites = await openFor(iago);
    expect(invites).toEqual(
      [ada, bo].map((email) => ({
        id: expect.any(Number),
        invited_by_user_id: iago.id,
        invited: expect.any(Number),
        expiry_date: expect.any(Number),
        invited_as: 400,
        email,
        notify_referrer_on_join: true,
        is_multiuse: false,
      })),
    );
    expect((invites[0]?.expiry_date ?? 0) - (invites[0]?.invited ?? 0)).toBe(14_400 * 60);
  });

  // spec 4.11: invite_expires_in_minutes, notify_referrer_on_join, invite_as
  test("an invitation has the requested settings", async () => {
    const { admin } = await newRealm();

    success(await invite(admin, { invite_expires_in_minutes: null, notify_referrer_on_join: false, invite_as: 600 }));
    success(await invite(admin, { invite_expires_in_minutes: 60 }));

    const [first, second] = await openFor(admin);
    expect(first).toMatchObject({ expiry_date: null, notify_referrer_on_join: false, invited_as: 600 });
    expect((second?.expiry_date ?? 0) - (second?.invited ?? 0)).toBe(3600);
  });

  // spec 4.11: invite_as
  test.for<[RoleName, RoleName[]]>([
    ["owner", ["owner", "administrator", "moderator", "member", "guest"]],
    ["administrator", ["administrator", "moderator", "member", "guest"]],
    ["moderator", ["moderator", "member", "guest"]],
    ["member", ["member", "guest"]],
    ["guest", []],
  ])("a user with role %s can offer %j and no other", async ([own, invitable]) => {
    const realm = await newRealm();
    const inviter = await realm.user("inviter", { role: roles[own] });

    for (const [name, role] of Object.entries(roles)) {
      const expected = invitable.some((allowed) => allowed === name) ? "" : "Insufficient permission";
      expect(await invite(inviter, { invite_as: role })).toMatchObject({ msg: expected });
    }
    expect(await openFor(inviter)).toHaveLength(invitable.length);
  });

  // spec 4.11: error insufficient permission
  test("only users with the permission can invite, by mail or by link", async () => {
    const realm = await newRealm();
    const [member, moderator] = [await realm.user("member"), await realm.user("moderator", { role: 300 })];
    await permit(realm, "can_invite_users_group", "role:moderators");

    expect(await invite(member)).toEqual(refused("Insufficient permission"));
    expect(await invite(moderator)).toMatchObject({ result: "success" });
    expect(await moderator.call(createInvitationLink, {})).toEqual(refused("Insufficient permission"));
    await permit(realm, "create_multiuse_invite_group", "role:moderators");
    expect(await moderator.call(createInvitationLink, {})).toMatchObject({ result: "success" });
    expect(await member.call(createInvitationLink, {})).toEqual(refused("Insufficient permission"));
  });

  // spec 4.11: error no email given
  test("at least one address is required", async () => {
    const { admin } = await newRealm();

    expect(await invite(admin, { invitee_emails: " ,\n" })).toEqual(
      refused("You must specify at least one email address."),
    );
  });

  // spec 4.11: error INVITATION_FAILED, sent_invitations, errors, daily_limit_reached, license_limit_reached
  test("addresses that cannot be invited are reported, and the others are invited", async () => {
    const realm = await newRealm();
    const [hamlet, gone] = [await realm.user("hamlet"), await realm.user("gone")];
    await realm.ctx.db.updateTable("users").set({ is_active: false }).where("id", "=", gone.id).execute();
    const friend = newAddress();
    const invitee_emails = [hamlet.email.toUpperCase(), gone.email, "nonsense", "x@mailinator.com", friend].join(",");

    const answer = await invite(realm.admin, { invitee_emails });

    expect(answer).toEqual({
      result: "error",
      code: "INVITATION_FAILED",
      msg: "Some of these addresses could not be invited. Invitations were sent to all others.",
      errors: [
        [hamlet.email.toUpperCase(), "Already has an account.", false],
        [gone.email, "Account is deactivated.", true],
        ["nonsense", "Invalid address.", false],
        ["x@mailinator.com", "Disposable e-mail addresses are not accepted.", false],
      ],
      sent_invitations: true,
      daily_limit_reached: false,
      license_limit_reached: false,
    });
    expect((await openFor(realm.admin)).map(({ email }) => email)).toEqual([friend]);
    expect((await mailTo(friend)).subject).toContain("invited you");
  });

  // spec 4.11: error INVITATION_FAILED, sent_invitations
  test("if no address can be invited, nothing is sent and no event is emitted", async () => {
    const realm = await newRealm();
    const hamlet = await realm.user("hamlet");
    const queue = await realm.admin.register(["invites_changed"]);

    expect(await invite(realm.admin, { invitee_emails: hamlet.email })).toMatchObject({
      code: "INVITATION_FAILED",
      errors: [[hamlet.email, "Already has an account.", false]],
      sent_invitations: false,
    });

    expect(await openFor(realm.admin)).toEqual([]);
    expect(await queue.all()).toEqual([]);
  });

  test("only addresses the organization's settings allow are invited", async () => {
    const realm = await newRealm();
    const outcome = async (address: string) => {
      const answer = await invite(realm.admin, { invitee_emails: address });
      return answer.result === "success" ? undefined : (answer["errors"] as [string, string, boolean][])[0]?.[1];
    };
    expect(await outcome("a@mailinator.com")).toBe("Disposable e-mail addresses are not accepted.");
    expect(await outcome("a@deep.inside.mailinator.com")).toBe("Disposable e-mail addresses are not accepted.");
    await setRealm(realm, { disallow_disposable_email_addresses: false });
    expect(await outcome("a@mailinator.com")).toBeUndefined();

    await setRealm(realm, { emails_restricted_to_domains: true });
    await realm.ctx.db
      .insertInto("realm_domains")
      .values([
        { realm_id: realm.id, domain: "acme.test", allow_subdomains: true },
        { realm_id: realm.id, domain: "narrow.test", allow_subdomains: false },
      ])
      .execute();
    expect(await outcome("a@example.com")).toBe("This organization does not accept e-mail addresses of this domain.");
    expect(await outcome("a@not-acme.test")).toBe("This organization does not accept e-mail addresses of this domain.");
    expect(await outcome("a@deep.narrow.test")).toBe(
      "This organization does not accept e-mail addresses of this domain.",
    );
    for (const address of ["a@acme.test", "a@deep.ACME.test", "a@narrow.test"])
      expect(await outcome(address)).toBeUndefined();
  });

  test("an account in another organization does not matter", async () => {
    const [realm, other] = [await newRealm(), await newRealm()];
    const stranger = await other.user("stranger");

    expect(await invite(realm.admin, { invitee_emails: stranger.email })).toMatchObject({ result: "success" });
  });

  // spec 4.11: error INVITATION_FAILED, daily_limit_reached; 8: invitation daily limits
  // spec 8: invitation daily and license limits
  test("beyond the daily limit nothing is sent, even by concurrent requests of several users", async () => {
    const realm = await newRealm([await startNode({ environment: { SKEIN_INVITATIONS_PER_DAY: "3" } })]);
    const hamlet = await realm.user("hamlet");
    success(await invite(realm.admin));

    const answers = await Promise.all(Array.from({ length: 4 }, () => invite(hamlet)));
    const three = Array.from({ length: 3 }, () => newAddress()).join(",");

    expect(answers.filter(({ result }) => result === "success")).toHaveLength(2);
    expect(await invite(hamlet, { invitee_emails: three })).toMatchObject({
      code: "INVITATION_FAILED",
      errors: [],
      sent_invitations: false,
      daily_limit_reached: true,
      license_limit_reached: false,
    });
    const [{ id }] = (await openFor(realm.admin)) as [Invitation];
    expect(await realm.admin.call(resendInvitation, { invite_id: id })).toMatchObject({ daily_limit_reached: true });
    expect(await openFor(realm.admin)).toHaveLength(3);
  });

  test("with open registration, new members cannot send invitations yet", async () => {
    const realm = await newRealm();
    const [fresh, old] = [await realm.user("fresh"), await realm.user("old")];
    await setRealm(realm, { invite_required: false });
    const date_joined = new Date(Date.now() - 4 * 86_400_000);
    await realm.ctx.db.updateTable("users").set({ date_joined }).where("id", "=", old.id).execute();

    expect(await invite(fresh)).toMatchObject({ code: "INVITATION_FAILED", sent_invitations: false });
    expect(await invite(old)).toMatchObject({ result: "success" });
    expect(await invite(realm.admin)).toMatchObject({ result: "success" });
  });
});

describe("what an invitation offers", () => {
  // spec 4.11: stream_ids, error invalid or inaccessible channel ID
  test("an inviter can offer channels they may add others to; inaccessible ones look nonexistent", async () => {
    const [realm, other] = [await newRealm(), await newRealm()];
    const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
    const open = await newChannel(ophelia, "open");
    const secret = await newChannel(ophelia, "secret", { invite_only: true });
    const foreign = await newChannel(other.admin, "foreign");
    const archived = await newChannel(ophelia, "archived");
    await realm.ctx.db.updateTable("channels").set({ is_archived: true }).where("id", "=", archived).execute();

    expect(await invite(hamlet, { stream_ids: [open] })).toMatchObject({ result: "success" });
    expect(await invite(ophelia, { stream_ids: [open, secret] })).toMatchObject({ result: "success" });
    for (const hidden of [secret, foreign, archived, 2_000_000_000, -1]) {
      const answer = await invite(hamlet, { stream_ids: [open, hidden] });
      expect(answer).toEqual(refused(`Invalid channel ID ${hidden}. No invites were sent.`));
    }
    expect(await invite(realm.admin, { stream_ids: [secret] })).toMatchObject({ result: "error" });
    expect(await openFor(realm.admin)).toHaveLength(2);
  });

  // spec 4.11: stream_ids, error requester may not subscribe others
  test("a user who may not subscribe others cannot offer channels, except default ones beside their own", async () => {
    const realm = await newRealm();
    const hamlet = await realm.user("hamlet");
    const own = await newChannel(hamlet, "own");
    const [plain, standard] = [await newChannel(realm.admin, "plain"), await newChannel(realm.admin, "standard")];
    await realm.ctx.db.updateTable("channels").set({ is_default: true }).where("id", "=", standard).execute();
    await permit(realm, "can_add_subscribers_group", "role:moderators");
    const ophelia = await realm.user("ophelia");
    const mayNot = refused("You do not have permission to subscribe other users to channels.");

    expect(await invite(ophelia, { stream_ids: [plain] })).toEqual(mayNot);
    expect(await invite(ophelia, { stream_ids: [standard] })).toEqual(mayNot);
    expect(await invite(ophelia, { stream_ids: [] })).toMatchObject({ result: "success" });
    expect(await invite(ophelia, { include_realm_default_subscriptions: true })).toMatchObject({ result: "success" });
    expect(await invite(hamlet, { stream_ids: [own, standard] })).toMatchObject({ result: "success" });
    expect(await invite(hamlet, { stream_ids: [own, plain] })).toEqual(mayNot);
  });

  // spec 4.11: group_ids
  test("an inviter can offer groups they may add people to", async () => {
    const [realm, other] = [await newRealm(), await newRealm()];
    const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
    const create = async (user: TestUser) =>
      success(await user.call(createUserGroup, { name: "players", description: "", members: [user.id] })).group_id;
    const [players, foreign] = [await create(hamlet), await create(other.admin)];
    const moderators = await realm.ctx.db
      .selectFrom("user_groups")
      .select("id")
      .where("realm_id", "=", realm.id)
      .where("name", "=", "role:moderators")
      .executeTakeFirstOrThrow();

    expect(await invite(hamlet, { group_ids: [players] })).toMatchObject({ result: "success" });
    expect(await invite(realm.admin, { group_ids: [players] })).toMatchObject({ result: "success" });
    expect(await invite(ophelia, { group_ids: [players] })).toEqual(refused("Insufficient permission"));
    expect(await invite(realm.admin, { group_ids: [moderators.id] })).toEqual(refused("Insufficient permission"));
    expect(await invite(realm.admin, { group_ids: [foreign] })).toEqual(refused("Invalid user group"));
    expect(await openFor(realm.admin)).toHaveLength(2);
  });

  // spec 4.11: invite_as, invite_expires_in_minutes, stream_ids, group_ids
  test.for<[string, string, string]>([
    ["invite_as", "150", "Invalid invite_as"],
    ["invite_as", "x", "invite_as is not valid JSON"],
    ["invite_expires_in_minutes", "0", "Invalid invite_expires_in_minutes"],
    ["invite_expires_in_minutes", "99999999999", "Invalid invite_expires_in_minutes"],
    ["invite_expires_in_minutes", "1.5", "invite_expires_in_minutes is not an integer"],
    ["stream_ids", "5", "stream_ids is not a list"],
    ["group_ids", '["x"]', "group_ids[0] is not an integer"],
    ["notify_referrer_on_join", "2", "notify_referrer_on_join is not a boolean"],
    ["include_realm_default_subscriptions", "[]", "include_realm_default_subscriptions is not a boolean"],
  ])("%s cannot be %s", async ([name, value, msg]) => {
    const { admin } = await newRealm();

    const form = { invitee_emails: newAddress(), stream_ids: "[]", [name]: value };
    expect(await admin.request("POST", "/invites", form)).toMatchObject({ result: "error", code: "BAD_REQUEST", msg });
  });
});

describe("managing invitations", () => {
  // spec 6: invites_changed; 2.9: Invitation
  test("administrators and the inviter receive events, others do not", async () => {
    const [realm, other] = [await newRealm(), await newRealm()];
    const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
    const [guest, boss] = [await realm.user("guest", { role: 600 }), await realm.user("boss", { role: 200 })];
    const listeners = [realm.admin, boss, hamlet];
    const queues = await Promise.all(listeners.map((user) => user.register(["invites_changed"])));
    const deaf = await Promise.all([ophelia, guest, other.admin].map((user) => user.register(["invites_changed"])));

    success(await invite(hamlet));
    const [{ id }] = (await openFor(hamlet)) as [Invitation];
    success(await realm.admin.call(resendInvitation, { invite_id: id }));
    success(await realm.admin.call(revokeInvitation, { invite_id: id }));

    for (const queue of queues)
      for (let change = 0; change < 3; change++) expect(await queue.next()).toEqual({ type: "invites_changed" });
    for (const queue of deaf) expect(await queue.all()).toEqual([]);
  });

  test("people see and manage their own invitations, administrators all, and owners those of owners", async () => {
    const [realm, other] = [await newRealm(), await newRealm()];
    const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
    const boss = await realm.user("boss", { role: 200 });
    success(await invite(hamlet));
    success(await invite(realm.admin, { invite_as: 100 }));
    const [[mine], all] = [await openFor(hamlet), await openFor(boss)];
    const [, forOwner] = all;

    expect(await openFor(ophelia)).toEqual([]);
    expect(await openFor(other.admin)).toEqual([]);
    expect(all.map(({ invited_as }) => invited_as)).toEqual([400, 100]);
    for (const endpoint of [revokeInvitation, resendInvitation]) {
      for (const stranger of [ophelia, other.admin])
        expect(await stranger.call(endpoint, { invite_id: mine?.id ?? 0 })).toEqual(refused("No such invitation"));
      expect(await boss.call(endpoint, { invite_id: forOwner?.id ?? 0 })).toEqual(
        refused("Must be an organization owner"),
      );
    }
    success(await boss.call(revokeInvitation, { invite_id: mine?.id ?? 0 }));
    success(await realm.admin.call(revokeInvitation, { invite_id: forOwner?.id ?? 0 }));
    expect(await openFor(realm.admin)).toEqual([]);
  });

  test("an invitation is revoked once, even by two concurrent requests", async () => {
    const { admin } = await newRealm();
    success(await invite(admin));
    const [{ id }] = (await openFor(admin)) as [Invitation];

    const answers = await Promise.all([0, 1].map((node) => admin.on(node).call(revokeInvitation, { invite_id: id })));

    expect(answers.map(({ msg }) => msg).toSorted()).toEqual(["", "No such invitation"]);
    expect(await admin.call(resendInvitation, { invite_id: id })).toEqual(refused("No such invitation"));
  });

  test("resending an invitation restarts its validity and adds a second link", async () => {
    const realm = await newRealm();
    const friend = newAddress();
    success(await invite(realm.admin, { invitee_emails: friend, invite_expires_in_minutes: 60 }));
    const hourAgo = new Date(Date.now() - 1800_000);
    await realm.ctx.db
      .updateTable("invitations")
      .set({ invited_at: hourAgo, expires_at: new Date(hourAgo.getTime() + 3600_000) })
      .where("realm_id", "=", realm.id)
      .execute();
    const [before] = (await openFor(realm.admin)) as [Invitation];

    success(await realm.admin.call(resendInvitation, { invite_id: before.id }));

    const [after] = (await openFor(realm.admin)) as [Invitation];
    expect(after.invited).toBeGreaterThan(before.invited);
    expect((after.expiry_date ?? 0) - after.invited).toBe(3600);
    expect(linkIn(await mailTo(friend)).href).not.toBe(linkIn(await mailTo(friend)).href);
  });

  test("expired invitations are not listed", async () => {
    const realm = await newRealm();
    success(await invite(realm.admin));
    success(await realm.admin.call(createInvitationLink, {}));
    const [invitation] = (await openFor(realm.admin)) as [Invitation];
    const expires_at = new Date(Date.now() - 1000);
    for (const table of ["invitations", "invitation_links"] as const)
      await realm.ctx.db.updateTable(table).set({ expires_at }).where("realm_id", "=", realm.id).execute();

    expect(await openFor(realm.admin)).toEqual([]);
    expect(await realm.admin.call(resendInvitation, { invite_id: invitation.id })).toEqual(
      refused("No such invitation"),
    );
  });

  test("an address that got an account in another way is no longer invited", async () => {
    const realm = await newRealm();
    const email = newAddress();
    success(await invite(realm.admin, { invitee_emails: email }));
    await realm.ctx.db
      .insertInto("users")
      .values({ realm_id: realm.id, delivery_email: email.toUpperCase(), full_name: "Friend" })
      .execute();

    expect(await openFor(realm.admin)).toEqual([]);
  });

  test("a user's invitations are revoked when their account is deactivated", async () => {
    const realm = await newRealm();
    const hamlet = await realm.user("hamlet", { role: 200 });
    success(await invite(hamlet));
    success(await hamlet.call(createInvitationLink, {}));
    success(await invite(realm.admin));
    const queue = await realm.admin.register(["invites_changed"]);

    success(await realm.admin.call(deactivateUser, { user_id: hamlet.id }));

    expect((await openFor(realm.admin)).map((one) => one.invited_by_user_id)).toEqual([realm.admin.id]);
    expect(await queue.next()).toEqual({ type: "invites_changed" });
  });
});

describe("invitation links", () => {
  test("a link is returned on creation and in the list, but not stored as plain text", async () => {
    const realm = await newRealm();

    const answer = success(await realm.admin.call(createInvitationLink, { invite_as: 600 }));

    expect(answer.invite_link).toMatch(new RegExp(`^http://${realm.host}/join/[\\w-]{43}/$`));
    expect(await openFor(realm.admin)).toEqual([
      {
        id: expect.any(Number),
        invited_by_user_id: realm.admin.id,
        invited: expect.any(Number),
        expiry_date: expect.any(Number),
        invited_as: 600,
        notify_referrer_on_join: true,
        is_multiuse: true,
        link_url: answer.invite_link,
      },
    ]);
    const rows = await realm.ctx.db
      .selectFrom("invitation_links")
      .selectAll()
      .where("realm_id", "=", realm.id)
      .execute();
    expect(JSON.stringify(rows)).not.toContain(new URL(answer.invite_link).pathname.split("/")[2]);
  });

  test("a link can be revoked once, by its creator or an administrator", async () => {
    const realm = await newRealm();
    const [hamlet, boss] = [await realm.user("hamlet"), await realm.user("boss", { role: 200 })];
    success(await boss.call(createInvitationLink, {}));
    success(await realm.admin.call(createInvitationLink, { invite_as: 100 }));
    const [link, forOwner] = (await openFor(boss)) as [Invitation, Invitation];
    const queue = await boss.register(["invites_changed"]);
    const revoke = (user: TestUser, { id }: Invitation) => user.call(revokeInvitationLink, { invite_id: id });

    expect(await revoke(hamlet, link)).toEqual(refused("No such invitation"));
    expect(await revoke(boss, forOwner)).toEqual(refused("Must be an organization owner"));
    expect(await boss.call(revokeInvitation, { invite_id: link.id })).toEqual(refused("No such invitation"));
    success(await revoke(realm.admin, link));
    expect(await revoke(boss, link)).toEqual(refused("Invitation has already been revoked"));

    expect(await queue.next()).toEqual({ type: "invites_changed" });
    expect((await openFor(boss)).map(({ id }) => id)).toEqual([forOwner.id]);
  });
});
