/** Where history is protected, each message keeps the spelling of its topic: see channels/topics/spelling.ts. */
import type { ArgumentsOf } from "@skein/api/client.ts";
import { deleteMessage, deleteTopic } from "@skein/api/deletion.ts";
import { getMessageHistory, updateMessage } from "@skein/api/edits.ts";
import type { Endpoint } from "@skein/api/endpoint.ts";
import type { Event } from "@skein/api/events.ts";
import { getMessages, matchNarrow } from "@skein/api/fetch-messages.ts";
import { updateMessageFlags } from "@skein/api/flags.ts";
import { sendMessage } from "@skein/api/messages.ts";
import { updateSettings } from "@skein/api/settings.ts";
import { subscribe } from "@skein/api/subscriptions.ts";
import { getTopics } from "@skein/api/topics.ts";
import { setEditTypingStatus } from "@skein/api/typing.ts";
import { updateUserTopic } from "@skein/api/user-topics.ts";
import { expect, test } from "vitest";
import { eventsUntilNow } from "../../../test/events-until.ts";
import { newRealm, success, type TestUser } from "../../../test/realm.ts";
import { channelOf, messageFor, sendToChannel, type TestChannel } from "../../../test/actions.ts";

const join = async (by: TestUser, channel: TestChannel, people: TestUser[]) =>
  success(
    await by.call(subscribe, {
      subscriptions: [{ name: channel.name }],
      principals: people.map((person) => person.id),
    }),
  );

/** A channel with protected history, which has topics that the newcomers cannot see. */
async function hiddenTopics() {
  const realm = await newRealm();
  const insider = await realm.user("insider");
  const channel = await channelOf([insider, realm.admin], "board", { isPrivate: true, hasSharedHistory: false });
  const hidden = await sendToChannel(insider, channel, { topic: "Secret Merger" });
  await sendToChannel(insider, channel, { topic: "Other Plan" });
  await sendToChannel(insider, channel, { topic: "Third Thing" });
  const [newcomer, second] = [await realm.user("newcomer"), await realm.user("second")];
  await join(insider, channel, [newcomer, second]);
  return { realm, insider, newcomer, second, channel, hidden };
}

const topicsOf = async (user: TestUser, { id }: TestChannel) =>
  success(await user.call(getTopics, { stream_id: id, allow_empty_topic_name: true })).topics.map(({ name }) => name);
const subjectFor = async (user: TestUser, id: number) => (await messageFor(user, id)).subject;
const rename = async (user: TestUser, message_id: number, topic: string, isTold = false) =>
  success(
    await user.call(updateMessage, {
      message_id,
      topic,
      propagate_mode: "change_all",
      send_notification_to_old_thread: isTold,
      send_notification_to_new_thread: isTold,
    }),
  );
const everything = { anchor: "newest", num_before: 100, num_after: 0 } as const;

// spec 4.1: topic
test("whatever a newcomer does with the name of a hidden topic, they never see its capitals", async () => {
  const { newcomer, second, channel } = await hiddenTopics();
  success(await newcomer.call(updateSettings, { automatically_follow_topics_policy: 1 }));
  const queues = [await newcomer.register(), await second.register()];
  const narrow = [
    { operator: "channel", operand: channel.id },
    { operator: "topic", operand: "SECRET merger" },
  ];
  const seen: unknown[] = [];

  const id = await sendToChannel(newcomer, channel, { topic: "secret merger", content: "merger by word" });
  seen.push(await newcomer.call(getMessages, { ...everything, narrow }));
  seen.push(await newcomer.call(getMessages, { ...everything, narrow: [{ operator: "search", operand: "merger" }] }));
  seen.push(await newcomer.call(matchNarrow, { msg_ids: [id], narrow: [{ operator: "search", operand: "merger" }] }));
  for (const op of ["add", "remove"] as const)
    seen.push(await newcomer.call(updateMessageFlags, { messages: [id], op, flag: "read" }));
  seen.push(await newcomer.call(setEditTypingStatus, { message_id: id, op: "start" }));
  seen.push(await newcomer.call(updateMessage, { message_id: id, content: "merger edited" }));
  seen.push(await newcomer.register(undefined, ["message", "user_topic", "muted_topics"]).then(({ state }) => state));
  await rename(newcomer, id, "sEcret merger", true);
  seen.push(await newcomer.call(getMessageHistory, { message_id: id }));
  await rename(newcomer, id, "other plan", true);
  await rename(newcomer, id, "✔ other plan", true);
  for (const visibility_policy of [1, 3, 0] as const)
    seen.push(
      await newcomer.call(updateUserTopic, { stream_id: channel.id, topic: "sEcret Merger", visibility_policy }),
    );
  seen.push(await topicsOf(newcomer, channel), await topicsOf(second, channel));
  seen.push(await newcomer.register(undefined, ["message", "user_topic", "muted_topics"]).then(({ state }) => state));
  seen.push(await newcomer.call(getMessageHistory, { message_id: id }), await messageFor(second, id));
  seen.push(await newcomer.call(deleteMessage, { message_id: id }));
  seen.push(...(await eventsUntilNow(newcomer.realm, queues)));

  expect(JSON.stringify(seen)).not.toMatch(/Secret Merger|Other Plan|result":"error/);
  expect(JSON.stringify(seen)).toContain("secret merger");
});

