import { getMessage, renderMessage, sendMessage } from "@skein/api/messages.ts";
import { subscribe, unsubscribe } from "@skein/api/subscriptions.ts";
import {
  createUser,
  deactivateUser,
  getUser,
  getUserByEmail,
  getUsers,
  reactivateUser,
  updateUser,
} from "@skein/api/users.ts";
import { expect, test } from "vitest";
import { newRealm, success, type TestQueue, type TestRealm, type TestUser } from "../../../test/realm.ts";

/** An organization whose guests see only those they have to do with. */
async function restrictedRealm(): Promise<TestRealm> {
  const realm = await newRealm();
  const { db } = realm.ctx;
  const { id } = await db
    .selectFrom("user_groups")
    .select("id")
    .where("realm_id", "=", realm.id)
    .where("name", "=", "role:members")
    .executeTakeFirstOrThrow();
  await db.updateTable("realms").set({ can_access_all_users_group_id: id }).where("id", "=", realm.id).execute();
  return realm;
}

const share = async (realm: TestRealm, name: string, people: TestUser[]) =>
  success(
    await realm.admin.call(subscribe, {
      subscriptions: [{ name }],
      principals: people.map(({ id }) => id),
    }),
  );

const leave = async (realm: TestRealm, name: string, person: TestUser) =>
  success(await realm.admin.call(unsubscribe, { subscriptions: [name], principals: [person.id] }));

const incomplete = { client_capabilities: { notification_settings_null: true, user_list_incomplete: true } };

const stranger = (realm: TestRealm, user_id: number) => ({
  user_id,
  full_name: "Unknown user",
  email: `user${user_id}@${realm.host}`,
  delivery_email: null,
  date_joined: "1970-01-01T00:00+00:00",
  is_active: true,
  is_owner: false,
  is_admin: false,
  is_guest: false,
  is_bot: false,
  bot_type: null,
  role: 400,
  timezone: "",
  avatar_url: "/static/images/unknown-user-avatar.png",
  avatar_version: 1,
});

const noSuchUser = { result: "error", msg: "No such user", code: "BAD_REQUEST" };

test("a guest sees those who share a channel or a conversation, and strangers in place of the others", async () => {
  const realm = await restrictedRealm();
  const guest = await realm.user("guest", { role: 600 });
  const [peer, friend, hidden] = [await realm.user("peer"), await realm.user("friend"), await realm.user("hidden")];
  const member = await realm.user("member");
  await share(realm, "together", [guest, peer]);
  success(await friend.call(sendMessage, { type: "direct", to: [guest.id], content: "hello" }));

  const { members } = success(await guest.call(getUsers, {}));
  const names = new Map(members.map((user) => [user.user_id, user.full_name]));
  expect([guest, peer, friend].map(({ id }) => names.get(id))).toEqual(["guest", "peer", "friend"]);
  expect(members.find((user) => user.user_id === hidden.id)).toEqual(stranger(realm, hidden.id));
  const left = await guest.register([], ["realm_user"], incomplete);
  expect(left.state.realm_users?.map((user) => user.user_id)).toEqual([guest.id, peer.id, friend.id]);
  const whole = await guest.register([], ["realm_user"]);
  expect(whole.state.realm_users?.map((user) => user.full_name)).toEqual([
    "Unknown user",
    "guest",
    "peer",
    "friend",
    "Unknown user",
    "Unknown user",
  ]);

  expect(await guest.call(getUser, { user_id: hidden.id })).toEqual(noSuchUser);
  expect(await guest.call(getUserByEmail, { email: hidden.email })).toEqual(noSuchUser);
  expect(await guest.call(getUserByEmail, { email: `user${hidden.id}@${realm.host}` })).toEqual(noSuchUser);
  expect(success(await guest.call(getUser, { user_id: peer.id })).user.full_name).toBe("peer");
  expect(success(await member.call(getUser, { user_id: hidden.id })).user.full_name).toBe("hidden");
});

test("a guest writes to nobody out of sight, whether by id or by address", async () => {
  const realm = await restrictedRealm();
  const guest = await realm.user("guest", { role: 600 });
  const hidden = await realm.user("hidden");
  const write = (to: number[] | string[]) => guest.call(sendMessage, { type: "direct", to, content: "hello" });

  expect(await write([hidden.id])).toMatchObject({ msg: `Invalid user ID ${hidden.id}` });
  expect(await write([999_999_999])).toMatchObject({ msg: "Invalid user ID 999999999" });
  expect(await write([hidden.email])).toMatchObject({ msg: `Invalid email '${hidden.email}'` });
});

test("a guest's text names nobody out of sight, neither in a preview nor in a message", async () => {
  const realm = await restrictedRealm();
  const guest = await realm.user("guest", { role: 600 });
  const [peer, hidden, member] = [await realm.user("peer"), await realm.user("hidden"), await realm.user("member")];
  await share(realm, "together", [guest, peer]);
  const content = `@**peer** @_**|${peer.id}** @**hidden** @_**|${hidden.id}**`;
  const named = ({ id }: TestUser, name: string) =>
    `<span class="user-mention" data-user-id="${id}">@${name}</span> ` +
    `<span class="user-mention silent" data-user-id="${id}">${name}</span>`;
  const ofGuest = `<p>${named(peer, "peer")} @<strong>hidden</strong> @_<strong>|${hidden.id}</strong></p>`;

  const preview = async (user: TestUser) => success(await user.call(renderMessage, { content })).rendered;
  const { id } = success(await guest.call(sendMessage, { type: "channel", to: "together", topic: "t", content }));

  expect(await preview(guest)).toBe(ofGuest);
  expect(await preview(member)).toBe(`<p>${named(peer, "peer")} ${named(hidden, "hidden")}</p>`);
  expect(success(await peer.call(getMessage, { message_id: id })).message.content).toBe(ofGuest);
});

