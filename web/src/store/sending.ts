/** The page's outbox: bound to the server, the event queue and the browser's store. */
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
/** An event that tells of a sent message comes within this time, or not at all. */
const eventExpected = 5000;
const lookedThrough = 50;

const outbox = new Outbox({
  send,
  find,
  untilHeard,
  newestId: () => part("max_message_id").peek() ?? -1,
  keep: async (localId, outgoing) => {
    if (outgoing) await database?.put("outbox", outgoing);
    else await database?.delete("outbox", localId);
  },
});

export async function startOutbox(opened: Database | undefined): Promise<void> {
  database = opened;
  onEvent((event) => {
    if (event.type === "message") outbox.arrived(event.message.id, event.local_message_id);
  });
  outbox.resume((await database?.getAll("outbox")) ?? []);
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
