import { archiveChannel, getChannel } from "@skein/api/channels.ts";
import { getMessageHistory, updateMessage } from "@skein/api/edits.ts";
import { updateMessageFlags } from "@skein/api/flags.ts";
import { getMessage } from "@skein/api/messages.ts";
import { addReaction } from "@skein/api/reactions.ts";
import { updateRealm } from "@skein/api/realm-settings.ts";
import { subscribe, unsubscribe } from "@skein/api/subscriptions.ts";
import { getTopics } from "@skein/api/topics.ts";
import { updateUserTopic } from "@skein/api/user-topics.ts";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { capabilities, newRealm, success, type TestRealm, type TestUser } from "../../../../test/realm.ts";
import { channelOf, flagsFor, messageFor, sendToChannel, type TestChannel } from "../../../../test/actions.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { lockChannelsForSubscriptionChange } from "../../channels/lock.ts";

const move = (user: TestUser, message_id: number, to: TestChannel, more: object = {}) =>
  user.call(updateMessage, { message_id, stream_id: to.id, send_notification_to_new_thread: false, ...more });
const refusal = (msg: string) => ({ result: "error", msg, code: "BAD_REQUEST" });
const fetched = ["update_message_flags", "message", "subscription", "stream", "user_topic", "starred_messages"];
const read = (user: TestUser, messages: number[], op: "add" | "remove" = "add") =>
  user.call(updateMessageFlags, { messages, op, flag: "read" });
const groupNamed = async (realm: TestRealm, name: string) => {
  const row = await realm.ctx.db
    .selectFrom("user_groups")
    .select("id")
    .where("realm_id", "=", realm.id)
    .where("name", "=", name)
    .executeTakeFirstOrThrow();
  return row.id;
};
const firstMessageOf = async (user: TestUser, { id }: TestChannel) =>
  success(await user.call(getChannel, { stream_id: id })).stream.first_message_id;

async function expectFollowed(users: TestUser[], act: () => Promise<number>) {
  const queues = await Promise.all(users.map((user) => user.register(undefined, fetched)));
  const end = await act();
  for (const queue of queues) {
    const { unread_msgs, starred_messages, subscriptions } = (await queue.user.register(undefined, fetched)).state;
    const followed = await queue.followedState(end);
    expect(followed.unread_msgs).toEqual(unread_msgs);
    expect(followed.starred_messages).toEqual(starred_messages);
    expect(followed.subscriptions?.map((own) => own.first_message_id)).toEqual(
      subscriptions?.map((own) => own.first_message_id),
    );
  }
}

// spec 2.1: stream_id, display_recipient, recipient_id, last_moved_timestamp, edit_history, prev_stream, stream
test("a message is moved to another channel, and everybody who keeps access receives an update", async () => {
  const realm = await newRealm();
  const [hamlet, both, leftBehind] = [await realm.user("hamlet"), await realm.user("both"), await realm.user("left")];
  const newcomer = await realm.user("newcomer");
  const [court, garden] = [
    await channelOf([hamlet, both, leftBehind], "court"),
    await channelOf([hamlet, both, newcomer], "garden"),
  ];
  const id = await sendToChannel(hamlet, court, { topic: "talk" });
  const people = [hamlet, both, leftBehind, newcomer];
  const queues = await Promise.all(people.map((user) => user.register(["update_message", "delete_message"])));

  success(await move(both, id, garden, { topic: "walk" }));

  for (const queue of queues)
    expect(await queue.next()).toEqual({
      type: "update_message",
      user_id: both.id,
      rendering_only: false,
      message_id: id,
      message_ids: [id],
      flags: [],
      edit_timestamp: expect.any(Number),
      stream_id: court.id,
      stream_name: "court",
      new_stream_id: garden.id,
      propagate_mode: "change_one",
      orig_subject: "talk",
      subject: "walk",
      topic_links: [],
    });
  const message = await messageFor(newcomer, id);
  expect(message).toMatchObject({
    stream_id: garden.id,
    display_recipient: "garden",
    recipient_id: garden.id,
    subject: "walk",
    last_moved_timestamp: expect.any(Number),
    edit_history: [{ prev_stream: court.id, stream: garden.id, prev_topic: "talk", topic: "walk" }],
    flags: ["read", "historical"],
  });
  expect(await flagsFor(both, id)).toEqual([]);
  expect(await flagsFor(leftBehind, id)).toEqual(["read"]);
  expect(await firstMessageOf(hamlet, court)).toBeNull();
  expect(await firstMessageOf(hamlet, garden)).toBe(id);
});

