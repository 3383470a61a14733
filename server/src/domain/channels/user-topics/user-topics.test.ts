import { unsubscribe } from "@skein/api/subscriptions.ts";
import { muteTopic, updateUserTopic, type UserTopic } from "@skein/api/user-topics.ts";
import { expect, test } from "vitest";
import { newRealm, success, type TestUser } from "../../../../test/realm.ts";
import { channelOf, sendToChannel, sendDirect } from "../../../../test/actions.ts";

const choose = (user: TestUser, stream_id: number, topic: string, visibility_policy: 0 | 1 | 2 | 3) =>
  user.call(updateUserTopic, { stream_id, topic, visibility_policy });
const kept = async (user: TestUser): Promise<UserTopic[]> =>
  (await user.register([], ["user_topic"])).state.user_topics ?? [];
const anInteger = expect.any(Number) as number;

// spec 4.7: stream_id, topic, visibility_policy, 0, 1, 2, 3
// spec 3.1: any, POST /user_topics, V, topic has no messages
// spec 6: user_topic
test("a policy is stored even for a topic without messages, sent only to the user's own clients, and undone by 0", async () => {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
  const channel = await channelOf([hamlet, ophelia], "elsinore");
  const queue = await hamlet.register(["user_topic"]);
  const others = await ophelia.register(["user_topic", "message"]);

  for (const policy of [1, 2, 3] as const) {
    success(await choose(hamlet, channel.id, "ghosts", policy));
    const row = { stream_id: channel.id, topic_name: "ghosts", last_updated: anInteger, visibility_policy: policy };
    expect(await queue.next()).toEqual({ type: "user_topic", ...row });
    expect(await kept(hamlet)).toEqual([row]);
  }
  success(await choose(hamlet, channel.id, "GHOSTS", 0));

  expect(await queue.next()).toMatchObject({ topic_name: "ghosts", visibility_policy: 0 });
  expect(await kept(hamlet)).toEqual([]);
  const mark = await sendDirect(hamlet, [ophelia]);
  expect(await others.next()).toMatchObject({ type: "message", message: { id: mark } });
});

// spec 4.7: visibility_policy
test("setting the current policy again emits no event", async () => {
  const realm = await newRealm();
  const channel = await channelOf([realm.admin], "elsinore");
  const queue = await realm.admin.register(["user_topic"]);

  success(await choose(realm.admin, channel.id, "ghosts", 0));
  const responses = await Promise.all(
    Array.from({ length: 8 }, (_, node) =>
      realm.admin.on(node).call(updateUserTopic, { stream_id: channel.id, topic: "ghosts", visibility_policy: 3 }),
    ),
  );
  success(await choose(realm.admin, channel.id, "mark", 1));

  expect(responses.map((response) => response.result)).toEqual(Array.from({ length: 8 }, () => "success"));
  expect(await queue.next()).toMatchObject({ topic_name: "ghosts", visibility_policy: 3 });
  expect(await queue.next()).toMatchObject({ topic_name: "mark" });
});

// spec 4.7: stream_id, topic, visibility_policy, bounded by max_topic_length
test("invalid values are refused, and an inaccessible channel is refused like a nonexistent one", async () => {
  const realm = await newRealm();
  const [hamlet, guest] = [await realm.user("hamlet"), await realm.user("guest", { role: 600 })];
  const hidden = await channelOf([realm.admin], "council", { isPrivate: true });
  const open = await channelOf([realm.admin], "square");
  const other = await channelOf([(await newRealm()).admin], "abroad");

  for (const [user, id] of [
    [hamlet, hidden.id],
    [hamlet, other.id],
    [hamlet, 999_999_999],
    [guest, open.id],
  ] as const)
    for (const policy of [0, 1] as const)
      expect(await choose(user, id, "x", policy)).toMatchObject({ code: "BAD_REQUEST", msg: "Invalid channel ID" });
  const form = { stream_id: String(open.id), topic: "x", visibility_policy: "1" };
  const send = (change: Record<string, string>) => hamlet.request("POST", "/user_topics", { ...form, ...change });
  expect(await send({ visibility_policy: "4" })).toMatchObject({ msg: "Invalid visibility_policy" });
  expect(await send({ visibility_policy: "x" })).toMatchObject({ msg: "visibility_policy is not valid JSON" });
  expect(await send({ topic: "x".repeat(61) })).toMatchObject({ msg: "topic is too long (limit: 60 characters)" });
  expect(await send({ topic: "a\0b" })).toMatchObject({ msg: "Invalid character in topic, at position 2!" });
  expect(await send({ topic: "x".repeat(60) })).toMatchObject({ result: "success" });
});

// spec 4.7: realm_empty_topic_display_name
test("the empty topic has the name that the client supports", async () => {
  const realm = await newRealm();
  const channel = await channelOf([realm.admin], "elsinore");
  const old = { client_capabilities: { notification_settings_null: true } };
  const modern = await realm.admin.register(["user_topic"]);
  const older = await realm.admin.register(["user_topic"], [], old);

  success(await choose(realm.admin, channel.id, "general chat", 3));

  expect(await modern.next()).toMatchObject({ topic_name: "" });
  expect(await older.next()).toMatchObject({ topic_name: "general chat" });
  const { state } = await realm.admin.register([], ["user_topic"], old);
  expect(state.user_topics).toMatchObject([{ topic_name: "general chat" }]);
});

