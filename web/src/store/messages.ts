/**
 * Messages by id, each a signal, so that an event updates only the rows that show it. lists.ts knows which messages form
 * a list.
 */
import { signal, type ReadonlySignal, type Signal } from "@preact/signals";
import type { Event } from "@skein/api/events.ts";
import type { FoundMessage } from "@skein/api/fetch-messages.ts";

export type Message = FoundMessage;

const records = new Map<number, Signal<Message>>();
/** Incremented when messages are added, so that code that looked for a missing one looks again. */
const arrivals = signal(0);
/** Deleted for good: a response in flight may still contain them. */
const deleted = new Set<number>();
/** The local id a message was written under; its row keeps it. */
const localIds = new Map<number, string>();

export function findMessage(id: number): ReadonlySignal<Message> | undefined {
  const known = records.get(id);
  if (!known) void arrivals.value;
  return known;
}

export const rowKeyOf = (id: number): string => localIds.get(id) ?? String(id);

/** The message in a row; undefined for one that has no id yet. */
export function idOfRow(key: string): number | undefined {
  for (const [id, localId] of localIds) if (localId === key) return id;
  const id = Number(key);
  return Number.isInteger(id) ? id : undefined;
}

/** Adds messages and returns the ids of those that still exist. */
export function addMessages(messages: readonly Message[]): number[] {
  const present = messages.filter(({ id }) => !deleted.has(id));
  for (const message of present) {
    const known = records.get(message.id);
    if (!known) {
      records.set(message.id, signal(message));
      arrivals.value++;
    } else if ((message.last_edit_timestamp ?? 0) >= (known.peek().last_edit_timestamp ?? 0)) known.value = message;
  }
  return present.map(({ id }) => id);
}

export function nameLocally(id: number, localId: string): void {
  localIds.set(id, localId);
}

/** Drops all messages but these. */
export function keepOnly(ids: ReadonlySet<number>): void {
  for (const id of records.keys()) {
    if (ids.has(id)) continue;
    records.delete(id);
    localIds.delete(id);
  }
}

function update(id: number, next: (message: Message) => Message): void {
  const known = records.get(id);
  if (known) known.value = next(known.peek());
  else changedUnknown?.add(id);
}

/** Ids of unknown messages that events changed while a fetch that may contain them was in flight. */
let changedUnknown: Set<number> | undefined;
let fetchesInFlight = 0;

/** Runs a fetch; afterwards `stale` holds the messages that changed while it was in flight. */
export async function whileWatching<T>(fetch: () => Promise<T>): Promise<{ response: T; stale: ReadonlySet<number> }> {
  fetchesInFlight++;
  changedUnknown ??= new Set();
  const touched = changedUnknown;
  try {
    return { response: await fetch(), stale: touched };
  } finally {
    if (--fetchesInFlight === 0) changedUnknown = undefined;
  }
}

export function applyToMessages(event: Event): void {
  switch (event.type) {
    case "message":
      addMessages([{ ...event.message, flags: event.flags }]);
      break;
    case "update_message":
      applyUpdate(event);
      break;
    case "delete_message":
      for (const id of event.message_ids ?? []) {
        deleted.add(id);
        records.delete(id);
      }
      break;
    case "update_message_flags":
      for (const id of event.all ? records.keys() : event.messages) {
        update(id, (message) => withFlag(message, event.flag, event.op === "add"));
      }
      break;
    case "reaction":
      update(event.message_id, (message) => withReaction(message, event));
      break;
    case "submessage":
      update(event.message_id, (message) => withSubmessage(message, event));
      break;
    default:
  }
}

type EventOf<T extends Event["type"]> = Extract<Event, { type: T }>;

function applyUpdate(event: EventOf<"update_message">): void {
  const { rendered_content, subject, new_stream_id, topic_links } = event;
  if (rendered_content !== undefined) {
    update(event.message_id, (message) => ({
      ...message,
      content: rendered_content,
      is_me_message: event.is_me_message ?? message.is_me_message,
      flags: [...event.flags, ...(message.flags.includes("read") ? ["read"] : [])],
      ...(event.rendering_only ? {} : { last_edit_timestamp: event.edit_timestamp }),
    }));
  }
  if (event.orig_subject === undefined) return;
  for (const id of event.message_ids) {
    update(id, (message) => ({
      ...message,
      ...(subject === undefined ? {} : { subject }),
      ...(topic_links === undefined ? {} : { topic_links }),
      ...(new_stream_id === undefined ? {} : { stream_id: new_stream_id }),
      last_moved_timestamp: event.edit_timestamp,
    }));
  }
}

function withFlag(message: Message, flag: string, isSet: boolean): Message {
  if (message.flags.includes(flag) === isSet) return message;
  return { ...message, flags: isSet ? [...message.flags, flag] : message.flags.filter((own) => own !== flag) };
}

/** A locally added submessage has a negative id and gives way to the server's. */
function withSubmessage(message: Message, event: EventOf<"submessage">): Message {
  const { submessage_id: id, message_id, sender_id, msg_type, content } = event;
  const ahead = message.submessages.findIndex(
    (own) => own.id < 0 && id > 0 && own.sender_id === sender_id && own.content === content,
  );
  const others = ahead < 0 ? message.submessages : message.submessages.toSpliced(ahead, 1);
  return { ...message, submessages: [...others, { id, message_id, sender_id, msg_type, content }] };
}

/** Removes a locally added submessage. */
export const dropSubmessage = (messageId: number, submessageId: number): void =>
  update(messageId, (message) => ({
    ...message,
    submessages: message.submessages.filter(({ id }) => id !== submessageId),
  }));

function withReaction(message: Message, event: EventOf<"reaction">): Message {
  const { emoji_name, emoji_code, reaction_type, user_id } = event;
  const others = message.reactions.filter(
    (own) => own.user_id !== user_id || own.emoji_code !== emoji_code || own.reaction_type !== reaction_type,
  );
  const hadReaction = others.length < message.reactions.length;
  if (event.op === "add")
    return hadReaction
      ? message
      : { ...message, reactions: [...message.reactions, { emoji_name, emoji_code, reaction_type, user_id }] };
  return hadReaction ? { ...message, reactions: others } : message;
}