test("messages moved out of a user's reach are deleted for that user", async () => {
  const realm = await newRealm();
  const [hamlet, member, outsider] = [await realm.user("hamlet"), await realm.user("m"), await realm.user("outsider")];
  const guest = await realm.user("guest", { role: 600 });
  const court = await channelOf([hamlet, member, outsider, guest], "court");
  const closet = await channelOf([hamlet, member], "closet", { isPrivate: true });
  const ids = [await sendToChannel(hamlet, court, { topic: "" }), await sendToChannel(hamlet, court, { topic: "" })];
  const [first = 0] = ids;
  const queues = [await outsider.register(["delete_message"]), await guest.register(["delete_message"])];
  const single = await outsider.register(["delete_message"], [], {
    client_capabilities: { ...capabilities, bulk_message_deletion: false, empty_topic_name: false },
  });
  const kept = await member.register(["delete_message", "update_message"]);

  success(await move(hamlet, first, closet, { propagate_mode: "change_all" }));

  const gone = { type: "delete_message", message_type: "stream", stream_id: court.id };
  for (const queue of queues) expect(await queue.next()).toEqual({ ...gone, message_ids: ids, topic: "" });
  for (const message_id of ids) expect(await single.next()).toEqual({ ...gone, message_id, topic: "general chat" });
  expect(await kept.next()).toMatchObject({ type: "update_message", message_ids: ids, new_stream_id: closet.id });
  for (const user of [outsider, guest, realm.admin]) {
    expect(await user.call(getMessage, { message_id: first })).toEqual(refusal("Invalid message(s)"));
    expect(await user.call(getMessageHistory, { message_id: first })).toEqual(refusal("Invalid message(s)"));
    expect(await user.call(addReaction, { message_id: first, emoji_name: "tada" })).toEqual(
      refusal("Invalid message(s)"),
    );
  }
  for (const queue of [...queues, kept]) expect(await queue.all()).toEqual([]);
});

test("unread messages stay unread for users in both channels, whatever they read, leave and join afterwards", async () => {
  const realm = await newRealm();
  const [hamlet, both, left] = [await realm.user("hamlet"), await realm.user("both"), await realm.user("left")];
  const court = await channelOf([hamlet, both, left], "court");
  const garden = await channelOf([hamlet, both], "garden");
  const [first, second, third] = [
    await sendToChannel(hamlet, court),
    await sendToChannel(hamlet, court),
    await sendToChannel(hamlet, court),
  ];

  await expectFollowed([both, left], async () => {
    success(await move(hamlet, second, garden, { propagate_mode: "change_later" }));
    success(await read(both, [second]));
    success(await read(left, [second, third]));
    return sendToChannel(hamlet, court);
  });
  expect(await flagsFor(both, third)).toEqual([]);
  expect(await flagsFor(left, third)).toEqual(["read"]);
  await expectFollowed([both, left], async () => {
    success(await both.call(unsubscribe, { subscriptions: ["court"] }));
    success(await left.call(subscribe, { subscriptions: [{ name: "garden" }] }));
    return sendToChannel(hamlet, garden);
  });
  expect(await flagsFor(both, first)).toEqual(["read"]);
  expect(await flagsFor(both, third)).toEqual([]);
  expect(await flagsFor(left, third)).toEqual(["read"]);
  await expectFollowed([both, left], async () => {
    success(await read(both, [second], "remove"));
    success(await both.call(unsubscribe, { subscriptions: ["garden"] }));
    success(await both.call(subscribe, { subscriptions: [{ name: "garden" }] }));
    success(await move(hamlet, third, court));
    return sendToChannel(hamlet, garden);
  });
  expect(await flagsFor(both, second)).toEqual(["read"]);
  expect(await flagsFor(left, third)).toEqual(["read"]);
});