test("a message shows its sender's spelling to everybody, and the topic is still one", async () => {
  const { insider, newcomer, channel, hidden } = await hiddenTopics();
  const [own, others] = [await newcomer.register(["message"]), await insider.register(["message"])];

  const guess = await sendToChannel(newcomer, channel, { topic: "secret merger" });
  // A reply, with the topic as the message shows it.
  const reply = await sendToChannel(insider, channel, { topic: "secret merger" });

  for (const queue of [own, others])
    for (const id of [guess, reply])
      expect((await queue.nextOf("message")).message).toMatchObject({ id, subject: "secret merger" });
  for (const user of [newcomer, insider])
    for (const id of [guess, reply]) expect(await subjectFor(user, id)).toBe("secret merger");
  expect(await subjectFor(insider, hidden)).toBe("Secret Merger");
  expect(await topicsOf(newcomer, channel)).toEqual(["secret merger"]);
  expect(await topicsOf(insider, channel)).toEqual(["secret merger", "Third Thing", "Other Plan"]);
  const narrow = [
    { operator: "channel", operand: channel.id },
    { operator: "topic", operand: "SECRET MERGER" },
  ];
  const { messages } = success(await insider.call(getMessages, { ...everything, narrow }));
  expect(messages.map(({ id, subject }) => [id, subject])).toEqual([
    [hidden, "Secret Merger"],
    [guess, "secret merger"],
    [reply, "secret merger"],
  ]);
});

test("newcomers who write at once, on two nodes, each in their own capitals, do not learn each other's", async () => {
  const { insider, newcomer, second, channel } = await hiddenTopics();
  const names = ["secret merger", "New Topic"];
  const write = async (user: TestUser, node: number, topic: string) =>
    success(await user.on(node).call(sendMessage, { type: "channel", to: channel.id, topic, content: "at once" })).id;

  for (const name of names) {
    const written = await Promise.all(
      Array.from({ length: 12 }, (_, n) => {
        const topic = n % 2 === 0 ? name : name.toUpperCase();
        return write(n % 2 === 0 ? newcomer : second, n >> 1, topic).then((id) => ({ id, topic }));
      }),
    );
    for (const { id, topic } of written) expect(await subjectFor(insider, id)).toBe(topic);
  }
  expect((await topicsOf(second, channel)).map((name) => name.toLowerCase())).toEqual(["new topic", "secret merger"]);
});

test("renaming the topic overrides the spelling of its messages", async () => {
  const { insider, newcomer, channel, hidden } = await hiddenTopics();
  const guess = await sendToChannel(newcomer, channel, { topic: "secret merger" });
  const [own, others] = [await newcomer.register(["update_message"]), await insider.register(["update_message"])];

  await rename(insider, hidden, "Public Merger");

  const renamed = { subject: "Public Merger", propagate_mode: "change_all" };
  const ofGuess = { ...renamed, message_ids: [guess], message_id: guess, orig_subject: "secret merger" };
  expect(await own.next()).toMatchObject(ofGuess);
  expect(await others.next()).toMatchObject({ ...renamed, message_ids: [hidden], orig_subject: "Secret Merger" });
  expect(await others.next()).toMatchObject(ofGuess);
  for (const id of [hidden, guess]) expect(await subjectFor(insider, id)).toBe("Public Merger");
  const { message_history } = success(await newcomer.call(getMessageHistory, { message_id: guess }));
  expect(message_history).toMatchObject([
    { topic: "secret merger" },
    { topic: "Public Merger", prev_topic: "secret merger" },
  ]);
  await rename(insider, hidden, "Secret Merger");
  expect(await subjectFor(newcomer, guess)).toBe("Secret Merger");
  await rename(insider, guess, "secret MERGER");
  expect(await subjectFor(newcomer, guess)).toBe("secret MERGER");
});

