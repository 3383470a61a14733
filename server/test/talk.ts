/** What people do most in tests: make a channel, write in it, read. */
import type { MessageObject } from "@skein/api/messages.ts";
import { getMessage, sendMessage } from "@skein/api/messages.ts";
import { getSubscriptions, subscribe } from "@skein/api/subscriptions.ts";
import { success, type TestUser } from "./realm.ts";

export interface TestChannel {
  id: number;
  name: string;
}

interface ChannelOptions {
  isPrivate?: boolean;
  /** Those who join later see what was written before. */
  hasSharedHistory?: boolean;
}

/** A channel with these people in it; the first makes it. */
export async function channelOf(
  [maker, ...others]: [TestUser, ...TestUser[]],
  name: string,
  { isPrivate = false, hasSharedHistory = true }: ChannelOptions = {},
): Promise<TestChannel> {
  const people = [maker, ...others].map((user) => user.id);
  success(
    await maker.call(subscribe, {
      subscriptions: [{ name }],
      principals: people,
      invite_only: isPrivate,
      history_public_to_subscribers: hasSharedHistory,
    }),
  );
  const { subscriptions } = success(await maker.call(getSubscriptions, {}));
  const made = subscriptions.find((channel) => channel.name === name);
  if (!made) throw new Error(`${name} was not made`);
  return { id: made.stream_id, name };
}

/** A channel with its maker alone in it; its id. */
export async function newChannel(
  user: TestUser,
  name: string,
  settings: { invite_only?: boolean } = {},
): Promise<number> {
  success(await user.call(subscribe, { subscriptions: [{ name }], ...settings }));
  const { id } = await user.realm.ctx.db
    .selectFrom("channels")
    .select("id")
    .where("realm_id", "=", user.realm.id)
    .where("name", "=", name)
    .executeTakeFirstOrThrow();
  return id;
}

/** Writes in a channel; the message's id. What a test writes is unread for its writer, unless they say otherwise. */
export async function say(
  user: TestUser,
  channel: TestChannel,
  { topic = "talk", content = "words", readBySender = false } = {},
): Promise<number> {
  const params = { type: "channel", to: channel.id, topic, content, read_by_sender: readBySender } as const;
  return success(await user.call(sendMessage, params)).id;
}

/** Writes to people directly; the message's id. */
export async function tell(
  user: TestUser,
  people: TestUser[],
  { content = "words", readBySender = false } = {},
): Promise<number> {
  const to = people.map((person) => person.id);
  return success(await user.call(sendMessage, { type: "direct", to, content, read_by_sender: readBySender })).id;
}

export async function messageFor(user: TestUser, id: number): Promise<MessageObject> {
  return success(await user.call(getMessage, { message_id: id })).message;
}

export const flagsFor = async (user: TestUser, id: number): Promise<string[]> => (await messageFor(user, id)).flags;
