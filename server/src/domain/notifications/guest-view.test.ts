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
import type { ArgumentsOf } from "@skein/api/client.ts";
import { getMessageHistory, updateMessage } from "@skein/api/edits.ts";
import type { Event } from "@skein/api/events.ts";
import { getMessages } from "@skein/api/fetch-messages.ts";
import { updateMessageFlags } from "@skein/api/flags.ts";
import { addReaction, removeReaction } from "@skein/api/reactions.ts";
import { getReadReceipts } from "@skein/api/read-receipts.ts";
import { setTypingStatus } from "@skein/api/typing.ts";
import { expect, test } from "vitest";
import { sendToChannel } from "../../../test/actions.ts";
import { findReader, judgeMessages } from "./judged-messages.ts";
import { mobileMessage, webMessage } from "./push-devices/payload.ts";
import { newRealm, success, type TestQueue, type TestRealm, type TestUser } from "../../../test/realm.ts";

/** An organization whose guests see only users they share a conversation with. */
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
  is_imported_stub: false,
  role: 400,
  timezone: "",
  avatar_url: "/static/images/unknown-user-avatar.png",
  avatar_version: 1,
});

const noSuchUser = { result: "error", msg: "No such user", code: "BAD_REQUEST" };

test("a guest sees users who share a channel or a conversation, and placeholders for the others", async () => {
  const realm = await restrictedRealm();
  const guest = await realm.user("guest", { role: 600 });
  const [peer, friend, hidden] = [await realm.user("peer"), await realm.user("friend"), await realm.user("hidden")];
  const member = await realm.user("member");
  await share(realm, "together", [guest, peer]);
  success(await friend.call(sendMessage, { type: "direct", to: [guest.id], content: "hello" }));

  const { members } = success(await guest.call(getUsers, {}));
  const names = new Map(members.map((user) => [user.user_id, user.full_name]));
  expect([guest, peer, friend].map(({ id }) => names.get(id))).toEqual(["guest", "peer", "friend"]);
  expect(members.some((user) => user.user_id === hidden.id)).toBe(false);
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

  const { is_active: _, ...unknown } = stranger(realm, hidden.id);
  expect(whole.state.realm_users?.find((user) => user.user_id === hidden.id)).toMatchObject(unknown);

  expect(await guest.call(getUser, { user_id: hidden.id })).toEqual(noSuchUser);
  expect(await guest.call(getUserByEmail, { email: hidden.email })).toEqual(noSuchUser);
  expect(await guest.call(getUserByEmail, { email: `user${hidden.id}@${realm.host}` })).toEqual(noSuchUser);
  expect(success(await guest.call(getUser, { user_id: peer.id })).user.full_name).toBe("peer");
  expect(success(await member.call(getUser, { user_id: hidden.id })).user.full_name).toBe("hidden");
});

test("a guest cannot write to users they cannot see, by ID or by address", async () => {
  const realm = await restrictedRealm();
  const guest = await realm.user("guest", { role: 600 });
  const hidden = await realm.user("hidden");
  const write = (to: number[] | string[]) => guest.call(sendMessage, { type: "direct", to, content: "hello" });

  expect(await write([hidden.id])).toMatchObject({ msg: `Invalid user ID ${hidden.id}` });
  expect(await write([999_999_999])).toMatchObject({ msg: "Invalid user ID 999999999" });
  expect(await write([hidden.email])).toMatchObject({ msg: `Invalid email '${hidden.email}'` });
});

