/**
 * Marking as read. Seen messages are shown as read at once and reported to the server every second; a failed report waits
 * until the server responds again.
 */
import { signal } from "@preact/signals";
import { updateMessageFlags } from "@skein/api/routes.ts";
import { call } from "../api/call.ts";
import { Refusal } from "@skein/api/failures.ts";
import { t } from "../text/t.ts";
import { toast } from "./toasts.ts";
import type { Conversation } from "./conversations.ts";
import { applyEvents } from "./events.ts";
import { findMessage } from "./messages.ts";
import { reasonOf } from "./optimistic.ts";
import { ownId, part } from "./state.ts";
import { untilConnected } from "./sync.ts";
import { unreadConversations, unreadIn } from "./unread.ts";

/** The list where the reader marked something as unread: looking at it reads nothing until the reader leaves it. */
export const listKeptUnread = signal<string | undefined>(undefined);

const batchEvery = 1000;
const waiting = new Set<number>();
let timer: ReturnType<typeof setTimeout> | undefined;
/** The report in flight; an undo must reach the server after it. */
let reporting: Promise<void> = Promise.resolve();

/** Marks messages as seen. */
export function markRead(ids: readonly number[]): void {
  const unread = ids.filter((id) => !waiting.has(id));
  if (unread.length === 0) return;
  applyEvents([flagEvent("add", unread)]);
  for (const id of unread) waiting.add(id);
  timer ??= setTimeout(reportNow, batchEvery);
}

function reportNow(): void {
  reporting = report();
}

async function report(): Promise<void> {
  const messages = [...waiting];
  try {
    if (messages.length > 0) await call(updateMessageFlags, { messages, op: "add", flag: "read" });
    for (const id of messages) waiting.delete(id);
  } catch (error) {
    // A refusal is final: retrying would not help.
    if (error instanceof Refusal) for (const id of messages) waiting.delete(id);
    else await untilConnected();
  } finally {
    timer = waiting.size > 0 ? setTimeout(reportNow, batchEvery) : undefined;
  }
}

const flagEvent = (op: "add", messages: number[]) =>
  ({ type: "update_message_flags", op, operation: op, flag: "read", messages, all: false }) as const;

/** Marks a whole conversation as read, with an Undo. */
export function markConversationRead(conversation: Conversation): void {
  markAllRead(unreadIn(conversation)?.ids ?? []);
}

/** Marks many messages as read at once, seen or not, with an Undo. */
export function markAllRead(ids: readonly number[]): void {
  if (ids.length === 0) return;
  const details = detailsOf(ids);
  markRead(ids);
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
  for (const id of messages) waiting.delete(id);
  applyEvents([
    {
      type: "update_message_flags",
      op: "remove",
      operation: "remove",
      flag: "read",
      messages,
      all: false,
      message_details,
    },
  ]);
  reporting
    .then(() => call(updateMessageFlags, { messages, op: "remove", flag: "read" }))
    .catch((error: unknown) => {
      applyEvents([flagEvent("add", messages)]);
      toast(reasonOf(error), { kind: "danger" });
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
