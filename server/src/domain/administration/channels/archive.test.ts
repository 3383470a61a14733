import { archiveChannel, getChannels, updateChannel } from "@skein/api/channels.ts";
import { addDefaultChannel, createDefaultChannelGroup } from "@skein/api/default-channels.ts";
import { getMessage, sendMessage } from "@skein/api/messages.ts";
import { getSubscriptions, subscribe, unsubscribe } from "@skein/api/subscriptions.ts";
import { expect, test } from "vitest";
import { eventsUntilNow } from "../../../../test/events-until.ts";
import { followedAndFresh } from "../../../../test/followed-channels.ts";
import { capabilities, newRealm, success, type TestUser } from "../../../../test/realm.ts";
import { channelOf, flagsFor, sendToChannel, type TestChannel } from "../../../../test/actions.ts";

const archive = (user: TestUser, channel: TestChannel) => user.call(archiveChannel, { stream_id: channel.id });
const reopen = (user: TestUser, channel: TestChannel) =>
  user.call(updateChannel, { stream_id: channel.id, is_archived: false });

// spec 3.3: is_archived
// spec 4.10: exclude_archived
test("an archived channel keeps its name, history and subscribers; nobody writes in it, and it is listed on request", async () => {
  const realm = await newRealm();
  const [hamlet, friend] = [await realm.user("hamlet"), await realm.user("friend")];
  const channel = await channelOf([hamlet, friend], "court");
  const id = await sendToChannel(hamlet, channel);

  success(await archive(hamlet, channel));

  expect(await archive(hamlet, channel)).toMatchObject({ code: "BAD_REQUEST", msg: "Channel is already deactivated" });
  const send = { type: "stream", to: channel.id, topic: "t", content: "late" } as const;
  for (const node of [0, 1]) expect(await friend.on(node).call(sendMessage, send)).toMatchObject({ result: "error" });
  success(await friend.call(getMessage, { message_id: id }));
  expect(await flagsFor(friend, id)).toEqual(["read"]);
  expect(success(await friend.call(getChannels, {})).streams).toEqual([]);
  expect(success(await friend.call(getChannels, { exclude_archived: false })).streams).toMatchObject([
    { stream_id: channel.id, name: "court", is_archived: true },
  ]);
  expect(success(await friend.call(getSubscriptions, {})).subscriptions).toEqual([]);
});

// spec 6: stream
test("clients receive an archived channel as deleted, or as archived if they show archived channels", async () => {
  const realm = await newRealm();
  const [hamlet, member, outsider] = [
    await realm.user("hamlet"),
    await realm.user("member"),
    await realm.user("outsider", { role: 600 }),
  ];
  const channel = await channelOf([hamlet], "court");
  const shown = { client_capabilities: { ...capabilities, archived_channels: true } };
  const queues = [
    await hamlet.register(["stream"]),
    await member.register(["stream"]),
    await member.register(["stream"], [], shown),
    await outsider.register(["stream"], [], shown),
  ];

  success(await archive(realm.admin, channel));
  success(await reopen(realm.admin, channel));

  const about = { type: "stream", stream_id: channel.id, name: "court", op: "update", property: "is_archived" };
  const gone = { type: "stream", op: "delete", stream_ids: [channel.id], streams: [{ stream_id: channel.id }] };
  const back = { type: "stream", op: "create", streams: [{ stream_id: channel.id, is_archived: false }] };
  const heard = await eventsUntilNow(realm, queues);
  const told = heard.map((events) => events.filter((event) => !JSON.stringify(event).includes('first_message_id",')));
  expect(told[0]).toMatchObject([gone, back]);
  expect(told[1]).toMatchObject([gone, back]);
  expect(told[2]).toMatchObject([
    { ...about, value: true },
    { ...about, value: false },
  ]);
  expect(told[3]).toEqual([]);
});

