/**
 * The page's outbox, connected to the server, the event queue and the browser's store. A tab sends what was written in it
 * for as long as it is open, which it shows to other tabs by holding a lock; then another tab takes over.
 */
import { computed } from "@preact/signals";
import { getMessages } from "@skein/api/routes/fetch-messages.ts";
import { sendMessage } from "@skein/api/routes/messages.ts";
import { call } from "../api/call.ts";
import { maintenance, untilWritable } from "../api/maintenance.ts";
import { conversationKey, isConversation, narrowOf, type Conversation } from "./conversations.ts";
import type { Database } from "./database.ts";
import { onEvent } from "./events.ts";
import { fetchPage, openList } from "./lists.ts";
import { findMessage, nameLocally } from "./messages.ts";
import { Outbox, type Outgoing } from "./outbox.ts";
import { ownId, part } from "./state.ts";
import { queueId, untilConnected } from "./sync.ts";

let database: Database | undefined;
const tab = Math.random().toString(36).slice(2);
/** The event for a sent message arrives within this time, or not at all. */
const eventExpected = 5000;
const lookupSize = 50;
const maxPause = 30_000;

const outbox = new Outbox({
  send,
  find,
  untilConnected: () => untilConnected().then(untilWritable),
  isReadOnly: () => maintenance.peek() !== undefined,
  pause: (failures) => new Promise((resume) => setTimeout(resume, Math.min(maxPause, 250 * 2 ** failures))),
  newestId: () => part("max_message_id").peek() ?? -1,
  keep: async (localId, outgoing) => {
    if (outgoing) await database?.run((connection) => connection.put("outbox", { ...outgoing, tab }));
    else await database?.run((connection) => connection.delete("outbox", localId));
  },
});

/** Whether there are messages the server does not have yet. */
export const hasUnsent = (): boolean => outbox.entries.peek().some(({ state }) => state !== "sent");

export async function startOutbox(own: Database): Promise<void> {
  database = own;
  onEvent((event) => {
    if (event.type === "message") outbox.arrived(event.message.id, event.local_message_id);
  });
  await holdLock();
  const left = await storedMessages();
  for (const other of new Set(left.map((outgoing) => outgoing.tab))) if (other !== tab) void takeOver(other);
}

/** Undefined where the browser has no locks. */
const storedMessages = async (): Promise<(Outgoing & { tab: string })[]> => {
  const kept = await database?.run((connection) => connection.getAll("outbox")).catch(() => []);
  return (kept ?? []).filter(isOutgoing);
};

/** Another release may have stored a different shape. */
const isOutgoing = ({ localId, content, conversation }: Partial<Outgoing>): boolean =>
  typeof localId === "string" && typeof content === "string" && isConversation(conversation);

const lockOf = (owner: string): string => `skein-outbox-${owner}`;

/** Browsers offer locks on secure connections only; without them, tabs do not know about each other. */
const locks = (): LockManager | undefined => navigator.locks;

/** Held until the page is gone. */
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

/** Waits until a tab is gone, then resumes what it left unsent. */
async function takeOver(other: string): Promise<void> {
  const take = async (): Promise<void> => {
    const left = (await storedMessages()).filter((outgoing) => outgoing.tab === other);
    for (const outgoing of left)
      await database?.run((connection) => connection.put("outbox", { ...outgoing, tab })).catch(() => undefined);
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
  // A client gets no message events for channels the user is not in, not even for the user's own messages.
  setTimeout(() => void lookForSent(id, conversation), eventExpected);
  return id;
}

async function lookForSent(id: number, conversation: Conversation): Promise<void> {
  if (!outbox.entries.peek().some(({ messageId }) => messageId === id)) return;
  if (!findMessage(id))
    await fetchPage(openList(narrowOf(conversation, ownId.peek())), newestPage).catch(ignoreFailure);
  if (findMessage(id)) outbox.arrived(id, undefined);
}

/** The row stays as it is; the list shows the failure, and the next fetch brings the message. */
const ignoreFailure = (): void => undefined;

const newestPage = { anchor: "newest", before: 20, after: 0 } as const;

const peopleOf = (userIds: readonly number[]): number[] => (userIds.length === 0 ? [ownId.peek()] : [...userIds]);

async function find(outgoing: Outgoing, claimed: ReadonlySet<number>): Promise<number | undefined> {
  const { messages } = await call(getMessages, {
    narrow: [...narrowOf(outgoing.conversation, ownId.peek()), { operator: "sender", operand: ownId.peek() }],
    anchor: "newest",
    num_before: lookupSize,
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

/** Shows the message at once; the outbox sends it. */
export const sendTo = (conversation: Conversation, content: string): Outgoing => outbox.add(conversation, content);

export const retry = (localId: string): void => outbox.retry(localId);

export const discard = (localId: string): void => outbox.discard(localId);

const echoesByConversation = computed((): ReadonlyMap<string, readonly Outgoing[]> =>
  Map.groupBy(outbox.entries.value, ({ conversation }) => conversationKey(conversation)),
);

const none: readonly Outgoing[] = [];

/** Messages written here that have not arrived yet, shown below a conversation's messages. */
export const echoesIn = (conversation: Conversation): readonly Outgoing[] =>
  echoesByConversation.value.get(conversationKey(conversation)) ?? none;