test("messages that move to another channel keep their spelling where history is protected, and lose it elsewhere", async () => {
  const { realm, insider, newcomer, second, channel, hidden } = await hiddenTopics();
  const closed = await channelOf([insider, newcomer], "closed", { isPrivate: true, hasSharedHistory: false });
  const open = await channelOf([insider, newcomer], "open");
  await sendToChannel(insider, closed, { topic: "SECRET merger" });
  const guess = await sendToChannel(newcomer, channel, { topic: "secret merger" });
  const lost = await second.register(["delete_message", "update_message"]);
  const move = async (message_id: number, to: TestChannel) =>
    success(await realm.admin.call(updateMessage, { message_id, stream_id: to.id, propagate_mode: "change_all" }));
  await join(insider, closed, [realm.admin]);

  await move(hidden, closed);

  expect(await lost.next()).toMatchObject({ type: "delete_message", message_ids: [guess], topic: "secret merger" });
  expect(await subjectFor(newcomer, guess)).toBe("secret merger");
  expect(await subjectFor(insider, hidden)).toBe("Secret Merger");
  await move(guess, open);
  expect(await subjectFor(second, guess)).toBe("secret merger");
  const last = await sendToChannel(insider, open, { topic: "SECRET MERGER" });
  expect(await subjectFor(second, last)).toBe("secret merger");
});

test("deletions name each message's own spelling", async () => {
  const { realm, insider, newcomer, channel, hidden } = await hiddenTopics();
  const guesses = [
    await sendToChannel(newcomer, channel, { topic: "secret merger" }),
    await sendToChannel(newcomer, channel, { topic: "secret MERGER" }),
  ];
  const [own, others] = [
    await newcomer.register(["delete_message", "subscription"]),
    await insider.register(["delete_message", "subscription"]),
  ];

  success(await realm.admin.call(deleteTopic, { stream_id: channel.id, topic_name: "secret merger" }));

  const [ofNewcomer = [], ofInsider = []] = await eventsUntilNow(realm, [own, others]);
  const named = (events: Omit<Event, "id">[]) =>
    new Set(
      events.map((event) => ("message_ids" in event && "topic" in event ? [event.message_ids, event.topic] : [])),
    );
  const ofGuesses = [
    [[guesses[0]], "secret merger"],
    [[guesses[1]], "secret MERGER"],
  ];
  expect(named(ofNewcomer)).toEqual(new Set(ofGuesses));
  expect(named(ofInsider)).toEqual(new Set([[[hidden], "Secret Merger"], ...ofGuesses]));
});

test("unread messages of a topic are listed together, by the newest spelling", async () => {
  const { insider, newcomer, second, channel } = await hiddenTopics();
  const parts = ["message", "update_message_flags", "subscription", "stream", "user_topic"];
  const queue = await second.register(undefined, parts);
  const ids = [
    await sendToChannel(newcomer, channel, { topic: "secret merger" }),
    await sendToChannel(insider, channel, { topic: "SECRET MERGER" }),
    await sendToChannel(newcomer, channel, { topic: "secret MERGER" }),
  ];

  const { state } = await second.register([], parts);
  const followed = await queue.followedState(ids[2] ?? 0);

  const unread = [{ stream_id: channel.id, topic: "secret MERGER", unread_message_ids: ids }];
  expect(state.unread_msgs?.streams).toEqual(unread);
  expect(followed.unread_msgs?.streams).toEqual(unread);
});

