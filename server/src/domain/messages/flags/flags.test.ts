import { updateMessageFlags } from "@skein/api/flags.ts";
import { subscribe, unsubscribe, updateSubscriptionSettings } from "@skein/api/subscriptions.ts";
import { updateUserTopic, visibilityPolicies } from "@skein/api/user-topics.ts";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { newRealm, success, type TestUser } from "../../../../test/realm.ts";
import { statementsOf } from "../../../../test/statements.ts";
import { channelOf, flagsFor, sendToChannel, sendDirect } from "../../../../test/actions.ts";

const refusal = { result: "error", msg: "Invalid message(s)", code: "BAD_REQUEST" };

const change = (user: TestUser, op: string, flag: string, messages: number[]) =>
  user.call(updateMessageFlags, { op, flag, messages });
const changed = async (user: TestUser, op: string, flag: string, messages: number[]) =>
  success(await change(user, op, flag, messages)).messages;
const unreadOf = async (user: TestUser) =>
  (await user.register([], ["update_message_flags", "message"])).state.unread_msgs;

async function twoInAChannel() {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
  return { realm, hamlet, ophelia, channel: await channelOf([hamlet, ophelia], "elsinore") };
}

test("a new message is unread for subscribers, and read and historical for everybody else", async () => {
  const { realm, hamlet, ophelia, channel } = await twoInAChannel();
  const id = await sendToChannel(hamlet, channel);
  const readAtOnce = await sendToChannel(hamlet, channel, { readBySender: true });

  expect(await flagsFor(ophelia, id)).toEqual([]);
  expect(await flagsFor(realm.admin, id)).toEqual(["read", "historical"]);
  expect(await flagsFor(hamlet, id)).toEqual([]);
  expect(await flagsFor(hamlet, readAtOnce)).toEqual(["read"]);
  expect(await flagsFor(ophelia, readAtOnce)).toEqual([]);
});

test.each(["starred", "collapsed", "read"])(
  "%s can be set and cleared, and only what changed is listed",
  async (flag) => {
    const { hamlet, ophelia, channel } = await twoInAChannel();
    const [first, second] = [await sendToChannel(hamlet, channel), await sendToChannel(hamlet, channel)];

    expect(await changed(ophelia, "add", flag, [first])).toEqual([first]);
    expect(await changed(ophelia, "add", flag, [second, first, second])).toEqual([second]);
    expect(await flagsFor(ophelia, first)).toEqual([flag]);
    expect(await changed(ophelia, "remove", flag, [second, first])).toEqual([second, first]);
    expect(await changed(ophelia, "remove", flag, [first])).toEqual([]);
    expect(await flagsFor(ophelia, first)).toEqual([]);
    expect(await flagsFor(hamlet, first)).toEqual([]);
  },
);

test("each participant has their own read state of a direct message, and a sender can mark their own as unread", async () => {
  const { hamlet, ophelia } = await twoInAChannel();
  const id = await sendDirect(hamlet, [ophelia], { readBySender: true });

  expect(await changed(ophelia, "add", "read", [id])).toEqual([id]);
  expect(await changed(hamlet, "remove", "read", [id])).toEqual([id]);

  expect(await flagsFor(hamlet, id)).toEqual([]);
  expect(await flagsFor(ophelia, id)).toEqual(["read"]);
  expect(await changed(hamlet, "add", "read", [id])).toEqual([id]);
  expect(await flagsFor(hamlet, id)).toEqual(["read"]);
});

// spec 4.19: messages, op, flag, response messages; 3.2: op=add, op=remove
test("only the user's own clients receive an event about a change, and none if nothing changed", async () => {
  const { hamlet, ophelia, channel } = await twoInAChannel();
  const [first, second] = [await sendToChannel(hamlet, channel), await sendToChannel(hamlet, channel)];
  const [own, foreign] = [
    await ophelia.register(["update_message_flags"]),
    await hamlet.register(["update_message_flags"]),
  ];
  const event = (op: string, flag: string, messages: number[]) => ({
    type: "update_message_flags",
    op,
    operation: op,
    flag,
    messages,
    all: false,
  });

  await change(ophelia, "add", "starred", [second, first]);
  await change(ophelia, "add", "starred", [first]);
  await change(ophelia, "add", "read", [first]);
  await change(ophelia, "remove", "starred", [first]);
  await change(hamlet, "add", "collapsed", [first]);

  expect(await own.next()).toEqual(event("add", "starred", [first, second]));
  expect(await own.next()).toEqual(event("add", "read", [first]));
  expect(await own.next()).toEqual(event("remove", "starred", [first]));
  expect(await foreign.next()).toEqual(event("add", "collapsed", [first]));
});

