import {
  markAllAsRead,
  markChannelAsRead,
  markTopicAsRead,
  updateMessageFlags,
  updateMessageFlagsForNarrow,
} from "@skein/api/flags.ts";
import { subscribe, unsubscribe } from "@skein/api/subscriptions.ts";
import { expect, test } from "vitest";
import { newRealm, success } from "../../../../test/realm.ts";
import { channelOf, flagsFor, sendToChannel, sendDirect } from "../../../../test/actions.ts";
import { hashSecret } from "../../../identity/sessions.ts";
import { markPlaceRead } from "./mark-places.ts";

// spec 3.2: op=add, op=remove
test("a flag is set on a range of a narrow, and the response says how far it went", async () => {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
  const channel = await channelOf([hamlet, ophelia], "elsinore");
  const ids: number[] = [];
  for (let i = 0; i < 4; i++) ids.push(await sendToChannel(hamlet, channel));
  const [first = 0, second = 0, third = 0, last = 0] = ids;
  await sendToChannel(hamlet, channel, { topic: "other" });
  const queue = await ophelia.register(["update_message_flags"]);
  const narrow = [
    { operator: "channel", operand: channel.id },
    { operator: "topic", operand: "talk" },
  ];
  const change = { narrow, op: "add", flag: "read" };
  success(await ophelia.call(updateMessageFlags, { messages: [second], op: "add", flag: "read" }));
  await queue.next();

  const answer = await ophelia.call(updateMessageFlagsForNarrow, {
    ...change,
    anchor: String(second),
    num_before: 5,
    num_after: 1,
  });

  expect(answer).toEqual({
    result: "success",
    msg: "",
    processed_count: 3,
    updated_count: 2,
    first_processed_id: first,
    last_processed_id: third,
    found_oldest: true,
    found_newest: false,
  });
  expect(await queue.next()).toMatchObject({ op: "add", flag: "read", messages: [first, third], all: false });
  const rest = { ...change, anchor: "first_unread", num_before: 0, num_after: 9 };
  expect(await ophelia.call(updateMessageFlagsForNarrow, rest)).toMatchObject({
    updated_count: 1,
    last_processed_id: last,
  });
  const back = { anchor: "newest", num_before: 9, num_after: 0, narrow, op: "remove", flag: "read" };
  expect(await ophelia.call(updateMessageFlagsForNarrow, back)).toMatchObject({
    updated_count: 4,
    ignored_because_not_subscribed_channels: [],
  });
});

// spec 3.2: flags nobody may change
test("a range may be empty, and is limited to what can be done at once", async () => {
  const realm = await newRealm();
  const narrow = [{ operator: "sender", operand: realm.admin.id }];
  const change = { anchor: "newest", num_before: 1_000_000, num_after: 1_000_000, narrow, op: "add", flag: "starred" };

  expect(await realm.admin.call(updateMessageFlagsForNarrow, change)).toMatchObject({
    result: "success",
    processed_count: 0,
    first_processed_id: null,
    last_processed_id: null,
    found_oldest: true,
    found_newest: true,
  });
  expect(await realm.admin.call(updateMessageFlagsForNarrow, { ...change, flag: "mentioned" })).toMatchObject({
    msg: "Flag not editable: 'mentioned'",
  });
});

// spec 3.2: unread invariant
test("a message that was never received can be starred, and stays historical", async () => {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
  const channel = await channelOf([hamlet], "elsinore");
  const id = await sendToChannel(hamlet, channel);
  const narrow = [{ operator: "channel", operand: channel.id }];
  const range = { anchor: "newest", num_before: 9, num_after: 0, narrow };

  const starring = { ...range, op: "add", flag: "starred" };
  expect(await ophelia.call(updateMessageFlagsForNarrow, starring)).toMatchObject({ updated_count: 1 });
  expect(await flagsFor(ophelia, id)).toEqual(["read", "starred", "historical"]);
  const unreading = { ...range, op: "remove", flag: "read" };
  expect(await ophelia.call(updateMessageFlagsForNarrow, unreading)).toMatchObject({
    processed_count: 1,
    updated_count: 0,
    ignored_because_not_subscribed_channels: [channel.id],
  });
});

