import {
  archiveChannel,
  getChannel,
  getChannelId,
  getChannels,
  getSubscribers,
  updateChannel,
} from "@skein/api/channels.ts";
import type { ArgumentsOf } from "@skein/api/client.ts";
import { getMessage, sendMessage } from "@skein/api/messages.ts";
import { subscribe, unsubscribe } from "@skein/api/subscriptions.ts";
import { expect, test } from "vitest";
import { eventsUntilNow } from "../../../../test/events-until.ts";
import { followedAndFresh } from "../../../../test/followed-channels.ts";
import { groupId, only } from "../../../../test/groups.ts";
import { newRealm, success, type TestRealm, type TestUser } from "../../../../test/realm.ts";
import { channelOf, sendToChannel, type TestChannel } from "../../../../test/actions.ts";

type Change = Omit<ArgumentsOf<typeof updateChannel>, "stream_id">;

const change = (user: TestUser, channel: TestChannel, params: Change) =>
  user.call(updateChannel, { stream_id: channel.id, ...params });
const shown = async (user: TestUser, channel: TestChannel) =>
  success(await user.call(getChannel, { stream_id: channel.id })).stream;

async function people<const Name extends string>(realm: TestRealm, ...names: Name[]): Promise<Record<Name, TestUser>> {
  const made: [string, TestUser][] = [];
  for (const name of names) made.push([name, await realm.user(name, { role: name.includes("guest") ? 600 : 400 })]);
  return Object.fromEntries(made) as Record<Name, TestUser>; // one for each name
}

const notAdministered = "You do not have permission to administer this channel.";

test("each changed property is emitted to everybody who can see the channel, and to nobody else", async () => {
  const realm = await newRealm();
  const { hamlet, friend, member, guest } = await people(realm, "hamlet", "friend", "member", "guest");
  const outsider = await realm.user("outsider", { role: 600 });
  const channel = await channelOf([hamlet, friend, guest], "court");
  const members = await groupId(realm, "role:members");
  const listeners = [hamlet, friend, member, guest, realm.admin, outsider];
  const queues = await Promise.all(listeners.map((user) => user.register(["stream"])));

  success(await change(hamlet, channel, { new_name: " Castle ", description: "Of\n*stone*" }));
  success(await change(realm.admin, channel, { message_retention_days: 30 }));
  success(await change(hamlet, channel, { can_remove_subscribers_group: { new: members } }));

  const about = { type: "stream", op: "update", stream_id: channel.id };
  const expected = [
    {
      ...about,
      name: "court",
      property: "description",
      value: "Of *stone*",
      rendered_description: "<p>Of <em>stone</em></p>",
    },
    { ...about, name: "court", property: "name", value: "Castle" },
    { ...about, name: "Castle", property: "message_retention_days", value: 30 },
    { ...about, name: "Castle", property: "can_remove_subscribers_group", value: members },
  ];
  const heard = await eventsUntilNow(realm, queues);
  const told = heard.map((events) => events.filter((event) => !JSON.stringify(event).includes("first_message_id")));
  expect(told).toEqual([expected, expected, expected, expected, expected, []]);
  expect(await shown(member, channel)).toMatchObject({
    name: "Castle",
    description: "Of *stone*",
    message_retention_days: 30,
    can_remove_subscribers_group: members,
  });
});

