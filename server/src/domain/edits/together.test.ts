/**
 * Everything that can happen to messages, at once and on two nodes. Whatever the order was, a client that followed knows
 * what one knows that comes afterwards, and what is unread is what a plain account of who did what says.
 */
import { deleteMessage } from "@skein/api/deletion.ts";
import { updateMessage } from "@skein/api/edits.ts";
import type { QueuedEvent } from "@skein/api/events.ts";
import { updateMessageFlags } from "@skein/api/flags.ts";
import { addReaction } from "@skein/api/reactions.ts";
import type { RegistrationState } from "@skein/api/registration.ts";
import { expect, test } from "vitest";
import { newRealm, type TestUser } from "../../../test/realm.ts";
import { channelOf, say, type TestChannel } from "../../../test/talk.ts";
import { Random } from "../../../test/sum/random.ts";

const rounds = 12;
const actsPerRound = 12;
const parts = ["message", "update_message_flags", "starred_messages", "subscription", "stream", "user_topic"];
const topics = ["one", "two", "three", "✔ one"];

const unreadIds = ({ unread_msgs }: RegistrationState): number[] =>
  (unread_msgs?.streams ?? []).flatMap((topic) => topic.unread_message_ids).toSorted((a, b) => a - b);

test("whatever happens to messages at once, every client and every count is right afterwards", async () => {
  const random = new Random(11);
  const realm = await newRealm();
  const [writer, reader, partial] = [
    await realm.user("writer"),
    await realm.user("reader"),
    await realm.user("partial"),
  ];
  const court = await channelOf([writer, reader, partial], "court");
  const garden = await channelOf([writer, reader], "garden");
  const observer = await reader.register(["message", "update_message"]);
  const sent: number[] = [];
  const read = { reader: new Set<number>(), partial: new Set<number>() };
  const deleted = new Set<number>();
  const write = async () => {
    const to = random.oneOf([court, garden]);
    sent.push(await say(writer, to, { topic: random.oneOf(topics), readBySender: true }));
  };
  for (let n = 0; n < 10; n++) await write();
  const followers = await Promise.all([writer, reader, partial].map((user) => user.register(undefined, parts)));

  const some = () => random.oneOf(sent) ?? 0;
  const node = () => random.below(2);
  const markRead = async (user: TestUser, into: Set<number>) => {
    const messages = [some(), some()];
    const answer = await user.on(node()).call(updateMessageFlags, { messages, op: "add", flag: "read" });
    for (const id of answer.result === "success" ? answer.messages : []) into.add(id);
  };
  const move = (channel?: TestChannel) =>
    writer.on(node()).call(updateMessage, {
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
      const answer = await writer.on(node()).call(deleteMessage, { message_id: id });
      if (answer.result === "success") deleted.add(id);
    },
  ];
  for (let round = 0; round < rounds; round++)
    await Promise.all(Array.from({ length: actsPerRound }, () => random.oneOf(acts)()));
  const last = await say(writer, court, { topic: "end", readBySender: true });

  const fresh = await Promise.all(followers.map(({ user }) => user.register([], parts)));
  for (const [index, follower] of followers.entries()) {
    const { max_message_id: _, ...followed } = await follower.followedState(last);
    const { max_message_id: __, ...known } = { ...fresh[index]?.state, user_id: follower.user.id };
    expect(followed).toEqual(known);
  }
  const told = await observer.all();
  const visitors = visitorsOf(garden, told);
  // Notices that a topic was resolved are messages, too.
  const messages = told.filter((event) => event.type === "message").map((event) => event.message);
  const there = messages.filter(({ id }) => !deleted.has(id));
  const [, ofReader, ofPartial] = fresh.map(({ state }) => unreadIds(state));
  expect(ofReader).toEqual(idsOf(there).filter((id) => !read.reader.has(id)));
  const inCourt = idsOf(there.filter(({ stream_id }) => stream_id === court.id));
  expect(ofPartial).toEqual(inCourt.filter((id) => !read.partial.has(id) && !visitors.has(id)));
  expect(visitors.size).toBeGreaterThan(0);
});

const idsOf = (messages: { id: number }[]): number[] => messages.map(({ id }) => id).toSorted((a, b) => a - b);

/** The messages that were moved to a channel at some time. */
function visitorsOf({ id }: TestChannel, events: QueuedEvent[]): Set<number> {
  const moves = events.filter((event) => event.type === "update_message").filter((event) => event.new_stream_id === id);
  return new Set(moves.flatMap((event) => event.message_ids));
}
