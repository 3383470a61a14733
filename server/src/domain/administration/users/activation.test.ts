import { sendMessage } from "@skein/api/messages.ts";
import { getSubscriptions, subscribe } from "@skein/api/subscriptions.ts";
import { deactivateOwnUser, deactivateUser, getOwnUser, getUser, reactivateUser } from "@skein/api/users.ts";
import { expect, test } from "vitest";
import { mailTo } from "../../../../test/mail.ts";
import { newRealm, success, type TestRealm } from "../../../../test/realm.ts";

const refusal = (msg: string) => ({ result: "error", msg, code: "BAD_REQUEST" });

/** Creates only the account of a bot. */
async function botOf(realm: TestRealm, owner: { id: number }): Promise<number> {
  const { id } = await realm.ctx.db
    .insertInto("users")
    .values({
      realm_id: realm.id,
      delivery_email: `bot-${owner.id}@${realm.host}`,
      full_name: "A Bot",
      is_bot: true,
      bot_type: 1,
      bot_owner_id: owner.id,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}

// spec 3.3: is_active, deactivation, reactivation
// spec 6: deactivation/reactivation
test("a deactivated account can do nothing on any node, stays visible, and everybody is notified", async () => {
  const realm = await newRealm();
  const [leaver, guest] = [await realm.user("leaver"), await realm.user("guest", { role: 600 })];
  success(await leaver.on(0).call(getOwnUser, {}));
  success(await leaver.on(1).call(getOwnUser, {}));
  const queues = [await realm.admin.register(["realm_user"]), await guest.register(["realm_user"])];

  const answer = await realm.admin.on(0).call(deactivateUser, { user_id: leaver.id });

  expect(answer).toEqual({ result: "success", msg: "" });
  for (const node of [0, 1])
    expect(await leaver.on(node).call(getOwnUser, {})).toMatchObject({ result: "error", code: "UNAUTHORIZED" });
  const person = { user_id: leaver.id, is_active: false };
  for (const queue of queues) expect(await queue.next()).toEqual({ type: "realm_user", op: "update", person });
  expect(success(await guest.call(getUser, { user_id: leaver.id })).user.is_active).toBe(false);
  expect(await realm.admin.call(deactivateUser, { user_id: leaver.id })).toEqual(refusal("User is deactivated"));

  success(await realm.admin.call(reactivateUser, { user_id: leaver.id }));
  // The old key no longer works.
  for (const node of [0, 1]) expect(await leaver.on(node).call(getOwnUser, {})).toMatchObject({ code: "UNAUTHORIZED" });
  success(await (await realm.withNewKey(leaver)).on(1).call(getOwnUser, {}));
  for (const queue of queues) expect(await queue.next()).toMatchObject({ person: { ...person, is_active: true } });
  success(await realm.admin.call(reactivateUser, { user_id: leaver.id }));
});

test("applying the events of a deactivation and reactivation matches a fresh registration", async () => {
  const realm = await newRealm();
  const [leaver, hamlet] = [await realm.user("leaver"), await realm.user("hamlet")];
  success(await hamlet.call(subscribe, { subscriptions: [{ name: "shared" }], principals: [leaver.id, hamlet.id] }));
  const parts = ["realm_user", "realm_user_groups", "subscription"];
  const register = (types?: []) => hamlet.register(types, parts, { include_subscribers: true });
  const [following, returned] = [await register(), await register()];
  const shared = success(await hamlet.call(getSubscriptions, {})).subscriptions[0]?.stream_id ?? 0;
  const compare = async (queue: typeof following) => {
    const fresh = await register([]);
    const last = { type: "channel" as const, to: shared, topic: "x", content: "y" };
    const followed = await queue.followedState(success(await hamlet.call(sendMessage, last)).id);
    for (const part of ["realm_users", "realm_non_active_users", "realm_user_groups", "subscriptions"] as const)
      expect(ignoringMessages(followed[part])).toEqual(ignoringMessages(fresh.state[part]));
  };

  success(await realm.admin.call(deactivateUser, { user_id: leaver.id }));
  await compare(following);
  success(await realm.admin.call(reactivateUser, { user_id: leaver.id }));
  await compare(returned);
});

/** Ignores what a channel's first message changes. */
const ignoringMessages = (list: unknown): unknown =>
  JSON.parse(JSON.stringify(list, (key, value: unknown) => (key === "first_message_id" ? null : value)));

// spec 3.3: is_active
test.for([
  ["a member", 400, "Insufficient permission"],
  ["a moderator", 300, "Insufficient permission"],
  ["a guest", 600, "Insufficient permission"],
] as const)("%s closes and opens nobody's account", async ([, role, msg]) => {
  const realm = await newRealm();
  const [actor, target] = [await realm.user("actor", { role }), await realm.user("target")];

  for (const user_id of [target.id, 999_999_999]) {
    expect(await actor.call(deactivateUser, { user_id })).toEqual(refusal(msg));
    expect(await actor.call(reactivateUser, { user_id })).toEqual(refusal(msg));
  }
});

test("an administrator cannot deactivate owners, users of other organizations, or system bots", async () => {
  const [realm, elsewhere] = [await newRealm(), await newRealm()];
  const administrator = await realm.user("administrator", { role: 200 });
  const bot = await botOf(realm, administrator);

  expect(await administrator.call(deactivateUser, { user_id: realm.admin.id })).toEqual(
    refusal("Must be an organization owner"),
  );
  for (const user_id of [elsewhere.admin.id, bot])
    expect(await administrator.call(deactivateUser, { user_id })).toEqual(refusal("No such user"));
  expect(await realm.admin.call(deactivateUser, { user_id: realm.admin.id })).toEqual(
    refusal("Cannot deactivate the only organization owner"),
  );
});

test("if two owners leave at once, one has to stay", async () => {
  const realm = await newRealm();
  const second = await realm.user("second", { role: 100 });
  await realm.user("member");

  const answers = await Promise.all([
    realm.admin.on(0).call(deactivateOwnUser, {}),
    second.on(1).call(deactivateOwnUser, {}),
  ]);

  const refused = answers.filter((answer) => answer.result === "error");
  expect(refused).toEqual([
    {
      result: "error",
      msg: "Cannot deactivate the only organization owner",
      code: "CANNOT_DEACTIVATE_LAST_USER",
      entity: "organization owner",
      is_last_owner: true,
    },
  ]);
});

test("the only user of an organization cannot leave it", async () => {
  const realm = await newRealm();

  const answer = await realm.admin.call(deactivateOwnUser, {});

  expect(answer).toEqual({
    result: "error",
    msg: "Cannot deactivate the only user",
    code: "CANNOT_DEACTIVATE_LAST_USER",
    entity: "user",
    is_last_owner: false,
  });
});

test("a member can deactivate their own account", async () => {
  const realm = await newRealm();
  const leaver = await realm.user("leaver");

  success(await leaver.on(0).call(deactivateOwnUser, {}));

  expect(await leaver.on(1).call(getOwnUser, {})).toMatchObject({ code: "UNAUTHORIZED" });
  expect(success(await realm.admin.call(getUser, { user_id: leaver.id })).user.is_active).toBe(false);
});

test("bots are deactivated with their owner, and a reactivated one belongs to the user who reactivated it", async () => {
  const realm = await newRealm();
  const owner = await realm.user("owner");
  const bot = await botOf(realm, owner);
  const queue = await realm.admin.register(["realm_user"]);

  success(await realm.admin.call(deactivateUser, { user_id: owner.id }));
  success(await realm.admin.call(reactivateUser, { user_id: bot }));

  expect(await queue.next()).toMatchObject({ person: { user_id: bot, is_active: false } });
  expect(await queue.next()).toMatchObject({ person: { user_id: owner.id, is_active: false } });
  expect(await queue.next()).toMatchObject({ person: { user_id: bot, bot_owner_id: realm.admin.id } });
  expect(await queue.next()).toMatchObject({ person: { user_id: bot, is_active: true } });
  const { user } = success(await realm.admin.call(getUser, { user_id: bot }));
  expect(user).toMatchObject({ is_active: true, bot_owner_id: realm.admin.id });
});

test("the deactivation mail contains the administrator's comment, with its markup escaped", async () => {
  const realm = await newRealm();
  const [leaver, other] = [await realm.user("leaver"), await realm.user("other")];

  success(
    await realm.admin.call(deactivateUser, { user_id: leaver.id, deactivation_notification_comment: "<b>Bye</b>" }),
  );
  success(await realm.admin.call(deactivateUser, { user_id: other.id, deactivation_notification_comment: "" }));

  const mail = await mailTo(leaver.email);
  expect(mail.text).toContain("wrote: <b>Bye</b>");
  expect(mail.html).toContain("&lt;b&gt;Bye&lt;/b&gt;");
  expect((await mailTo(other.email)).text).not.toContain("wrote:");
});