test("where history is protected, users who are subscribed when messages arrive may read them, and later subscribers may not", async () => {
  const realm = await newRealm();
  const [hamlet, member, late] = [await realm.user("hamlet"), await realm.user("member"), await realm.user("late")];
  const court = await channelOf([hamlet], "court");
  const closet = await channelOf([hamlet, member], "closet", { isPrivate: true, hasSharedHistory: false });
  const id = await sendToChannel(hamlet, court, { topic: "talk" });
  const queue = await member.register(["update_message"]);

  success(await move(hamlet, id, closet));
  success(await hamlet.call(subscribe, { subscriptions: [{ name: "closet" }], principals: [late.id] }));

  expect(await queue.next()).toMatchObject({ message_ids: [id], new_stream_id: closet.id });
  expect(await flagsFor(member, id)).toEqual(["read", "historical"]);
  expect(await late.call(getMessage, { message_id: id })).toEqual(refusal("Invalid message(s)"));
  const topics = async (user: TestUser) => success(await user.call(getTopics, { stream_id: closet.id })).topics;
  expect(await topics(member)).toEqual([{ name: "talk", max_id: id }]);
  expect(await topics(late)).toEqual([]);
  const unheard = await late.register(["reaction"]);
  const heard = await member.register(["reaction"]);
  success(await member.call(addReaction, { message_id: id, emoji_name: "tada" }));
  expect(await heard.next()).toMatchObject({ message_id: id });
  expect(await unheard.all()).toEqual([]);
});

test("who may move messages between channels, and to which", async () => {
  const realm = await newRealm();
  const [hamlet, guest] = [await realm.user("hamlet"), await realm.user("guest", { role: 600 })];
  const moderator = await realm.user("moderator", { role: 300 });
  const court = await channelOf([hamlet, guest, moderator], "court");
  const garden = await channelOf([hamlet, guest], "garden");
  const closed = await channelOf([realm.admin], "closed", { isPrivate: true });
  const old = await channelOf([hamlet], "old");
  const quietRoom = await channelOf([hamlet], "quiet");
  const [id, aged] = [await sendToChannel(hamlet, court), await sendToChannel(hamlet, court)];
  await sql`update messages set date_sent = now() - interval '8 days' where id = ${aged}`.execute(realm.ctx.db);
  success(await realm.admin.call(archiveChannel, { stream_id: old.id }));
  const nobody = await groupNamed(realm, "role:nobody");
  await sql`update channels set can_send_message_group_id = ${nobody} where id = ${quietRoom.id}`.execute(realm.ctx.db);

  expect(await move(guest, id, garden)).toEqual(refusal("You don't have permission to move this message"));
  expect(await move(hamlet, id, closed)).toEqual(refusal("Invalid channel ID"));
  expect(await move(hamlet, id, old)).toEqual(refusal("Invalid channel ID"));
  expect(await move(hamlet, id, { id: 999_999_999, name: "" })).toEqual(refusal("Invalid channel ID"));
  expect(await move(hamlet, id, await channelOf([(await newRealm()).admin], "foreign"))).toEqual(
    refusal("Invalid channel ID"),
  );
  expect(await move(hamlet, id, quietRoom)).toEqual(refusal("You do not have permission to post in this channel."));
  expect(await move(hamlet, aged, garden)).toEqual(
    refusal("The time limit for editing this message's channel has passed"),
  );
  expect(await move(hamlet, id, garden, { propagate_mode: "change_all" })).toMatchObject({
    code: "MOVE_MESSAGES_TIME_LIMIT_EXCEEDED",
    total_messages_allowed_to_move: 1,
  });
  success(await move(moderator, aged, garden));
  const only = { new: await groupNamed(realm, "role:administrators") };
  success(await realm.admin.call(updateRealm, { can_move_messages_between_channels_group: only }));
  expect(await move(moderator, id, garden)).toEqual(refusal("You don't have permission to move this message"));
});