test("a topic, a channel and everything can be marked as read at once", async () => {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
  const channel = await channelOf([hamlet, ophelia], "elsinore");
  const ghosts = await sendToChannel(hamlet, channel, { topic: "ghosts" });
  const empty = await sendToChannel(hamlet, channel, { topic: "" });
  const talk = await sendToChannel(hamlet, channel);
  const direct = await sendDirect(hamlet, [ophelia]);
  const isRead = async (id: number) => (await flagsFor(ophelia, id)).includes("read");

  success(await ophelia.call(markTopicAsRead, { stream_id: channel.id, topic_name: "GHOSTS" }));
  expect(await Promise.all([ghosts, empty, talk].map(isRead))).toEqual([true, false, false]);
  success(await ophelia.call(markTopicAsRead, { stream_id: channel.id, topic_name: "general chat" }));
  expect(await Promise.all([ghosts, empty, talk].map(isRead))).toEqual([true, true, false]);
  success(await ophelia.call(markChannelAsRead, { stream_id: channel.id }));
  expect(await Promise.all([talk, direct].map(isRead))).toEqual([true, false]);
  expect(await ophelia.call(markAllAsRead, {})).toEqual({ result: "success", msg: "", complete: true });
  expect(await isRead(direct)).toBe(true);
  const { state } = await ophelia.register([], ["message", "update_message_flags"]);
  expect(state.unread_msgs).toMatchObject({ count: 0, pms: [], streams: [], mentions: [] });
});

test("the response says when marking everything as read takes too long, and the next request continues", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  await sendDirect(hamlet, [realm.admin]);
  const account = await realm.ctx.sessions.find({ email: realm.admin.email, keyHash: hashSecret(realm.admin.apiKey) });

  const one = { step: 1, timeoutMilliseconds: -1 };
  await sendDirect(hamlet, [realm.admin]);
  expect(await markPlaceRead(realm.ctx, account, [], one)).toBe(false);
  expect(await markPlaceRead(realm.ctx, account, [])).toBe(true);
});

test("a channel or topic the user cannot see cannot be marked as read", async () => {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
  const channel = await channelOf([hamlet], "elsinore", { isPrivate: true });
  await sendToChannel(hamlet, channel);

  expect(await ophelia.call(markChannelAsRead, { stream_id: channel.id })).toMatchObject({ msg: "Invalid channel ID" });
  expect(await hamlet.call(markTopicAsRead, { stream_id: channel.id, topic_name: "none" })).toMatchObject({
    msg: "No such topic 'none'",
  });
});

test("a client that follows the events knows what was marked as read by narrow and as unread again", async () => {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
  const channel = await channelOf([hamlet, ophelia], "elsinore");
  for (let i = 0; i < 3; i++) await sendToChannel(hamlet, channel, { topic: "ghosts" });
  await sendDirect(hamlet, [ophelia]);
  const queue = await ophelia.register(undefined, ["message", "update_message_flags"]);
  const narrow = [{ operator: "channel", operand: "elsinore" }];

  success(await ophelia.call(markAllAsRead, {}));
  const range = { anchor: "newest", num_before: 2, num_after: 0, narrow };
  success(await ophelia.call(updateMessageFlagsForNarrow, { ...range, op: "remove", flag: "read" }));
  success(await ophelia.call(unsubscribe, { subscriptions: ["elsinore"] }));
  success(await ophelia.call(subscribe, { subscriptions: [{ name: "elsinore" }] }));
  const last = await sendDirect(hamlet, [ophelia]);

  const { state } = await ophelia.register([], ["message", "update_message_flags"]);
  expect((await queue.followedState(last)).unread_msgs).toEqual(state.unread_msgs);
});
