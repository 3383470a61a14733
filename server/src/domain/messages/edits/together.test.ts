/**
 * Everything that can happen to messages, concurrently and on two nodes. In whatever order it happens, a client that
 * followed the events has the same state as a fresh one; the place of each message and how often it was changed match
 * the events in order; and the unread messages match a plain model of who did what. TOGETHER_ROUNDS=500 runs for
 * longer.
 */
import { deleteMessage } from "@skein/api/deletion.ts";
import { updateMessage } from "@skein/api/edits.ts";
import type { Event } from "@skein/api/events.ts";
import { getMessages } from "@skein/api/fetch-messages.ts";
import { updateMessageFlags } from "@skein/api/flags.ts";
import { addReaction } from "@skein/api/reactions.ts";
import type { RegistrationState } from "@skein/api/registration.ts";
import { updateSettings } from "@skein/api/settings.ts";
import { expect, test } from "vitest";
import { newRealm, success, type TestQueue, type TestUser } from "../../../../test/realm.ts";
import { channelOf, sendToChannel, type TestChannel } from "../../../../test/actions.ts";
import { Random } from "../../../../test/sum/random.ts";

const rounds = Number(process.env["TOGETHER_ROUNDS"] ?? 12);
/** The seed makes the choices repeatable, though not their timing. */
const seed = Number(process.env["TOGETHER_SEED"] ?? Date.now() % 2 ** 31);
const actsPerRound = 12;
const parts = ["message", "update_message_flags", "starred_messages", "subscription", "stream", "user_topic"];
/** How many changes a page is sure to contain. */
const maxChanges = 250;
const topics = ["one", "two", "three", "✔ one"];

const unreadIds = ({ unread_msgs }: RegistrationState): number[] =>
  (unread_msgs?.streams ?? []).flatMap((topic) => topic.unread_message_ids).toSorted((a, b) => a - b);

test(
  `after concurrent changes of any kind, every client and every count is right (seed ${seed})`,
  {
    timeout: 30_000 + rounds * 5000,
  },
  async () => {
    const random = new Random(seed);
    const realm = await newRealm();
    const [writer, other, reader, partial] = [
      await realm.user("writer"),
      await realm.user("other"),
      await realm.user("reader"),
      await realm.user("partial"),
    ];
    // Otherwise notices that a topic was resolved would be read, except in followed topics.
    for (const user of [reader, partial])
      success(await user.call(updateSettings, { resolved_topic_notice_auto_read_policy: "never" }));
    const court = await channelOf([writer, other, reader, partial], "court");
    const garden = await channelOf([writer, other, reader], "garden");
    const observer = await reader.register(["message", "update_message", "delete_message"]);
    const sent: number[] = [];
    const read = { reader: new Set<number>(), partial: new Set<number>() };
    const deleted = new Set<number>();
    const someWriter = () => random.oneOf([writer, other]);
    const write = async () => {
      const to = random.oneOf([court, garden]);
      sent.push(await sendToChannel(someWriter(), to, { topic: random.oneOf(topics), readBySender: true }));
    };
    for (let n = 0; n < 10; n++) await write();
    const followers = await Promise.all(
      [writer, other, reader, partial].map((user) => user.register(undefined, parts)),
    );

    const some = () => random.oneOf(sent) ?? 0;
    const node = () => random.below(2);
    const markRead = async (user: TestUser, into: Set<number>) => {
      const messages = [some(), some()];
      const answer = await user.on(node()).call(updateMessageFlags, { messages, op: "add", flag: "read" });
      for (const id of answer.result === "success" ? answer.messages : []) into.add(id);
    };
    const move = (channel?: TestChannel) =>
      someWriter()
        .on(node())
        .call(updateMessage, {
          message_id: some(),
          topic: random.oneOf(topics),
          ...(channel ? { stream_id: channel.id } : {}),
          propagate_mode: random.oneOf(["change_one", "change_later", "change_all"] as const),
          send_notification_to_new_thread: false,
        });
    const acts: [() => Promise<unknown>, ...(() => Promise<unknown>)[]] = [
      write,
      write,
      () => move(),
      () => move(random.oneOf([court, garden])),
      () => writer.on(node()).call(updateMessage, { message_id: some(), content: `@**${reader.fullName}**` }),
      () => markRead(reader, read.reader),
      () => markRead(partial, read.partial),
      () => reader.on(node()).call(addReaction, { message_id: some(), emoji_name: "tada" }),
      () => reader.on(node()).call(updateMessageFlags, { messages: [some()], op: "add", flag: "starred" }),
      async () => {
        const id = some();
        const answer = await random.oneOf([writer, realm.admin]).on(node()).call(deleteMessage, { message_id: id });
        if (answer.result === "success") deleted.add(id);
      },
    ];
    for (let round = 0; round < rounds; round++)
      await Promise.all(Array.from({ length: actsPerRound }, () => random.oneOf(acts)()));
    const last = await sendToChannel(writer, court, { topic: "end", readBySender: true });

    const fresh = await Promise.all(followers.map(({ user }) => user.register([], parts)));
    for (const [index, follower] of followers.entries()) {
      const { max_message_id: _, ...followed } = await follower.followedState(last);
      const { max_message_id: __, ...known } = { ...fresh[index]?.state, user_id: follower.user.id };
      expect(followed).toEqual(known);
    }
    const events = await eventsUntil(observer, last);
    expect(await historiesFor(reader)).toEqual(historiesOf(events));
    const visitors = visitorsOf(garden, events);
    // Notices that a topic was resolved are messages, too.
    const messages = events.filter((event) => event.type === "message").map((event) => event.message);
    const there = messages.filter(({ id }) => !deleted.has(id));
    const [, , ofReader, ofPartial] = fresh.map(({ state }) => unreadIds(state));
    expect(ofReader).toEqual(idsOf(there).filter((id) => !read.reader.has(id)));
    const inCourt = idsOf(there.filter(({ stream_id }) => stream_id === court.id));
    expect(ofPartial).toEqual(inCourt.filter((id) => !read.partial.has(id) && !visitors.has(id)));
  },
);