/** What a client holds after all that has been told up to now. */
async function follow(queue: TestQueue, person: TestUser): Promise<unknown> {
  const { id } = success(await person.call(sendMessage, { type: "direct", to: [person.id], content: "end" }));
  const { realm_users, realm_non_active_users } = await queue.followedState(id);
  return { realm_users, realm_non_active_users };
}

test.for([
  ["that leaves strangers out", incomplete],
  ["that needs somebody for each id", {}],
] as const)("a guest's client %s holds what a fresh registration says, whatever happens", async ([, capabilities]) => {
  const realm = await restrictedRealm();
  const guest = await realm.user("guest", { role: 600 });
  const [peer, friend, other] = [await realm.user("peer"), await realm.user("friend"), await realm.user("other")];
  const register = (types?: []) => guest.register(types, ["realm_user"], capabilities);
  const steps: [string, () => Promise<unknown>][] = [
    ["a channel is shared", () => share(realm, "together", [guest, peer])],
    ["somebody joins it", () => share(realm, "together", [friend])],
    ["they are renamed", () => realm.admin.call(updateUser, { user_id: friend.id, full_name: "Friend" })],
    ["somebody leaves it", () => leave(realm, "together", friend)],
    ["out of sight they are renamed", () => realm.admin.call(updateUser, { user_id: friend.id, full_name: "Hidden" })],
    ["they write", () => friend.call(sendMessage, { type: "direct", to: [guest.id, peer.id], content: "hi" })],
    ["the guest leaves", () => leave(realm, "together", guest)],
    ["the guest is back", () => share(realm, "together", [guest])],
    ["one out of sight is closed", () => realm.admin.call(deactivateUser, { user_id: other.id })],
    ["one in the channel is closed", () => realm.admin.call(deactivateUser, { user_id: peer.id })],
    ["and opened again", () => realm.admin.call(reactivateUser, { user_id: peer.id })],
    ["somebody is new", () => realm.admin.call(createUser, newcomer(realm))],
    ["the guest becomes a member", () => realm.admin.call(updateUser, { user_id: guest.id, role: 400 })],
    ["and a guest again", () => realm.admin.call(updateUser, { user_id: guest.id, role: 600 })],
  ];
  const queues: TestQueue[] = [];
  for (const _ of steps) queues.push(await register());

  for (const [index, [what, step]] of steps.entries()) {
    await step();
    const fresh = await register([]);
    const { realm_users, realm_non_active_users } = fresh.state;
    const queue = queues[index];
    if (!queue) throw new Error("there is a queue for each step");
    expect(await follow(queue, guest), what).toEqual({ realm_users, realm_non_active_users });
  }
});

const newcomer = (realm: TestRealm) => ({
  email: `newcomer@${realm.host}`,
  full_name: "Newcomer",
  password: "Basalt-7f3a-tide",
});

test("a guest hears nothing of people out of sight, and members hear of them", async () => {
  const realm = await restrictedRealm();
  const guest = await realm.user("guest", { role: 600 });
  const [hidden, peer, member] = [await realm.user("hidden"), await realm.user("peer"), await realm.user("member")];
  await share(realm, "together", [guest, peer]);
  const guests = await guest.register(["realm_user"], [], incomplete);
  const members = await member.register(["realm_user"]);

  success(await realm.admin.call(updateUser, { user_id: hidden.id, full_name: "Secret" }));
  success(await realm.admin.call(updateUser, { user_id: hidden.id, role: 300 }));
  success(await realm.admin.call(createUser, newcomer(realm)));
  success(await realm.admin.call(updateUser, { user_id: peer.id, full_name: "Seen" }));

  expect(await guests.next()).toMatchObject({ person: { user_id: peer.id, full_name: "Seen" } });
  expect(await members.next()).toMatchObject({ person: { full_name: "Secret" } });
});

test("who leaves while out of a guest's sight is taken out of groups for the guest", async () => {
  const realm = await restrictedRealm();
  const guest = await realm.user("guest", { role: 600 });
  const [hidden, member] = [await realm.user("hidden", { role: 300 }), await realm.user("member")];
  const parts = ["realm_user_groups"];
  const queues = [await guest.register(["user_group"], parts), await member.register(["user_group"], parts)];

  success(await realm.admin.call(deactivateUser, { user_id: hidden.id }));
  success(await realm.admin.call(updateUser, { user_id: member.id, role: 200 }));

  const [guests, members] = queues;
  expect(await guests?.next()).toMatchObject({ op: "remove_members", user_ids: [hidden.id] });
  expect(await members?.next()).toMatchObject({ op: "remove_members", user_ids: [member.id] });
});

test("where everybody may see everybody, guests do, and no stranger is shown", async () => {
  const realm = await newRealm();
  const guest = await realm.user("guest", { role: 600 });
  const other = await realm.user("other");
  const queue = await guest.register(["realm_user"]);

  success(await realm.admin.call(updateUser, { user_id: other.id, full_name: "Anybody" }));

  expect(await queue.next()).toMatchObject({ person: { full_name: "Anybody" } });
  const { members } = success(await guest.call(getUsers, {}));
  expect(members.map((member) => member.full_name)).toEqual(["owner", "guest", "Anybody"]);
});
