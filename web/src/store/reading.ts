/**
 * Marking as read. Seen messages are shown as read at once and reported to the server every second; a report without a
 * response is repeated when the server responds again.
 */
import { signal } from "@preact/signals";
import { updateMessageFlags } from "@skein/api/routes/flags.ts";
import { call } from "../api/call.ts";
import { Refusal } from "@skein/api/failures.ts";
import { t } from "../text/t.ts";
import { toast } from "./toasts.ts";
import type { Conversation } from "./conversations.ts";
import { amendOperation } from "./events.ts";
import { findMessage } from "./messages.ts";
import { perform, show, submit } from "./operations.ts";
import { messagesOf, type Operation } from "./pending.ts";
import { ownId, part } from "./state.ts";
import { untilConnected } from "./sync.ts";
import { unreadConversations, unreadIn } from "./unread.ts";

/** The list where the reader marked something as unread: looking at it reads nothing until the reader leaves it. */
export const keptUnread = signal<{ readonly listKey: string; readonly fromId: number } | undefined>(undefined);

const batchEvery = 1000;
/** Messages seen since the last report: shown as read, not reported yet. */
let seen: Operation | undefined;
let reporting: Promise<void> = Promise.resolve();
/** The server does not accept these as read; asking again would not help. */
const refused = new Set<number>();

/** Marks messages as seen. */
export function markRead(ids: readonly number[]): void {
  mark(ids.filter((id) => !refused.has(id)));
}

function mark(ids: readonly number[]): void {
  const messages = [...new Set([...(seen ? messagesOf(seen.event) : []), ...ids])];
  if (messages.length === 0) return;
  const event = readEvent(messages);
  if (seen) {
    amendOperation(seen.id, event);
    seen = { ...seen, event };
  } else {
    seen = show({ key, event });
    // One report at a time: while the server does not respond, there is no point in many.
    setTimeout(() => void reporting.then(reportSeen), batchEvery);
  }
}

/** Reports are serialized with other changes of the flag. */
const key = "read";

function reportSeen(): void {
  if (!seen) return;
  const { event } = seen;
  const messages = [...messagesOf(event)];
  reporting = submit(seen, () => report(messages));
  seen = undefined;
}

/** Repeats the request until it has a response; a refusal is final. */
async function report(messages: number[]): Promise<void> {
  for (;;) {
    try {
      await call(updateMessageFlags, { messages, op: "add", flag: "read" });
      return;
    } catch (error) {
      if (error instanceof Refusal) {
        for (const id of messages) refused.add(id);
        throw error;
      }
      await untilConnected();
      await new Promise((resume) => setTimeout(resume, batchEvery));
    }
  }
}

const readEvent = (messages: number[]) =>
  ({ type: "update_message_flags", op: "add", operation: "add", flag: "read", messages, all: false }) as const;

/** Marks a whole conversation as read, with an Undo. */
export function markConversationRead(conversation: Conversation): void {
  markAllRead(unreadIn(conversation)?.ids ?? []);
}

/** Marks many messages as read at once, seen or not, with an Undo. */
export function markAllRead(ids: readonly number[]): void {
  if (ids.length === 0) return;
  const details = detailsOf(ids);
  mark(ids);
  toast(t("reading.marked", { count: ids.length }), { undo: () => markUnread(ids, details) });
}

type Details = Record<
  string,
  { type: "private" | "stream"; mentioned?: boolean; user_ids?: number[]; stream_id?: number; topic?: string }
>;

/** Where unread messages are, so that undo can count them again. */
function detailsOf(ids: readonly number[]): Details {
  const wanted = new Set(ids);
  const mentions = new Set(part("unread_msgs").peek()?.mentions);
  const details: Details = {};
  for (const { conversation, ids: unread } of unreadConversations.peek()) {
    const about =
      conversation.kind === "topic"
        ? { type: "stream" as const, stream_id: conversation.channelId, topic: conversation.topic }
        : { type: "private" as const, user_ids: [...conversation.userIds] };
    for (const id of unread) if (wanted.has(id)) details[id] = { ...about, mentioned: mentions.has(id) };
  }
  return details;
}

export function markUnread(ids: readonly number[], message_details: Details = detailsOfMessages(ids)): void {
  const messages = [...ids];
  // What was seen before is reported before.
  reportSeen();
  perform({
    key,
    event: {
      type: "update_message_flags",
      op: "remove",
      operation: "remove",
      flag: "read",
      messages,
      all: false,
      message_details,
    },
    request: () => call(updateMessageFlags, { messages, op: "remove", flag: "read" }),
  });
}

function detailsOfMessages(ids: readonly number[]): Details {
  const details: Details = {};
  for (const id of ids) {
    const message = findMessage(id)?.peek();
    if (!message) continue;
    const people = typeof message.display_recipient === "string" ? [] : message.display_recipient;
    details[id] =
      message.stream_id === undefined
        ? { type: "private", user_ids: people.map((person) => person.id).filter((person) => person !== ownId.peek()) }
        : { type: "stream", stream_id: message.stream_id, topic: message.subject };
  }
  return details;
}