// spec 2.2: can_administer_channel_group, can_send_message_group
test("administrators and named users can change a channel; others are told why not, outsiders only that it does not exist", async () => {
  const realm = await newRealm();
  const other = await newRealm();
  const { hamlet, manager, friend, stranger, guest } = await people(
    realm,
    "hamlet",
    "manager",
    "friend",
    "stranger",
    "guest",
  );
  const channel = await channelOf([hamlet, friend, guest], "closet", { isPrivate: true });
  success(await change(hamlet, channel, { can_administer_channel_group: { new: only(manager, guest) } }));
  const rename = async (user: TestUser, new_name: string) => (await change(user, channel, { new_name })).msg;

  expect(await rename(manager, "one")).toBe("");
  expect(await rename(realm.admin, "two")).toBe("");
  expect(await rename(hamlet, "no")).toBe(notAdministered);
  expect(await rename(friend, "no")).toBe(notAdministered);
  expect(await rename(guest, "no")).toBe(notAdministered);
  expect(await rename(stranger, "no")).toBe("Invalid channel ID");
  expect(await rename(other.admin, "no")).toBe("Invalid channel ID");
  expect(await change(hamlet, { id: 999_999_999, name: "" }, { new_name: "no" })).toEqual({
    result: "error",
    msg: "Invalid channel ID",
    code: "BAD_REQUEST",
  });
  expect(await hamlet.call(archiveChannel, { stream_id: channel.id })).toMatchObject({ msg: notAdministered });
  expect((await shown(hamlet, channel)).name).toBe("two");
});

test("a name must be unique in any case, and a channel can change the case of its own", async () => {
  const realm = await newRealm();
  const channel = await channelOf([realm.admin], "court");
  await channelOf([realm.admin], "taken");
  const rename = async (new_name: string) => (await change(realm.admin, channel, { new_name })).msg;

  expect(await rename("court")).toBe("Channel already has that name.");
  expect(await rename("TAKEN")).toBe("Channel name already in use.");
  expect(await rename(" ")).toBe("Channel name can't be empty.");
  expect(await rename("x".repeat(61))).toBe("Channel name too long (limit: 60 characters).");
  const description = "x".repeat(1025);
  expect(await realm.admin.request("PATCH", `/streams/${channel.id}`, { description })).toMatchObject({
    msg: "description is too long (limit: 1024 characters)",
  });
  expect(await rename("Court")).toBe("");
  expect((await shown(realm.admin, channel)).name).toBe("Court");
});

test("if several channels are renamed alike at once, on two nodes, one succeeds", async () => {
  const realm = await newRealm();
  const channels = await Promise.all(Array.from({ length: 6 }, (_, i) => channelOf([realm.admin], `channel ${i}`)));

  const answers = await Promise.all([
    ...channels.map((channel, i) =>
      realm.admin.on(i).call(updateChannel, { stream_id: channel.id, new_name: i % 2 === 0 ? "Agora" : "agora" }),
    ),
    realm.admin.call(subscribe, { subscriptions: [{ name: "AGORA" }] }),
  ]);

  const { streams } = success(await realm.admin.call(getChannels, {}));
  expect(streams.filter(({ name }) => name.toLowerCase() === "agora")).toHaveLength(1);
  const refused = answers.filter((answer) => answer.result === "error").map(({ msg }) => msg);
  expect(new Set(refused)).toEqual(new Set(["Channel name already in use."]));
  expect(refused.length).toBeGreaterThanOrEqual(5);
});

test("access removed by a change is gone on every node once the response arrives", async () => {
  const realm = await newRealm();
  const { hamlet, friend } = await people(realm, "hamlet", "friend");
  const [everyone, nobody] = [await groupId(realm, "role:everyone"), await groupId(realm, "role:nobody")];
  const channel = await channelOf([hamlet, friend], "court");
  const send = (node: number) =>
    friend.on(node).call(sendMessage, { type: "stream", to: channel.id, topic: "t", content: "words" });

  for (let i = 0; i < 5; i++) {
    success(await change(hamlet, channel, { can_send_message_group: { new: nobody } }));
    const refused = await Promise.all([send(0), send(1)]);
    expect(refused.map(({ msg }) => msg)).toEqual(Array(2).fill("You do not have permission to post in this channel."));
    success(await change(hamlet, channel, { can_send_message_group: { new: everyone } }));
    success(await send(i));
  }
});

test("older clients receive a post policy together with the permission", async () => {
  const realm = await newRealm();
  const channel = await channelOf([realm.admin], "court");
  const administrators = await groupId(realm, "role:administrators");
  const queue = await realm.admin.register(["stream"]);

  success(await change(realm.admin, channel, { can_send_message_group: { new: administrators } }));

  const told = [await queue.next(), await queue.next(), await queue.next()];
  expect(told).toMatchObject([
    { property: "can_send_message_group", value: administrators },
    { property: "stream_post_policy", value: 2 },
    { property: "is_announcement_only", value: true },
  ]);
  expect(await shown(realm.admin, channel)).toMatchObject({ stream_post_policy: 2, is_announcement_only: true });
});