test("a topic's visibility is shown to each user in their own spelling", async () => {
  const { insider, newcomer, channel } = await hiddenTopics();
  const choose = async (user: TestUser, topic: string, visibility_policy: 0 | 1 | 2 | 3) =>
    success(await user.call(updateUserTopic, { stream_id: channel.id, topic, visibility_policy }));
  const [own, others] = [await newcomer.register(["user_topic"]), await insider.register(["user_topic"])];
  const chosen = async (user: TestUser) => {
    const { state } = await user.register([], ["user_topic"]);
    return state.user_topics?.map(({ topic_name, visibility_policy }) => [topic_name, visibility_policy]);
  };

  await choose(newcomer, "secret merger", 3);
  await choose(insider, "Secret Merger", 1);

  expect(await own.next()).toMatchObject({ topic_name: "secret merger", visibility_policy: 3 });
  expect(await others.next()).toMatchObject({ topic_name: "Secret Merger", visibility_policy: 1 });
  expect(await chosen(newcomer)).toEqual([["secret merger", 3]]);
  expect(await chosen(insider)).toContainEqual(["Secret Merger", 1]);
  await choose(newcomer, "SECRET MERGER", 0);
  expect(await own.next()).toMatchObject({ topic_name: "secret merger", visibility_policy: 0 });
});

/** A newcomer writes to topics, moves messages between them and chooses their visibility: all that they see of it. */
async function actsOn(names: [string, string, string]) {
  const { realm, newcomer, channel } = await hiddenTopics();
  const [first, second, third] = names;
  const queue = await newcomer.register();
  const seen: unknown[] = [];
  const see = async <E extends Endpoint>(endpoint: E, params: ArgumentsOf<E>) => {
    const answer = success(await newcomer.call(endpoint, params));
    seen.push(answer);
    return answer;
  };
  const write = async (topic: string) =>
    (await see(sendMessage, { type: "channel", to: channel.id, topic, content: "words" })).id;
  const choose = (topic: string, visibility_policy: 0 | 1 | 2 | 3) =>
    see(updateUserTopic, { stream_id: channel.id, topic, visibility_policy });
  const move = (message_id: number, topic: string, propagate_mode: "change_one" | "change_all" = "change_all") =>
    see(updateMessage, { message_id, topic, propagate_mode, send_notification_to_old_thread: true });

  const id = await write(first);
  await move(id, first.toUpperCase());
  await choose(first, 1);
  await move(id, second);
  await move(id, `✔ ${second}`);
  await choose(third, 3);
  await choose(third, 0);
  const rest = [await write(third), await write(third)];
  await move(rest[0] ?? 0, first, "change_one");
  await see(getMessageHistory, { message_id: id });
  await see(getMessages, { ...everything, narrow: [{ operator: "channel", operand: channel.id }] });
  await see(getTopics, { stream_id: channel.id, allow_empty_topic_name: true });
  const { state } = await newcomer.register([], ["message", "user_topic", "muted_topics"]);
  seen.push(state.unread_msgs?.streams, state.user_topics, state.muted_topics);
  const [events = []] = await eventsUntilNow(realm, [queue]);
  // The notification bot tells newcomers at some time that they were subscribed.
  seen.push(events.filter((event) => !JSON.stringify(event).includes('"type":"private"')));
  const hosts = new RegExp(`[^" ]*${realm.host}|${realm.host.split(".")[0]}`, "g");
  return names.reduce(
    (text, name, n) => text.replaceAll(name, `topic ${n}`).replaceAll(name.toUpperCase(), `TOPIC ${n}`),
    JSON.stringify(seen, comparably(hosts)),
  );
}

/** For JSON of two organizations: messages are numbered by their first occurrence, and other ids, times and names of hosts left out. */
function comparably(hosts: RegExp) {
  const ids = new Map<number, number>();
  return (key: string, value: unknown) => {
    if (typeof value === "string") return value.replaceAll(hosts, "host").replaceAll(/\d+/g, "#");
    if (typeof value !== "number" || key.endsWith("policy")) return value;
    if (/timestamp|last_updated|(user|sender|stream|recipient)_id$/.test(key) || value > 1e9) return "#";
    if (!ids.has(value)) ids.set(value, ids.size);
    return ids.get(value);
  };
}

test("whether a topic is hidden or does not exist makes no difference to a newcomer", async () => {
  const [hidden, absent] = [
    await actsOn(["secret merger", "other plan", "third thing"]),
    await actsOn(["no such topic", "nor this one", "or this"]),
  ];

  const objects = (text: string) => text.split("{");
  expect(objects(hidden)).toEqual(objects(absent));
  expect(hidden).toContain('"automatic_new_visibility_policy":3');
});
