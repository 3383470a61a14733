/**
 * Messages by id, each a signal, so that an event updates only the rows that show it. A message with pending operations is
 * shown with them applied, and its confirmed version is kept beside it. lists.ts knows which messages form a list.
 *
 * **Invariant:** a message is kept while something that shows it retains it; of the others, only a few of the latest are.
 */
import { signal, type ReadonlySignal, type Signal } from "@preact/signals";
import type { Event } from "@skein/api/events.ts";
import type { FoundMessage } from "@skein/api/fetch-messages.ts";
import { pendingOn } from "./pending.ts";

export type Message = FoundMessage;

/** As they are shown. */
const records = new Map<number, Signal<Message>>();
/** The server's versions of messages with pending operations. */
const confirmed = new Map<number, Message>();
/** Incremented when messages are added, so that code that looked for a missing one looks again. */
const arrivals = signal(0);
/** How many lists and rows need a message, known or not. */
const owners = new Map<number, number>();
/** Messages without an owner, oldest first. A row that is about to show one finds it. */
const unowned = new Set<number>();
const maxUnowned = 200;
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

/** Adds messages and returns the ids of those that still exist. Those in `changed` are newer here than in the response. */
export function addMessages(messages: readonly Message[], changed?: ReadonlySet<number>): number[] {
  const present = messages.filter(({ id }) => !inFlight?.deleted.has(id));
  for (const message of present) {
    const known = confirmedMessage(message.id);
    if (!known) {
      set(message);
      if (!owners.has(message.id)) unowned.add(message.id);
      arrivals.value++;
    } else if (changed?.has(message.id)) continue;
    else if ((message.last_edit_timestamp ?? 0) >= (known.last_edit_timestamp ?? 0)) set(message);
  }
  dropSurplus();
  return present.map(({ id }) => id);
}

/** Keeps messages, which need not be known yet, until they are released. */
export function retain(ids: Iterable<number>): void {
  for (const id of ids) {
    owners.set(id, (owners.get(id) ?? 0) + 1);
    unowned.delete(id);
  }
}

export function release(ids: Iterable<number>): void {
  for (const id of ids) {
    const count = (owners.get(id) ?? 0) - 1;
    if (count > 0) owners.set(id, count);
    else {
      owners.delete(id);
      if (records.has(id)) unowned.add(id);
    }
  }
  dropSurplus();
}

function dropSurplus(): void {
  if (unowned.size <= maxUnowned) return;
  for (const id of unowned) {
    drop(id);
    if (unowned.size <= maxUnowned) return;
  }
}

/** Forgets messages that nothing shows. */
export function dropUnowned(ids: Iterable<number> = unowned): void {
  for (const id of ids) if (unowned.has(id)) drop(id);
}

function drop(id: number): void {
  records.delete(id);
  confirmed.delete(id);
  unowned.delete(id);
  localIds.delete(id);
}

export const messageCount = (): number => records.size;

/** The server's version of a message, without pending operations. */
export const confirmedMessage = (id: number): Message | undefined => confirmed.get(id) ?? records.get(id)?.peek();

/** Sets the server's version, and shows it with the pending operations. */
function set(message: Message): void {
  const { id } = message;
  const events = pendingOn(id);
  if (events.length > 0) confirmed.set(id, message);
  else confirmed.delete(id);
  const shown = events.reduce<Message>(withEvent, message);
  const known = records.get(id);
  if (known) known.value = shown;
  else records.set(id, signal(shown));
}

/** Shows messages again after the pending operations on them have changed. */
export function showPendingOn(ids: Iterable<number>): void {
  for (const id of ids) {
    const message = confirmedMessage(id);
    if (message) set(message);
  }
}

export function nameLocally(id: number, localId: string): void {
  localIds.set(id, localId);
}

function update(id: number, event: Event): void {
  inFlight?.changed.add(id);
  const known = confirmedMessage(id);
  if (known) set(withEvent(known, event));
}

/** What events changed while fetches were in flight: their responses may be older. */
let inFlight: { count: number; changed: Set<number>; deleted: Set<number> } | undefined;

/** Runs a fetch and what is done with its response, with the messages that changed while it was in flight. */
export async function whileWatching<T, Result>(
  fetch: () => Promise<T>,
  use: (response: T, changed: ReadonlySet<number>) => Result,
): Promise<Result> {
  const watched = (inFlight ??= { count: 0, changed: new Set(), deleted: new Set() });
  watched.count++;
  try {
    return use(await fetch(), watched.changed);
  } finally {
    if (--watched.count === 0) inFlight = undefined;
  }
}

export function applyToMessages(event: Event): void {
  switch (event.type) {
    case "message":
      addMessages([{ ...event.message, flags: event.flags }]);
      break;
    case "update_message":
      for (const id of new Set([event.message_id, ...event.message_ids])) update(id, event);
      break;
    case "delete_message":
      for (const id of event.message_ids ?? []) {
        inFlight?.deleted.add(id);
        drop(id);
      }
      break;
    case "update_message_flags":
      for (const id of event.all ? records.keys() : event.messages) update(id, event);
      break;
    case "reaction":
    case "submessage":
      update(event.message_id, event);
      break;
    default:
  }
}

type EventOf<T extends Event["type"]> = Extract<Event, { type: T }>;

/** A message after an event about it. */
function withEvent(message: Message, event: Event): Message {
  switch (event.type) {
    case "update_message":
      return withMove(withText(message, event), event);
    case "update_message_flags":
      return withFlag(message, event.flag, event.op === "add");
    case "reaction":
      return withReaction(message, event);
    case "submessage":
      return withSubmessage(message, event);
    default:
      return message;
  }
}

function withText(message: Message, event: EventOf<"update_message">): Message {
  const { rendered_content } = event;
  if (rendered_content === undefined || event.message_id !== message.id) return message;
  return {
    ...message,
    content: rendered_content,
    is_me_message: event.is_me_message ?? message.is_me_message,
    flags: [...event.flags, ...(message.flags.includes("read") ? ["read"] : [])],
    ...(event.rendering_only ? {} : { last_edit_timestamp: event.edit_timestamp }),
  };
}

function withMove(message: Message, event: EventOf<"update_message">): Message {
  const { subject, new_stream_id, topic_links } = event;
  if (event.orig_subject === undefined || !event.message_ids.includes(message.id)) return message;
  return {
    ...message,
    ...(subject === undefined ? {} : { subject }),
    ...(topic_links === undefined ? {} : { topic_links }),
    ...(new_stream_id === undefined ? {} : { stream_id: new_stream_id }),
    last_moved_timestamp: event.edit_timestamp,
  };
}

function withFlag(message: Message, flag: string, isSet: boolean): Message {
  if (message.flags.includes(flag) === isSet) return message;
  return { ...message, flags: isSet ? [...message.flags, flag] : message.flags.filter((own) => own !== flag) };
}

function withSubmessage(message: Message, event: EventOf<"submessage">): Message {
  const { submessage_id: id, message_id, sender_id, msg_type, content } = event;
  // A response fetched meanwhile may contain it.
  if (message.submessages.some((own) => own.id === id)) return message;
  return { ...message, submessages: [...message.submessages, { id, message_id, sender_id, msg_type, content }] };
}

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