// spec 2.3: direct_members, direct_subgroups
test("a permission changes only from the expected value, and only to an allowed one", async () => {
  const realm = await newRealm();
  const { hamlet, friend } = await people(realm, "hamlet", "friend");
  const channel = await channelOf([hamlet, friend], "court");
  const [nobody, members, internet, everyone] = await Promise.all(
    ["role:nobody", "role:members", "role:internet", "role:everyone"].map((name) => groupId(realm, name)),
  );
  if (!nobody || !members || !internet || !everyone) throw new Error("an organization has its system groups");
  const set = (can_subscribe_group: NonNullable<Change["can_subscribe_group"]>) =>
    change(hamlet, channel, { can_subscribe_group });

  expect(await set({ new: members, old: members })).toMatchObject({ code: "EXPECTATION_MISMATCH" });
  success(await set({ new: members, old: nobody }));
  expect(await set({ new: internet })).toMatchObject({
    msg: "'can_subscribe_group' setting cannot be set to 'role:internet' group.",
  });
  expect(await set({ new: everyone })).toMatchObject({ result: "error" });
  expect(await set({ new: 999_999_999 })).toMatchObject({ msg: "Invalid user group" });
  success(await set({ new: { direct_members: [friend.id], direct_subgroups: [members] }, old: members }));
  expect((await shown(friend, channel)).can_subscribe_group).toEqual({
    direct_members: [friend.id],
    direct_subgroups: [members],
  });
  const answers = await Promise.all(
    [0, 1, 2, 3].map((node) =>
      hamlet.on(node).call(updateChannel, {
        stream_id: channel.id,
        can_subscribe_group: {
          new: node % 2 === 0 ? nobody : members,
          old: { direct_members: [friend.id], direct_subgroups: [members] },
        },
      }),
    ),
  );
  expect(answers.filter((answer) => answer.result === "success")).toHaveLength(1);
});

// spec 2.2: can_add_subscribers_group, can_subscribe_group, can_remove_subscribers_group
test("a user without content access can neither grant it nor change who may join", async () => {
  const realm = await newRealm();
  const { hamlet } = await people(realm, "hamlet");
  const channel = await channelOf([hamlet], "closet", { isPrivate: true });
  const administrators = await groupId(realm, "role:administrators");
  const asOwner = (params: Change) => change(realm.admin, channel, params);

  for (const params of [
    { is_private: false },
    { history_public_to_subscribers: true },
    { can_add_subscribers_group: { new: administrators } },
    { can_subscribe_group: { new: only(realm.admin) } },
  ])
    expect(await asOwner(params)).toMatchObject({ msg: "Channel content access is required." });
  success(await asOwner({ can_remove_subscribers_group: { new: administrators }, new_name: "cupboard" }));
  success(await asOwner({ can_send_message_group: { new: administrators } }));
  expect(await shown(hamlet, channel)).toMatchObject({ invite_only: true, name: "cupboard" });
});