test("a topic's visibility policies move along to a channel the user can read, and end otherwise", async () => {
  const realm = await newRealm();
  const [hamlet, member, outsider] = [await realm.user("hamlet"), await realm.user("member"), await realm.user("out")];
  const court = await channelOf([hamlet, member, outsider], "court");
  const closet = await channelOf([hamlet, member], "closet", { isPrivate: true });
  const id = await sendToChannel(hamlet, court, { topic: "talk" });
  for (const user of [member, outsider])
    success(await user.call(updateUserTopic, { stream_id: court.id, topic: "talk", visibility_policy: 3 }));
  const queues = [await member.register(["user_topic"]), await outsider.register(["user_topic"])];

  success(await move(hamlet, id, closet, { propagate_mode: "change_all" }));

  const over = { stream_id: court.id, topic_name: "talk", visibility_policy: 0 };
  for (const queue of queues) expect(await queue.next()).toMatchObject(over);
  expect(await queues[0]?.next()).toMatchObject({ stream_id: closet.id, topic_name: "talk", visibility_policy: 3 });
  expect(await queues[1]?.all()).toEqual([]);
});

test("messages moved back and forth concurrently on two nodes end up in one place", async () => {
  const realm = await newRealm();
  const [hamlet, friend] = [await realm.user("hamlet"), await realm.user("friend")];
  const [court, garden] = [await channelOf([hamlet, friend], "court"), await channelOf([hamlet, friend], "garden")];
  const ids = [
    await sendToChannel(hamlet, court),
    await sendToChannel(hamlet, court),
    await sendToChannel(hamlet, garden),
  ];

  await expectFollowed([hamlet, friend], async () => {
    await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        hamlet.on(n).call(updateMessage, {
          message_id: ids[n % 3] ?? 0,
          stream_id: n % 2 ? court.id : garden.id,
          propagate_mode: n % 4 ? "change_one" : "change_all",
          send_notification_to_new_thread: false,
        }),
      ),
    );
    return sendToChannel(hamlet, court);
  });

  const places = await Promise.all(ids.map(async (id) => (await messageFor(friend, id)).stream_id));
  for (const place of places) expect([court.id, garden.id]).toContain(place);
});

test("a user who may not move messages to a channel does not wait for its lock, whatever id they name", async () => {
  const realm = await newRealm();
  const guest = await realm.user("guest", { role: 600 });
  const court = await channelOf([realm.admin, guest], "court");
  const garden = await channelOf([realm.admin, guest], "garden");
  const closet = await channelOf([realm.admin], "closet", { isPrivate: true });
  const abroad = await channelOf([(await newRealm()).admin], "abroad");
  const member = await realm.user("member");
  const id = await sendToChannel(guest, court);
  const setUpOfRelay = { id: 7_303_014_230, name: "no channel" };

  const answers = await transaction(realm.ctx.db, "lock channels", async (tx) => {
    const all = [garden, closet, abroad, setUpOfRelay];
    await lockChannelsForSubscriptionChange(
      tx,
      all.map((channel) => channel.id),
    );
    const ofGuest = await Promise.all(all.map((to) => move(guest, id, to)));
    const ofMember = await Promise.all([closet, abroad, setUpOfRelay].map((to) => move(member, id, to)));
    return [...ofGuest, ...ofMember];
  });

  const notAllowed = refusal("You don't have permission to move this message");
  expect(answers.slice(0, 4)).toEqual([notAllowed, notAllowed, notAllowed, notAllowed]);
  for (const answer of answers.slice(4)) expect(answer).toMatchObject({ result: "error", msg: "Invalid channel ID" });
});