test("the event for messages marked as unread contains where they are", async () => {
  const { realm, hamlet, ophelia, channel } = await twoInAChannel();
  const inChannel = await sendToChannel(hamlet, channel, { topic: "" });
  const direct = await sendDirect(hamlet, [ophelia, realm.admin]);
  const note = await sendDirect(ophelia, [ophelia]);
  await change(ophelia, "add", "read", [inChannel, direct, note]);
  const knowing = await ophelia.register(["update_message_flags"]);
  const older = await ophelia.register(["update_message_flags"], [], {
    client_capabilities: { notification_settings_null: true },
  });

  await change(ophelia, "remove", "read", [note, inChannel, direct]);

  const details = (topic: string) => ({
    [inChannel]: { type: "stream", stream_id: channel.id, topic, unmuted_stream_msg: true },
    [direct]: { type: "private", user_ids: [hamlet.id, realm.admin.id].toSorted((a, b) => a - b) },
    [note]: { type: "private", user_ids: [] },
  });
  expect(await knowing.next()).toEqual({
    type: "update_message_flags",
    op: "remove",
    operation: "remove",
    flag: "read",
    messages: [inChannel, direct, note],
    all: false,
    message_details: details(""),
  });
  expect(await older.next()).toMatchObject({ message_details: details("general chat") });
});

// spec 4.19: ignored_because_not_subscribed_channels; 3.2: unread invariant
test("messages of channels the user is not subscribed to cannot become unread, and the response says so", async () => {
  const { realm, hamlet, channel } = await twoInAChannel();
  const outside = await sendToChannel(hamlet, channel);
  const direct = await sendDirect(hamlet, [realm.admin]);
  await change(realm.admin, "add", "read", [direct]);

  expect(await change(realm.admin, "remove", "read", [outside, direct])).toEqual({
    result: "success",
    msg: "",
    messages: [direct],
    ignored_because_not_subscribed_channels: [channel.id],
  });
  expect(await flagsFor(realm.admin, outside)).toEqual(["read", "historical"]);
  expect(await changed(realm.admin, "add", "starred", [outside])).toEqual([outside]);
  expect(await flagsFor(realm.admin, outside)).toEqual(["read", "starred", "historical"]);
  expect(await changed(realm.admin, "add", "read", [outside])).toEqual([]);
});

test("leaving a channel leaves nothing unread, even after coming back", async () => {
  const { hamlet, ophelia, channel } = await twoInAChannel();
  const before = await sendToChannel(hamlet, channel);

  success(await ophelia.call(unsubscribe, { subscriptions: [channel.name] }));
  const between = await sendToChannel(hamlet, channel);
  expect(await flagsFor(ophelia, before)).toEqual(["read"]);
  expect(await change(ophelia, "remove", "read", [before])).toMatchObject({
    messages: [],
    ignored_because_not_subscribed_channels: [channel.id],
  });
  success(await ophelia.call(subscribe, { subscriptions: [{ name: channel.name }] }));
  const after = await sendToChannel(hamlet, channel);

  expect(await flagsFor(ophelia, before)).toEqual(["read"]);
  expect(await flagsFor(ophelia, between)).toEqual(["read", "historical"]);
  expect(await flagsFor(ophelia, after)).toEqual([]);
  expect(await changed(ophelia, "remove", "read", [between])).toEqual([between]);
  expect((await unreadOf(ophelia))?.streams).toEqual([
    { stream_id: channel.id, topic: "talk", unread_message_ids: [between, after] },
  ]);
});

// spec 3.2: flags nobody may change
test("only three flags can be changed, and the error names what is wrong", async () => {
  const { hamlet, channel } = await twoInAChannel();
  const id = await sendToChannel(hamlet, channel);
  const refused = async (op: string, flag: string) => (await change(hamlet, op, flag, [id])).msg;

  for (const flag of [
    "mentioned",
    "stream_wildcard_mentioned",
    "topic_wildcard_mentioned",
    "wildcard_mentioned",
    "has_alert_word",
    "historical",
  ])
    for (const op of ["add", "remove"]) expect(await refused(op, flag)).toBe(`Flag not editable: '${flag}'`);
  expect(await refused("add", "shiny")).toBe("Invalid flag: 'shiny'");
  expect(await refused("add", "")).toBe("Invalid flag: ''");
  expect(await refused("toggle", "starred")).toBe("Invalid message flag operation: 'toggle'");
  expect(await flagsFor(hamlet, id)).toEqual([]);
});

