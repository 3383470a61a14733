/** The most common actions in tests: create a channel, send messages, read. */
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
  /** New subscribers can read older messages. */
  hasSharedHistory?: boolean;
}

/** Creates a channel with these subscribers; the first one creates it. */
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
  if (!made) throw new Error(`${name} was not created`);
  return { id: made.stream_id, name };
}

/** Creates a channel with only its creator in it; returns its id. */
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

/** Sends a message to a channel; returns its id. It is unread for its sender unless the options say otherwise. */
export async function sendToChannel(
  user: TestUser,
  channel: TestChannel,
  { topic = "talk", content = "words", readBySender = false } = {},
): Promise<number> {
  const params = { type: "channel", to: channel.id, topic, content, read_by_sender: readBySender } as const;
  return success(await user.call(sendMessage, params)).id;
}

/** Sends a direct message; returns its id. */
export async function sendDirect(
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
