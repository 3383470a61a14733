/**
 * Marking as read. What has been seen is shown as read at once and told to the server each second; what could not be
 * told waits for the server to be heard of again.
 */
import { signal } from "@preact/signals";
import { updateMessageFlags } from "@skein/api/routes.ts";
import { placeOfUnread } from "@skein/api/state/unread.ts";
import { call } from "../api/call.ts";
import { Refusal } from "../api/failures.ts";
import { t } from "../text/t.ts";
import { toast } from "../ui/toast.tsx";
import type { Conversation } from "./conversations.ts";
import { applyEvents } from "./events.ts";
import { findMessage } from "./messages.ts";
import { ownId, part } from "./state.ts";
import { untilHeard } from "./sync.ts";
import { unreadIn } from "./unread.ts";

/** The list in which one marked something as unread: until one leaves it, looking at it reads nothing. */
export const unreadKept = signal<string | undefined>(undefined);

const batchEvery = 1000;
const waiting = new Set<number>();
let timer: ReturnType<typeof setTimeout> | undefined;

/** These have been seen. */
export function markRead(ids: readonly number[]): void {
  const unread = ids.filter((id) => !waiting.has(id));
  if (unread.length === 0) return;
  applyEvents([flagEvent("add", unread)]);
  for (const id of unread) waiting.add(id);
  timer ??= setTimeout(() => void tell(), batchEvery);
}

async function tell(): Promise<void> {
  const messages = [...waiting];
  try {
    await call(updateMessageFlags, { messages, op: "add", flag: "read" });
    for (const id of messages) waiting.delete(id);
  } catch (error) {
    // Refused is refused: asking again would not help.
    if (error instanceof Refusal) for (const id of messages) waiting.delete(id);
    else await untilHeard();
  } finally {
    timer = waiting.size > 0 ? setTimeout(() => void tell(), batchEvery) : undefined;
  }
}

const flagEvent = (op: "add", messages: number[]) =>
  ({ type: "update_message_flags", op, operation: op, flag: "read", messages, all: false }) as const;

/** Puts all of a conversation aside, with a way back. */
export function markConversationRead(conversation: Conversation): void {
  markAllRead(unreadIn(conversation)?.ids ?? []);
}

/** Many at once, seen or not: one can take it back. */
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

/** Where unread messages stand, to be able to count them again. */
function detailsOf(ids: readonly number[]): Details {
  const unread_msgs = part("unread_msgs").peek();
  const mentions = new Set(unread_msgs?.mentions);
  const details: Details = {};
  if (unread_msgs === undefined) return details;
  for (const id of ids) {
    const place = placeOfUnread({ user_id: ownId.peek(), unread_msgs }, id);
    if (!place) continue;
    const mentioned = mentions.has(id);
    details[id] =
      "channel" in place
        ? { type: "stream", stream_id: place.channel, topic: place.topic, mentioned }
        : { type: "private", user_ids: place.others, mentioned };
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
  call(updateMessageFlags, { messages, op: "remove", flag: "read" }).catch((error: unknown) => {
    applyEvents([flagEvent("add", messages)]);
    toast(error instanceof Refusal ? error.message : t("failure.noAnswer"), { kind: "danger" });
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