test("an archived channel is no longer used for new users and announcements", async () => {
  const realm = await newRealm();
  const channel = await channelOf([realm.admin], "court");
  const offered = await channelOf([realm.admin], "offered");
  success(await realm.admin.call(addDefaultChannel, { stream_id: channel.id }));
  const group = { group_name: "players", description: "", stream_names: ["offered"] };
  success(await realm.admin.call(createDefaultChannelGroup, group));
  await realm.ctx.db
    .updateTable("realms")
    .set({ new_stream_announcements_stream_id: channel.id, signup_announcements_stream_id: channel.id })
    .where("id", "=", realm.id)
    .execute();
  const queue = await realm.admin.register(["default_streams", "default_stream_groups", "realm"]);

  success(await archive(realm.admin, channel));
  success(await archive(realm.admin, offered));

  expect([await queue.next(), await queue.next(), await queue.next()]).toMatchObject([
    { type: "default_streams", default_streams: [] },
    {
      type: "realm",
      op: "update_dict",
      property: "default",
      data: { new_stream_announcements_stream_id: -1, signup_announcements_stream_id: -1 },
    },
    { type: "default_stream_groups", default_stream_groups: [{ name: "players", streams: [] }] },
  ]);
});

test("events keep everybody's channels exact through archiving, subscribing, leaving and unarchiving", async () => {
  const realm = await newRealm();
  const names = ["hamlet", "friend", "newcomer", "leaver", "member", "guest"] as const;
  const [hamlet, friend, newcomer, leaver, member, guest] = await Promise.all(
    names.map((name) => realm.user(name, { role: name === "guest" ? 600 : 400 })),
  );
  if (!hamlet || !friend || !newcomer || !leaver || !member || !guest) throw new Error("six people were made");
  const court = await channelOf([hamlet, friend, leaver, guest], "court");
  const closet = await channelOf([hamlet, friend, leaver], "closet", { isPrivate: true });
  const away = await channelOf([hamlet, friend], "away");
  for (const channel of [court, closet, away]) await sendToChannel(hamlet, channel);

  const { followed, fresh } = await followedAndFresh(
    realm,
    [hamlet, friend, newcomer, leaver, member, guest, realm.admin],
    async () => {
      for (const channel of [court, closet, away]) success(await archive(realm.admin, channel));
      const params = { subscriptions: [{ name: "court" }, { name: "closet" }], principals: [newcomer.id] };
      success(await hamlet.call(subscribe, params));
      success(await realm.admin.call(unsubscribe, { subscriptions: ["closet"], principals: [leaver.id] }));
      for (const channel of [court, closet]) success(await reopen(realm.admin, channel));
      await sendToChannel(hamlet, court);
    },
  );
  expect(followed).toEqual(fresh);
});

test("a private channel without subscribers stays archived", async () => {
  const realm = await newRealm();
  const channel = await channelOf([realm.admin], "closet", { isPrivate: true });
  success(await archive(realm.admin, channel));
  success(await realm.admin.call(unsubscribe, { subscriptions: ["closet"] }));

  expect(await reopen(realm.admin, channel)).toMatchObject({ msg: "Channel is private and have no subscribers" });
});

test("archiving a channel while people join on two nodes leaves a consistent state", async () => {
  const realm = await newRealm();
  const people = await Promise.all(Array.from({ length: 4 }, (_, i) => realm.user(`person ${i}`)));
  const channel = await channelOf([realm.admin], "court");

  const { followed, fresh } = await followedAndFresh(realm, people, async () => {
    const [archived] = await Promise.all([
      realm.admin.call(archiveChannel, { stream_id: channel.id }),
      ...people.map(async (user) => success(await user.call(subscribe, { subscriptions: [{ name: "court" }] }))),
    ]);
    success(archived);
  });
  expect(followed).toEqual(fresh);
  const twice = await channelOf([realm.admin], "twice");
  const answers = await Promise.all(
    [0, 1, 2].map((node) => realm.admin.on(node).call(archiveChannel, { stream_id: twice.id })),
  );
  expect(answers.filter((answer) => answer.result === "success")).toHaveLength(1);
});