test("one invisible message makes the server refuse a change; a read mark counts only for received messages", async () => {
  const { realm, hamlet, ophelia, channel } = await twoInAChannel();
  const other = await newRealm();
  const secret = await channelOf([hamlet], "secret", { isPrivate: true });
  const [seen, unseen] = [await sendToChannel(hamlet, channel), await sendToChannel(hamlet, secret)];
  const direct = await sendDirect(hamlet, [realm.admin]);
  const foreign = await sendDirect(other.admin, [other.admin]);

  for (const id of [unseen, direct, foreign, 999_999_999, Number.MAX_SAFE_INTEGER]) {
    for (const op of ["add", "remove"]) expect(await change(ophelia, op, "starred", [seen, id])).toEqual(refusal);
    expect(await change(ophelia, "remove", "read", [seen, id])).toEqual(refusal);
  }
  expect(await flagsFor(ophelia, seen)).toEqual([]);
  expect(await changed(ophelia, "add", "read", [unseen, direct, foreign, 999_999_999, seen])).toEqual([seen]);
  expect(await flagsFor(other.admin, foreign)).toEqual([]);
  expect(await changed(ophelia, "add", "starred", [])).toEqual([]);
});

test.each(["starred", "collapsed", "read"])(
  "when eight requests set or clear %s concurrently, each message is changed by one of them",
  async (flag) => {
    const { hamlet, ophelia, channel } = await twoInAChannel();
    const ids = [
      await sendToChannel(ophelia, channel, { readBySender: true }),
      await sendToChannel(hamlet, channel),
      await sendDirect(hamlet, [ophelia]),
    ];
    await change(ophelia, "remove", flag, ids);
    const atOnce = async (op: string) =>
      (await Promise.all(Array.from({ length: 8 }, () => changed(ophelia, op, flag, ids)))).flat();
    const ascending = (list: number[]) => list.toSorted((a, b) => a - b);

    expect(ascending(await atOnce("add"))).toEqual(ids);
    expect(ascending(await atOnce("remove"))).toEqual(ids);
  },
);

test("messages marked concurrently, each by its own request, are all marked", async () => {
  const { hamlet, ophelia, channel } = await twoInAChannel();
  const ids = await Promise.all(Array.from({ length: 24 }, () => sendToChannel(hamlet, channel)));

  const answers = await Promise.all(ids.map((id) => changed(ophelia, "add", "read", [id])));

  expect(answers).toEqual(ids.map((id) => [id]));
  expect(await unreadOf(ophelia)).toMatchObject({ count: 0, streams: [] });
});

test("thousands of messages are changed in one call, with events of moderate size", async () => {
  const { realm, hamlet, ophelia, channel } = await twoInAChannel();
  const first = await sendToChannel(hamlet, channel);
  const { rows } = await sql<{ id: number }>`
    insert into messages (realm_id, conversation_id, topic_id, sender_id, client_id, content, rendered_content)
    select realm_id, conversation_id, topic_id, sender_id, client_id, content, rendered_content
    from messages, generate_series(1, 2500) where id = ${first} returning id`.execute(realm.ctx.db);
  const ids = rows.map((row) => row.id);
  await change(ophelia, "add", "read", ids);
  const queue = await ophelia.register(["update_message_flags"]);

  expect(await changed(ophelia, "remove", "read", ids)).toEqual(ids);

  const emitted: number[] = [];
  while (emitted.length < ids.length) emitted.push(...(await queue.nextOf("update_message_flags")).messages);
  expect(emitted).toEqual(ids);
  expect((await unreadOf(ophelia))?.count).toBe(2501);
});

test("changing flags takes one round trip to the database", async () => {
  const { realm, ophelia, channel } = await twoInAChannel();
  const id = await sendToChannel(ophelia, channel);

  for (const [op, flag] of [
    ["add", "read"],
    ["remove", "read"],
    ["add", "starred"],
    ["remove", "starred"],
  ]) {
    const params = { op: op ?? "", flag: flag ?? "", messages: [id] };
    expect(await statementsOf(realm, () => ophelia.on(1).call(updateMessageFlags, params))).toBe(1);
  }
});