test("older clients receive muted topics, unless they request the newer event type", async () => {
  const realm = await newRealm();
  const channel = await channelOf([realm.admin], "elsinore");
  const old = await realm.admin.register(["muted_topics"], ["muted_topics"]);
  const both = await realm.admin.register(["muted_topics", "user_topic"], ["muted_topics", "user_topic"]);

  success(await realm.admin.call(muteTopic, { stream: "ELSINORE", topic: "ghosts", op: "add" }));
  success(await choose(realm.admin, channel.id, "watch", 3));
  success(await realm.admin.call(muteTopic, { stream_id: channel.id, topic: "ghosts", op: "remove" }));

  expect(old.state.muted_topics).toEqual([]);
  expect(both.state).not.toHaveProperty("muted_topics");
  expect(await old.next()).toEqual({ type: "muted_topics", muted_topics: [["elsinore", "ghosts", anInteger]] });
  expect(await old.next()).toEqual({ type: "muted_topics", muted_topics: [] });
  expect(await both.next()).toMatchObject({ type: "user_topic", visibility_policy: 1 });
  expect(await both.next()).toMatchObject({ type: "user_topic", visibility_policy: 3 });
  expect(await both.next()).toMatchObject({ type: "user_topic", visibility_policy: 0 });
});

test("after concurrent mutes and unmutes on two nodes the last event lists the stored muted topics", async () => {
  const realm = await newRealm();
  const channel = await channelOf([realm.admin], "elsinore");
  const topics = Array.from({ length: 12 }, (_, index) => `topic ${index}`);
  for (const topic of topics.slice(0, 4)) success(await choose(realm.admin, channel.id, topic, 1));
  const queue = await realm.admin.register(["muted_topics", "message"], ["muted_topics"]);

  await Promise.all(
    topics.map(async (topic, index) =>
      success(
        await realm.admin
          .on(index)
          .call(updateUserTopic, { stream_id: channel.id, topic, visibility_policy: index < 4 ? 0 : 1 }),
      ),
    ),
  );

  const { muted_topics } = await queue.followedState(await sendDirect(realm.admin, [realm.admin]));
  expect(muted_topics).toHaveLength(8);
  expect(muted_topics).toEqual((await realm.admin.register([], ["muted_topics"])).state.muted_topics);
});

test("the old mute endpoint takes exactly one channel, which the user must be able to read", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const hidden = await channelOf([realm.admin], "council", { isPrivate: true });
  const mute = (form: Record<string, string>) =>
    hamlet.request("PATCH", "/users/me/subscriptions/muted_topics", { topic: "x", op: "add", ...form });

  expect(await mute({})).toMatchObject({ code: "REQUEST_VARIABLE_MISSING", var_name: "stream_id" });
  expect(await mute({ stream: "a", stream_id: "1" })).toMatchObject({ parameters: "stream_id, stream" });
  expect(await mute({ stream: hidden.name })).toMatchObject({ msg: "Invalid channel name 'council'" });
  expect(await mute({ stream: "nowhere" })).toMatchObject({ msg: "Invalid channel name 'nowhere'" });
  expect(await mute({ stream_id: String(hidden.id) })).toMatchObject({ msg: "Invalid channel ID" });
});

test("a policy is hidden along with its channel, and can still be undone", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const channel = await channelOf([realm.admin, hamlet], "council", { isPrivate: true });
  success(await choose(hamlet, channel.id, "plots", 3));
  const queue = await hamlet.register(["user_topic"]);

  const subscriptions = [channel.name];
  success(await realm.admin.call(unsubscribe, { subscriptions, principals: [hamlet.id] }));

  expect(await kept(hamlet)).toEqual([]);
  success(await choose(hamlet, channel.id, "plots", 0));
  expect(await queue.next()).toMatchObject({ visibility_policy: 0 });
  expect(await choose(hamlet, channel.id, "plots", 0)).toMatchObject({ msg: "Invalid channel ID" });
});

test("a client that applied the events has the same state as a fresh registration", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const [first, second] = [await channelOf([hamlet], "first"), await channelOf([hamlet], "second")];
  const parts = ["user_topic", "stream", "subscription"];
  const queue = await hamlet.register(undefined, parts);

  success(await choose(hamlet, second.id, "beta", 1));
  success(await choose(hamlet, second.id, "alpha", 2));
  success(await choose(hamlet, first.id, "gamma", 3));
  success(await choose(hamlet, second.id, "BETA", 3));
  success(await choose(hamlet, first.id, "gamma", 0));
  const mark = await sendToChannel(hamlet, first, { topic: "mark" });

  const followed = await queue.followedState(mark);
  const fresh = await hamlet.register([], parts);
  expect(followed.user_topics).toEqual(fresh.state.user_topics);
  expect(followed.user_topics).toHaveLength(3);
});