// spec 2.2: invite_only, is_web_public, history_public_to_subscribers, message_retention_days
test("a channel's privacy is limited to valid combinations", async () => {
  const realm = await newRealm();
  const administrator = await realm.user("administrator", { role: 200 });
  const channel = await channelOf([administrator, realm.admin], "court");
  const set = async (params: Change, user = administrator) => {
    const { msg } = await change(user, channel, params);
    const { invite_only, is_web_public, history_public_to_subscribers } = await shown(user, channel);
    return msg === "" ? [invite_only, is_web_public, history_public_to_subscribers] : msg;
  };

  expect(await set({ is_private: true })).toEqual([true, false, false]);
  expect(await set({ history_public_to_subscribers: true })).toEqual([true, false, true]);
  expect(await set({ is_web_public: true })).toBe("Invalid parameters");
  expect(await set({ is_private: false })).toEqual([false, false, true]);
  expect(await set({ history_public_to_subscribers: false })).toBe("Invalid parameters");
  expect(await set({ is_private: true, is_default_stream: true })).toBe("A default channel cannot be private.");
  expect(await set({ is_web_public: true })).toBe("Web-public channels are not enabled.");
  await realm.ctx.db.updateTable("realms").set({ enable_spectator_access: true }).where("id", "=", realm.id).execute();
  expect(await set({ is_web_public: true })).toBe("Insufficient permission");
  expect(await set({ is_web_public: true }, realm.admin)).toEqual([false, true, true]);
  expect(await set({ is_private: true })).toBe("Invalid parameters");
  expect(await set({ is_private: true, is_web_public: false })).toEqual([true, false, false]);
  await realm.ctx.db
    .updateTable("realms")
    .set({ moderation_request_channel_id: channel.id })
    .where("id", "=", realm.id)
    .execute();
  expect(await set({ is_private: false })).toBe("Moderation request channel must be private.");
  expect(await set({ message_retention_days: 3 })).toBe("Must be an organization owner");
  expect(await set({ message_retention_days: 0 }, realm.admin)).toBe("Bad value for 'message_retention_days': 0");
  success(await change(realm.admin, channel, { message_retention_days: "unlimited" }));
  expect((await shown(realm.admin, channel)).message_retention_days).toBe(-1);
  success(await change(realm.admin, channel, { message_retention_days: "realm_default" }));
  expect((await shown(realm.admin, channel)).message_retention_days).toBe(null);
});

test("a channel that becomes private disappears for outsiders, and reappears with its history when it becomes public", async () => {
  const realm = await newRealm();
  const { hamlet, friend, member, guest } = await people(realm, "hamlet", "friend", "member", "guest");
  const channel = await channelOf([hamlet, friend], "court");
  const id = await sendToChannel(hamlet, channel);
  const queues = await Promise.all(
    [friend, member, guest, realm.admin].map((user) => user.register(["stream", "subscription"])),
  );

  success(await change(hamlet, channel, { is_private: true, history_public_to_subscribers: true }));
  expect(await member.call(getChannel, { stream_id: channel.id })).toMatchObject({ msg: "Invalid channel ID" });
  expect(await member.call(getMessage, { message_id: id })).toMatchObject({ result: "error" });
  success(await friend.call(getMessage, { message_id: id }));
  success(await change(hamlet, channel, { is_private: false }));
  success(await member.call(getMessage, { message_id: id }));

  const heard = await eventsUntilNow(realm, queues);
  const update = (value: boolean) => ({
    type: "stream",
    op: "update",
    stream_id: channel.id,
    name: "court",
    property: "invite_only",
    value,
    history_public_to_subscribers: true,
    is_web_public: false,
  });
  expect(heard[0]).toEqual([update(true), update(false)]);
  expect(heard[1]).toMatchObject([
    { type: "stream", op: "delete", stream_ids: [channel.id], streams: [{ stream_id: channel.id }] },
    { type: "stream", op: "create", streams: [{ stream_id: channel.id, invite_only: false }] },
    { type: "subscription", op: "peer_add", stream_ids: [channel.id], user_ids: [hamlet.id, friend.id] },
    update(false),
  ]);
  expect(heard[2]).toEqual([]);
  expect(heard[3]).toEqual([update(true), update(false)]);
});

