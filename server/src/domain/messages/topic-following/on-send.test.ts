import { sendMessage } from "@skein/api/messages.ts";
import type { UserSettings } from "@skein/api/settings.ts";
import { expect, test } from "vitest";
import { chooseSettings } from "../../../../test/choose-settings.ts";
import { newRealm, success, type TestQueue, type TestUser } from "../../../../test/realm.ts";
import { channelOf, sendToChannel, type TestChannel } from "../../../../test/actions.ts";

type Policy = UserSettings["automatically_follow_topics_policy"];
const [participating, writing, starting, never] = [1, 2, 3, 4] as const;

const settings = (follow: Policy, unmute: Policy, mentioned = false) => ({
  automatically_follow_topics_policy: follow,
  automatically_unmute_topics_in_muted_streams_policy: unmute,
  automatically_follow_topics_where_mentioned: mentioned,
});

async function court() {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await realm.user("Hamlet"), await realm.user("Ophelia")];
  return { realm, hamlet, ophelia, channel: await channelOf([hamlet, ophelia], "elsinore") };
}

async function outcome(user: TestUser, channel: TestChannel, topic: string, content = "words") {
  const params = { type: "channel", to: channel.id, topic, content } as const;
  return success(await user.call(sendMessage, params)).automatic_new_visibility_policy;
}

async function mute(user: TestUser, channel: TestChannel): Promise<void> {
  await user.realm.ctx.db
    .updateTable("subscriptions")
    .set({ is_muted: true })
    .where("user_id", "=", user.id)
    .where("channel_id", "=", channel.id)
    .execute();
}

/** The topics with events before this one, with their policies. */
async function until(queue: TestQueue, mark: string): Promise<[string, number][]> {
  const emitted: [string, number][] = [];
  for (;;) {
    const { topic_name, visibility_policy } = await queue.nextOf("user_topic");
    if (topic_name === mark) return emitted;
    emitted.push([topic_name, visibility_policy]);
  }
}

// spec 3.1: any, sending a message, automatically_follow_topics_policy, followed, automatic_new_visibility_policy, user_topic event
// spec 4.1: automatic_new_visibility_policy
test("a user who starts a topic follows it, and the response says so once", async () => {
  const { hamlet, ophelia, channel } = await court();
  const queue = await hamlet.register(["user_topic"]);
  const others = await ophelia.register(["user_topic"]);

  expect(await outcome(hamlet, channel, "ghosts")).toBe(3);
  expect(await outcome(hamlet, channel, "ghosts")).toBeUndefined();
  expect(await outcome(ophelia, channel, "ghosts")).toBeUndefined();
  expect(await outcome(hamlet, channel, "mark")).toBe(3);
  expect(await outcome(ophelia, channel, "mark of hers")).toBe(3);

  expect(await until(queue, "mark")).toEqual([["ghosts", 3]]);
  expect(await until(others, "mark of hers")).toEqual([]);
});

// spec 3.1: automatically_follow_topics_policy, followed
test.each([
  { follow: participating, started: 3, joined: 3 },
  { follow: writing, started: 3, joined: 3 },
  { follow: starting, started: 3, joined: undefined },
  { follow: never, started: undefined, joined: undefined },
])("the setting $follow decides when a topic is followed", async ({ follow, started, joined }) => {
  const { hamlet, ophelia, channel } = await court();
  await chooseSettings(hamlet, settings(follow, never));
  await sendToChannel(ophelia, channel, { topic: "hers" });

  expect(await outcome(hamlet, channel, "mine")).toBe(started);
  expect(await outcome(hamlet, channel, "hers")).toBe(joined);
});

// spec 3.1: automatically_unmute_topics_in_muted_streams_policy, unmuted
test("writing in a muted channel unmutes the topic, and only there", async () => {
  const { hamlet, ophelia, channel } = await court();
  const loud = await channelOf([hamlet], "loud");
  await chooseSettings(hamlet, settings(never, writing));
  await sendToChannel(ophelia, channel, { topic: "hers" });
  await mute(hamlet, channel);

  expect(await outcome(hamlet, channel, "hers")).toBe(2);
  expect(await outcome(hamlet, channel, "hers")).toBeUndefined();
  expect(await outcome(hamlet, channel, "mine")).toBe(2);
  expect(await outcome(hamlet, loud, "mine")).toBeUndefined();
});

// spec 3.1: followed, unmuted
test("following takes precedence over unmuting, and no automatic change lowers a policy", async () => {
  const { hamlet, channel } = await court();
  await mute(hamlet, channel);
  await chooseSettings(hamlet, settings(writing, writing));

  expect(await outcome(hamlet, channel, "both")).toBe(3);
  await chooseSettings(hamlet, settings(never, writing));
  expect(await outcome(hamlet, channel, "both")).toBeUndefined();
});

// spec 3.1: automatically_follow_topics_where_mentioned, followed
test("a mention makes subscribers follow the topic if they want that", async () => {
  const { realm, hamlet, ophelia, channel } = await court();
  const outsider = await realm.user("Fortinbras");
  const unwilling = await realm.user("Osric");
  await channelOf([unwilling], channel.name);
  await chooseSettings(unwilling, { automatically_follow_topics_where_mentioned: false });
  const queues = await Promise.all([ophelia, outsider, unwilling].map((user) => user.register(["user_topic"])));

  await outcome(hamlet, channel, "called", "@**Ophelia** and @**Fortinbras** and @**Osric**");
  for (const user of [ophelia, outsider, unwilling])
    await sendToChannel(user, channel, { topic: `mark of ${user.fullName}` });

  const emitted = await Promise.all(
    [ophelia, outsider, unwilling].map(({ fullName }, n) => until(queues[n] as TestQueue, `mark of ${fullName}`)),
  );
  expect(emitted).toEqual([[["called", 3]], [], []]);
});

// spec 3.1: sending a message
test("direct messages and bots follow nothing", async () => {
  const { realm, hamlet, ophelia, channel } = await court();
  await chooseSettings(hamlet, settings(writing, writing));
  await realm.ctx.db.updateTable("users").set({ is_bot: true, bot_type: 1 }).where("id", "=", ophelia.id).execute();

  const direct = await hamlet.call(sendMessage, { type: "direct", to: [realm.admin.id], content: "words" });

  expect(success(direct)).not.toHaveProperty("automatic_new_visibility_policy");
  expect(await outcome(ophelia, channel, "made by a bot")).toBeUndefined();
});