test("a guest cannot mention users they cannot see, neither in a preview nor in a message", async () => {
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

/** A client's state after all events so far. */
async function follow(queue: TestQueue, person: TestUser): Promise<unknown> {
  const { id } = success(await person.call(sendMessage, { type: "direct", to: [person.id], content: "end" }));
  const { realm_users, realm_non_active_users } = await queue.followedState(id);
  return { realm_users, realm_non_active_users };
}

test.for([
  ["that supports an incomplete list of users", incomplete],
  ["that needs a user for each id", {}],
] as const)(
  "a guest's client %s that applied the events has the same state as a fresh registration",
  async ([, capabilities]) => {
    const realm = await restrictedRealm();
    const guest = await realm.user("guest", { role: 600 });
    const [peer, friend, other] = [await realm.user("peer"), await realm.user("friend"), await realm.user("other")];
    const register = (types?: []) => guest.register(types, ["realm_user"], capabilities);
    const steps: [string, () => Promise<unknown>][] = [
      ["a channel is shared", () => share(realm, "together", [guest, peer])],
      ["somebody joins it", () => share(realm, "together", [friend])],
      ["they are renamed", () => realm.admin.call(updateUser, { user_id: friend.id, full_name: "Friend" })],
      ["somebody leaves it", () => leave(realm, "together", friend)],
      [
        "they are renamed while invisible",
        () => realm.admin.call(updateUser, { user_id: friend.id, full_name: "Hidden" }),
      ],
      ["they write", () => friend.call(sendMessage, { type: "direct", to: [guest.id, peer.id], content: "hi" })],
      ["the guest leaves", () => leave(realm, "together", guest)],
      ["the guest returns", () => share(realm, "together", [guest])],
      ["an invisible user is deactivated", () => realm.admin.call(deactivateUser, { user_id: other.id })],
      ["a user in the channel is deactivated", () => realm.admin.call(deactivateUser, { user_id: peer.id })],
      ["and reactivated", () => realm.admin.call(reactivateUser, { user_id: peer.id })],
      ["a user is created", () => realm.admin.call(createUser, newcomer(realm))],
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
  },
);

const newcomer = (realm: TestRealm) => ({
  email: `newcomer@${realm.host}`,
  full_name: "Newcomer",
  password: "Basalt-7f3a-tide",
});

test("a guest receives no events about users they cannot see, and members do", async () => {
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

test("a deactivated user whom a guest cannot see is removed from the guest's groups", async () => {
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

test("if everybody may see everybody, guests see all users", async () => {
  const realm = await newRealm();
  const guest = await realm.user("guest", { role: 600 });
  const other = await realm.user("other");
  const queue = await guest.register(["realm_user"]);

  success(await realm.admin.call(updateUser, { user_id: other.id, full_name: "Anybody" }));

  expect(await queue.next()).toMatchObject({ person: { full_name: "Anybody" } });
  const { members } = success(await guest.call(getUsers, {}));
  expect(members.map((member) => member.full_name)).toEqual(["owner", "guest", "Anybody"]);
});

/** A guest in a channel where a user whom they cannot see sends, reacts, types and reads. */
async function withHiddenSpeaker() {
  const realm = await restrictedRealm();
  const guest = await realm.user("guest", { role: 600 });
  const [peer, hidden] = [await realm.user("peer"), await realm.user("hidden")];
  await share(realm, "open", [guest, peer]);
  const { db } = realm.ctx;
  const channel = await db
    .selectFrom("channels")
    .select(["id", "name"])
    .where("realm_id", "=", realm.id)
    .where("name", "=", "open")
    .executeTakeFirstOrThrow();
  return { realm, guest, peer, hidden, channel };
}

/** Whether an object contains the user's name or e-mail address, at any depth. */
const reveals = (value: unknown, person: TestUser): boolean => {
  const text = JSON.stringify(value);
  return [person.fullName, person.email].some((secret) => text.includes(secret));
};

/** Up to and including this message. */
async function eventsUntil(queue: TestQueue, messageId: number): Promise<Event[]> {
  const events: Event[] = [];
  for (let isOver = false; !isOver;) {
    const event = await queue.next();
    isOver = event.type === "message" && event.message.id === messageId;
    events.push(event);
  }
  return events;
}

test("messages and actions of a user whom a guest cannot see are shown without name and address", async () => {
  const { realm, guest, peer, hidden, channel } = await withHiddenSpeaker();
  const asked = ["message", "reaction", "typing", "update_message"] as const;
  const queues = await Promise.all([guest, peer].map((user) => user.register([...asked])));
  const narrowed = await guest.register(["message"], [], { narrow: [["sender", hidden.email]] });
  const [queue, seeing] = queues;
  if (!queue || !seeing) throw new Error("two people registered");

  const id = await sendToChannel(hidden, channel, { content: "out of nowhere" });
  const mention = await sendToChannel(hidden, channel, { content: `@**${guest.fullName}** too` });
  success(await hidden.call(setTypingStatus, { op: "start", type: "channel", stream_id: channel.id, topic: "talk" }));
  success(await hidden.call(setTypingStatus, { op: "start", type: "direct", to: [guest.id] }));
  success(await hidden.call(addReaction, { message_id: id, emoji_name: "smile" }));
  success(await hidden.call(removeReaction, { message_id: id, emoji_name: "smile" }));
  success(await hidden.call(addReaction, { message_id: id, emoji_name: "tada" }));
  success(await hidden.call(updateMessage, { message_id: id, content: "edited" }));
  const mark = await sendToChannel(peer, channel);

  const events = await eventsUntil(queue, mark);
  const email = `user${hidden.id}@${realm.host}`;
  const shown = { sender_id: hidden.id, sender_email: email, sender_full_name: "Unknown user" };
  expect(events.map((event) => event.type)).toEqual([
    "message",
    "message",
    "reaction",
    "reaction",
    "reaction",
    "update_message",
    "message",
  ]);
  expect(events[0]).toMatchObject({
    message: { id, ...shown, avatar_url: "/static/images/unknown-user-avatar.png" },
  });
  expect(events[1]).toMatchObject({ message: { id: mention, ...shown }, flags: ["mentioned"] });
  expect(events[2]).toMatchObject({ user: { user_id: hidden.id, email, full_name: "Unknown user" } });
  expect(events.filter((event) => reveals(event, hidden))).toEqual([]);
  expect(Object.keys(events[2] ?? {})).not.toContain("hidden_from");

  const page = {
    anchor: "newest",
    num_before: 10,
    num_after: 0,
    narrow: [{ operator: "channel", operand: channel.id }],
  };
  const fetched = success(await guest.call(getMessages, page as ArgumentsOf<typeof getMessages>));
  expect(fetched.messages.find((message) => message.id === id)).toMatchObject(shown);
  expect(reveals(fetched, hidden)).toBe(false);
  expect(reveals(await guest.call(getMessage, { message_id: mention }), hidden)).toBe(false);
  expect(reveals(await guest.call(getMessageHistory, { message_id: id }), hidden)).toBe(false);
  expect(await narrowed.all()).toEqual([]);

  // Typing is not part of a transaction, so it may come before the messages.
  const seen = await eventsUntil(seeing, mark);
  const first = (type: Event["type"]) => seen.find((event) => event.type === type);
  expect(first("message")).toMatchObject({
    message: { id, sender_full_name: hidden.fullName, sender_email: hidden.email },
  });
  expect(first("typing")).toMatchObject({ sender: { user_id: hidden.id } });
  expect(first("reaction")).toMatchObject({ user: { full_name: hidden.fullName } });
});

test("a message's readers shown to a guest are only those they can see", async () => {
  const { guest, peer, hidden, channel } = await withHiddenSpeaker();
  await share(peer.realm, channel.name, [hidden]);
  const id = await sendToChannel(peer, channel);
  for (const reader of [guest, hidden])
    success(await reader.call(updateMessageFlags, { messages: [id], op: "add", flag: "read" }));
  const readers = async (user: TestUser) => success(await user.call(getReadReceipts, { message_id: id })).user_ids;

  expect(await readers(guest)).toEqual([guest.id, hidden.id]);
  await leave(peer.realm, channel.name, hidden);
  expect(await readers(peer)).toEqual([guest.id, hidden.id]);
  expect(await readers(guest)).toEqual([guest.id]);
});

test("a notification does not reveal a user whom the guest cannot see", async () => {
  const { realm, guest, hidden, channel } = await withHiddenSpeaker();
  const id = await sendToChannel(hidden, channel, { content: `@**${guest.fullName}**` });

  const [judged] = await judgeMessages(realm.ctx.db, guest.id, [id]);
  const [seen] = await judgeMessages(realm.ctx.db, realm.admin.id, [id]);
  const reader = await findReader(realm.ctx.db, guest.id);
  if (!judged || !reader) throw new Error("the message is there, and so is its reader");

  expect(seen?.sender.full_name).toBe(hidden.fullName);
  expect(judged.sender.full_name).toBe("Unknown user");
  expect(reveals(mobileMessage(realm.ctx.config, reader, judged), hidden)).toBe(false);
  expect(reveals(webMessage(realm.ctx.config, reader, judged), hidden)).toBe(false);
});
