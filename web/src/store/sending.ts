/**
 * The page's outbox: bound to the server, the event queue and the browser's store. What a tab has written is that tab's
 * to send for as long as it lives, which a lock of its own tells the others; then another takes it over.
 */
import { computed } from "@preact/signals";
import { getMessages, sendMessage } from "@skein/api/routes.ts";
import { call } from "../api/call.ts";
import { conversationKey, narrowOf, type Conversation } from "./conversations.ts";
import type { Database } from "./database.ts";
import { onEvent } from "./events.ts";
import { fetchPage, openList } from "./lists.ts";
import { findMessage, nameLocally } from "./messages.ts";
import { Outbox, type Outgoing } from "./outbox.ts";
import { ownId, part } from "./state.ts";
import { queueId, untilHeard } from "./sync.ts";

let database: Database | undefined;
const tab = Math.random().toString(36).slice(2);
/** An event that tells of a sent message comes within this time, or not at all. */
const eventExpected = 5000;
const lookedThrough = 50;
const longestPause = 30_000;

const outbox = new Outbox({
  send,
  find,
  untilHeard,
  pause: (failures) => new Promise((resume) => setTimeout(resume, Math.min(longestPause, 250 * 2 ** failures))),
  newestId: () => part("max_message_id").peek() ?? -1,
  keep: async (localId, outgoing) => {
    if (outgoing) await database?.put("outbox", { ...outgoing, tab });
    else await database?.delete("outbox", localId);
  },
});

export async function startOutbox(opened: Database | undefined): Promise<void> {
  database = opened;
  onEvent((event) => {
    if (event.type === "message") outbox.arrived(event.message.id, event.local_message_id);
  });
  await holdLock();
  const left = (await database?.getAll("outbox")) ?? [];
  for (const other of new Set(left.map((outgoing) => outgoing.tab))) if (other !== tab) void takeOver(other);
}

const lockOf = (owner: string): string => `skein-outbox-${owner}`;

/** Browsers have locks where the connection is safe; elsewhere tabs do not know of each other. */
const locks = (): LockManager | undefined => navigator.locks;

/** Until the page is gone. */
const holdLock = (): Promise<void> =>
  new Promise((resume) => {
    const manager = locks();
    if (!manager) {
      resume();
      return;
    }
    void manager.request(lockOf(tab), () => {
      resume();
      return new Promise(() => undefined);
    });
  });

/** Waits until a tab is gone, and goes on with what it has not sent. */
async function takeOver(other: string): Promise<void> {
  const take = async (): Promise<void> => {
    const left = ((await database?.getAll("outbox")) ?? []).filter((outgoing) => outgoing.tab === other);
    for (const outgoing of left) await database?.put("outbox", { ...outgoing, tab });
    outbox.resume(left);
  };
  await (locks()?.request(lockOf(other), take) ?? take());
}

async function send({ conversation, content, localId }: Outgoing): Promise<number> {
  const queue_id = queueId();
  const { id } = await call(sendMessage, {
    ...(conversation.kind === "topic"
      ? { type: "channel", to: conversation.channelId, topic: conversation.topic }
      : { type: "direct", to: peopleOf(conversation.userIds) }),
    content,
    read_by_sender: true,
    ...(queue_id === undefined ? {} : { queue_id, local_id: localId }),
  });
  nameLocally(id, localId);
  // Who is not in the channel hears of no messages there, one's own included.
  setTimeout(() => void lookForSent(id, conversation), eventExpected);
  return id;
}

async function lookForSent(id: number, conversation: Conversation): Promise<void> {
  if (!findMessage(id)) await fetchPage(openList(narrowOf(conversation, ownId.peek())), newestPage).catch(noAnswerYet);
  if (findMessage(id)) outbox.arrived(id, undefined);
}

/** The row stays as it is: the list tells of the failure, and the next fetch brings the message. */
const noAnswerYet = (): void => undefined;

const newestPage = { anchor: "newest", before: 20, after: 0 } as const;

const peopleOf = (userIds: readonly number[]): number[] => (userIds.length === 0 ? [ownId.peek()] : [...userIds]);

async function find(outgoing: Outgoing, claimed: ReadonlySet<number>): Promise<number | undefined> {
  const { messages } = await call(getMessages, {
    narrow: [...narrowOf(outgoing.conversation, ownId.peek()), { operator: "sender", operand: ownId.peek() }],
    anchor: "newest",
    num_before: lookedThrough,
    num_after: 0,
    apply_markdown: false,
    client_gravatar: false,
    allow_empty_topic_name: true,
  });
  const text = outgoing.content.trim();
  const found = messages.find(
    ({ id, content }) => id > outgoing.afterId && !claimed.has(id) && content.trim() === text,
  )?.id;
  if (found !== undefined) nameLocally(found, outgoing.localId);
  return found;
}

/** Shows the message at once; it goes out by itself. */
export const sendTo = (conversation: Conversation, content: string): Outgoing => outbox.add(conversation, content);

export const retry = (localId: string): void => outbox.retry(localId);

export const discard = (localId: string): void => outbox.discard(localId);

const echoesByConversation = computed((): ReadonlyMap<string, readonly Outgoing[]> =>
  Map.groupBy(outbox.entries.value, ({ conversation }) => conversationKey(conversation)),
);

const none: readonly Outgoing[] = [];

/** What stands below the messages of a conversation: written here, not yet there. */
export const echoesIn = (conversation: Conversation): readonly Outgoing[] =>
  echoesByConversation.value.get(conversationKey(conversation)) ?? none;