test("registration lists the unread and the starred messages", async () => {
  const { realm, hamlet, ophelia, channel } = await twoInAChannel();
  const inTopic = [
    await sendToChannel(hamlet, channel, { topic: "ghosts" }),
    await sendToChannel(hamlet, channel, { topic: "ghosts" }),
  ];
  const other = await sendToChannel(hamlet, channel, { topic: "Fencing" });
  const pm = await sendDirect(hamlet, [ophelia]);
  const note = await sendDirect(ophelia, [ophelia]);
  const group = await sendDirect(hamlet, [ophelia, realm.admin]);
  await change(ophelia, "add", "starred", [other, inTopic[0] ?? 0]);

  const { state } = await ophelia.register(
    [],
    ["update_message_flags", "message", "starred_messages", "recent_private_conversations"],
  );

  expect(state).toMatchObject({
    starred_messages: [inTopic[0], other],
    max_message_id: group,
    recent_private_conversations: [
      { user_ids: [realm.admin.id, hamlet.id].toSorted((a, b) => a - b), max_message_id: group },
      { user_ids: [], max_message_id: note },
      { user_ids: [hamlet.id], max_message_id: pm },
    ],
    unread_msgs: {
      count: 6,
      pms: [
        { other_user_id: hamlet.id, sender_id: hamlet.id, unread_message_ids: [pm] },
        { other_user_id: ophelia.id, sender_id: ophelia.id, unread_message_ids: [note] },
      ],
      streams: [
        { stream_id: channel.id, topic: "Fencing", unread_message_ids: [other] },
        { stream_id: channel.id, topic: "ghosts", unread_message_ids: inTopic },
      ],
      huddles: [
        {
          user_ids_string: [realm.admin.id, hamlet.id, ophelia.id].toSorted((a, b) => a - b).join(","),
          unread_message_ids: [group],
        },
      ],
      mentions: [],
      old_unreads_missing: false,
    },
  });
  expect((await realm.admin.register([], ["message"])).state).toEqual(
    expect.objectContaining({ max_message_id: group }),
  );
  expect((await realm.admin.register([], ["message"])).state.unread_msgs).toBeUndefined();
});

test("mentions have their own flags and are counted as unread, except mentions of everybody in a muted channel", async () => {
  const { realm, hamlet, ophelia, channel } = await twoInAChannel();
  const { db } = realm.ctx;
  const [personal, toAll, toTopic] = [
    await sendToChannel(hamlet, channel),
    await sendToChannel(hamlet, channel),
    await sendToChannel(hamlet, channel),
  ];
  const row = { user_id: ophelia.id, realm_id: realm.id };
  await db.updateTable("messages").set({ mentions_channel: true }).where("id", "=", toAll).execute();
  await db
    .insertInto("message_flags")
    .values([
      { ...row, message_id: personal, mentioned: true, has_alert_word: true },
      { ...row, message_id: toTopic, topic_wildcard_mentioned: true },
    ])
    .execute();

  expect(await flagsFor(ophelia, personal)).toEqual(["mentioned", "has_alert_word"]);
  expect(await flagsFor(ophelia, toAll)).toEqual(["stream_wildcard_mentioned", "wildcard_mentioned"]);
  expect(await flagsFor(ophelia, toTopic)).toEqual(["topic_wildcard_mentioned", "wildcard_mentioned"]);
  expect(await flagsFor(realm.admin, toAll)).toEqual(["read", "historical"]);
  expect(await unreadOf(ophelia)).toMatchObject({ count: 3, mentions: [personal, toAll, toTopic] });

  await db.updateTable("subscriptions").set({ is_muted: true }).where("user_id", "=", ophelia.id).execute();
  await change(ophelia, "add", "read", [personal, toAll, toTopic]);
  const queue = await ophelia.register(["update_message_flags"]);
  await change(ophelia, "remove", "read", [personal, toAll, toTopic]);

  const where = { type: "stream", stream_id: channel.id, topic: "talk", unmuted_stream_msg: false };
  expect(await queue.next()).toMatchObject({
    message_details: { [personal]: { ...where, mentioned: true }, [toAll]: where, [toTopic]: where },
  });
  expect(await unreadOf(ophelia)).toMatchObject({ count: 0, mentions: [personal] });
});

/** Two channels with a topic for each policy, and messages that mention everybody there. */
async function chosenTopics() {
  const { hamlet, ophelia, channel: loud } = await twoInAChannel();
  const quiet = await channelOf([hamlet, ophelia], "crypt");
  const setChannel = async (value: boolean) =>
    success(
      await ophelia.call(updateSubscriptionSettings, {
        subscription_data: [{ stream_id: quiet.id, property: "is_muted", value }],
      }),
    );
  const choose = async (channel: { id: number }, topic: string, visibility_policy: 0 | 1 | 2 | 3) =>
    success(await ophelia.call(updateUserTopic, { stream_id: channel.id, topic, visibility_policy }));
  await setChannel(true);
  const sent: Record<string, number> = {};
  for (const channel of [loud, quiet])
    for (const [topic, policy] of Object.entries(visibilityPolicies)) {
      await choose(channel, topic, policy);
      sent[`${channel.name} ${topic}`] = await sendToChannel(hamlet, channel, { topic, content: "@**all**" });
    }
  return { hamlet, ophelia, loud, quiet, sent, setChannel, choose };
}