test("events keep everybody's channels exact, whatever is changed", async () => {
  const realm = await newRealm();
  await realm.ctx.db.updateTable("realms").set({ enable_spectator_access: true }).where("id", "=", realm.id).execute();
  const { hamlet, friend, member, guest } = await people(realm, "hamlet", "friend", "member", "guest");
  const outsider = await realm.user("guest outside", { role: 600 });
  const administrator = await realm.user("administrator", { role: 200 });
  const court = await channelOf([hamlet, friend, guest, realm.admin], "court");
  const closet = await channelOf([hamlet, friend, realm.admin], "closet", { isPrivate: true });
  const members = await groupId(realm, "role:members");
  const readers = [hamlet, friend, member, guest, outsider, administrator];

  const { followed, fresh } = await followedAndFresh(realm, readers, async () => {
    for (const [channel, params] of [
      [court, { is_private: true }],
      [court, { can_subscribe_group: { new: only(member, outsider) } }],
      [court, { can_subscribe_group: { new: only(friend) } }],
      [court, { is_private: false, new_name: "yard", description: "open" }],
      [court, { is_web_public: true }],
      [court, { is_web_public: false }],
      [closet, { can_administer_channel_group: { new: members } }],
      [closet, { can_administer_channel_group: { new: only(hamlet) }, can_send_message_group: { new: members } }],
      [closet, { is_private: false, is_default_stream: true, message_retention_days: 7 }],
    ] as const)
      success(await change(realm.admin, channel, params));
    success(await realm.admin.call(unsubscribe, { subscriptions: ["yard"], principals: [friend.id, guest.id] }));
  });
  expect(followed).toEqual(fresh);
});

test("the notification bot posts changes to the channel", async () => {
  const realm = await newRealm();
  const { hamlet, friend } = await people(realm, "hamlet", "friend");
  const channel = await channelOf([hamlet, friend, realm.admin], "court");
  const queue = await friend.register(["message"]);

  success(await change(hamlet, channel, { new_name: "yard", is_private: true }));
  success(await change(realm.admin, channel, { message_retention_days: 7 }));

  const notices = [await queue.nextOf("message"), await queue.nextOf("message"), await queue.nextOf("message")];
  for (const { message } of notices)
    expect(message).toMatchObject({
      stream_id: channel.id,
      subject: "channel events",
      sender_full_name: "Notification Bot",
    });
  expect(notices.map(({ message }) => message.content)).toEqual([
    `@_**hamlet|${hamlet.id}** renamed this channel from **court** to **yard**.`,
    `@_**hamlet|${hamlet.id}** changed the privacy of this channel from **public** to **private, with protected history**.`,
    `@_**owner|${realm.admin.id}** changed how long messages in this channel are kept from **the organization's default** to **7 days**.`,
  ]);
});

test("an empty request changes nothing, and unknown parameters are reported", async () => {
  const realm = await newRealm();
  const channel = await channelOf([realm.admin], "court");
  const queue = await realm.admin.register(["stream", "message"]);

  expect(await realm.admin.request("PATCH", `/streams/${channel.id}`, { stream_post_policy: "2" })).toEqual({
    result: "success",
    msg: "",
    ignored_parameters_unsupported: ["stream_post_policy"],
  });
  expect(await realm.admin.request("PATCH", `/streams/${channel.id}`, { is_private: "maybe" })).toMatchObject({
    msg: "is_private is not valid JSON",
  });
  expect(await eventsUntilNow(realm, [queue])).toEqual([[]]);
});

test("users who can see a channel find it by name and its subscribers by ID", async () => {
  const realm = await newRealm();
  const { hamlet, friend, stranger, guest } = await people(realm, "hamlet", "friend", "stranger", "guest");
  const channel = await channelOf([hamlet, friend], "Closet", { isPrivate: true });
  const find = (user: TestUser, stream: string) => user.call(getChannelId, { stream });
  const list = (user: TestUser) => user.call(getSubscribers, { stream_id: channel.id });

  for (const user of [hamlet, realm.admin]) {
    expect(await find(user, "closet")).toMatchObject({ stream_id: channel.id });
    expect(await list(user)).toMatchObject({ subscribers: [hamlet.id, friend.id] });
  }
  for (const user of [stranger, guest]) {
    expect(await find(user, "closet")).toMatchObject({ code: "BAD_REQUEST", msg: "Invalid channel name 'closet'" });
    expect(await list(user)).toMatchObject({ code: "BAD_REQUEST", msg: "Invalid channel ID" });
  }
  await realm.ctx.db.updateTable("users").set({ is_active: false }).where("id", "=", friend.id).execute();
  expect(await list(hamlet)).toMatchObject({ subscribers: [hamlet.id] });
});