interface History {
  id: number;
  place: string;
  changes: number;
}

const placeOf = (channel: number | undefined, topic: string): string => `${channel} ${topic}`;

/** The place of each message, and how often it was changed, according to the server. */
async function historiesFor(user: TestUser): Promise<History[]> {
  const params = { anchor: "newest", num_before: 5000, num_after: 0, allow_empty_topic_name: true } as const;
  const { messages } = success(await user.call(getMessages, params));
  return messages.map(({ id, stream_id, subject, edit_history = [] }) => ({
    id,
    place: placeOf(stream_id, subject),
    changes: Math.min(edit_history.length, maxChanges),
  }));
}

/** The same, according to a client that received all events. */
function historiesOf(events: Event[]): History[] {
  const places = new Map<number, { channel: number | undefined; topic: string; changes: number }>();
  for (const event of events) {
    if (event.type === "message")
      places.set(event.message.id, { channel: event.message.stream_id, topic: event.message.subject, changes: 0 });
    if (event.type === "delete_message") for (const id of event.message_ids ?? []) places.delete(id);
    if (event.type !== "update_message") continue;
    for (const id of event.message_ids) {
      const { channel, topic, changes } = places.get(id) ?? { channel: 0, topic: "", changes: 0 };
      places.set(id, {
        channel: event.new_stream_id ?? channel,
        topic: event.subject ?? topic,
        changes: Math.min(changes + 1, maxChanges),
      });
    }
  }
  return [...places]
    .map(([id, { channel, topic, changes }]) => ({ id, place: placeOf(channel, topic), changes }))
    .toSorted((a, b) => a.id - b.id);
}

/** All events up to the one of this message. */
async function eventsUntil(queue: TestQueue, lastMessageId: number): Promise<Event[]> {
  const events: Event[] = [];
  for (;;) {
    const event = await queue.next();
    events.push(event);
    if (event.type === "message" && event.message.id === lastMessageId) return events;
  }
}

const idsOf = (messages: { id: number }[]): number[] => messages.map(({ id }) => id).toSorted((a, b) => a - b);

/** The messages that were moved to a channel at some time. */
function visitorsOf({ id }: TestChannel, events: Event[]): Set<number> {
  const moves = events.filter((event) => event.type === "update_message").filter((event) => event.new_stream_id === id);
  return new Set(moves.flatMap((event) => event.message_ids));
}