test("a topic's policy takes precedence over its channel's for unread counts and mentions of everybody", async () => {
  const { ophelia, sent } = await chosenTopics();
  const unmuted = [
    sent["elsinore none"],
    sent["elsinore unmuted"],
    sent["elsinore followed"],
    sent["crypt unmuted"],
    sent["crypt followed"],
  ];
  const all = Object.values(sent);

  expect(await unreadOf(ophelia)).toMatchObject({ count: 5, mentions: unmuted });

  await change(ophelia, "add", "read", all);
  const queue = await ophelia.register(["update_message_flags"]);
  await change(ophelia, "remove", "read", all);
  const event = await queue.next();
  const details = event.type === "update_message_flags" && event.op === "remove" ? (event.message_details ?? {}) : {};
  const where = (emitted: "mentioned" | "unmuted_stream_msg") => all.filter((id) => details[id]?.[emitted]);
  expect(where("unmuted_stream_msg")).toEqual(unmuted);
  expect(where("mentioned")).toEqual(unmuted);
  expect(await unreadOf(ophelia)).toMatchObject({ count: 5, mentions: unmuted });
});

test("a client that follows the events recounts when a topic or channel is muted, and applies that to new messages", async () => {
  const { hamlet, ophelia, loud, quiet, setChannel, choose } = await chosenTopics();
  const types: ("message" | "update_message_flags" | "subscription" | "user_topic")[] = [
    "message",
    "update_message_flags",
    "subscription",
    "user_topic",
  ];
  const expectSame = async (queue: Awaited<ReturnType<TestUser["register"]>>, count: number) => {
    const last = await sendDirect(hamlet, [ophelia]);
    const fresh = (await ophelia.register([], types)).state.unread_msgs;
    expect((await queue.followedState(last)).unread_msgs).toEqual(fresh);
    expect(fresh?.count).toBe(count);
  };

  let queue = await ophelia.register(types, types);
  for (const topic of ["NONE", "muted", "followed"]) await sendToChannel(hamlet, loud, { topic, content: "@**all**" });
  for (const topic of ["none", "muted", "Followed"]) await sendToChannel(hamlet, quiet, { topic, content: "@**all**" });
  await expectSame(queue, 9);

  // The events do not say which earlier messages mention everybody, so there are none here.
  await change(
    ophelia,
    "add",
    "read",
    (await unreadOf(ophelia))?.streams.flatMap((one) => one.unread_message_ids) ?? [],
  );
  queue = await ophelia.register(types, types);
  for (const topic of ["none", "muted", "unmuted", "followed"]) {
    await sendToChannel(hamlet, loud, { topic });
    await sendToChannel(hamlet, quiet, { topic });
  }
  await choose(loud, "NONE", 1);
  await choose(loud, "muted", 0);
  await choose(quiet, "followed", 1);
  await choose(quiet, "muted", 2);
  await expectSame(queue, 7);
  queue = await ophelia.register(types, types);
  await setChannel(false);
  await choose(quiet, "unmuted", 0);
  await expectSame(queue, 9);
});

test("a client that follows the events has the same state as a new registration", async () => {
  const { realm, hamlet, ophelia, channel } = await twoInAChannel();
  const earlier = [await sendToChannel(hamlet, channel), await sendDirect(hamlet, [ophelia])];
  const parts = ["message", "update_message_flags", "starred_messages", "recent_private_conversations"];
  const queue = await ophelia.register(["message", "update_message_flags"], parts);

  const unread = await sendToChannel(hamlet, channel, { topic: "new" });
  await change(ophelia, "add", "read", earlier);
  await change(ophelia, "add", "starred", [unread, ...earlier]);
  await change(ophelia, "remove", "starred", earlier);
  await change(ophelia, "remove", "read", earlier);
  await sendDirect(ophelia, [realm.admin, hamlet], { readBySender: true });
  const last = await sendDirect(realm.admin, [ophelia]);

  const followed = await queue.followedState(last);
  const { unread_msgs, starred_messages, recent_private_conversations, max_message_id } = (
    await ophelia.register([], parts)
  ).state;
  expect(followed).toMatchObject({ unread_msgs, starred_messages, recent_private_conversations, max_message_id });
  expect(unread_msgs?.count).toBe(4);
});
