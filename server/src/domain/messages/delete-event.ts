/**
 * The event for messages that are gone: for everybody, or for those who cannot see where they were moved to. Queues
 * that support bulk deletion get one event for all messages, others one per message.
 */
import type { Audience } from "../../events/audience.ts";
import { emit } from "../../events/emit.ts";
import type { EmittedEvent } from "../../events/log-format.ts";
import type { EventShape, Queue } from "../../events/queue.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { shownTopic } from "../channels/topics/name.ts";
import { splitMove, idsLostBy, type Move } from "./update-event.ts";

/** As stored in the log. */
interface LoggedDeletion extends EmittedEvent {
  type: "delete_message";
  message_type: "private" | "stream";
  message_ids: number[];
  stream_id?: number;
  topic?: string;
  /** For a channel's messages: determines who receives an event about which of them. */
  lost?: Move;
  /** The user who deleted them, and who gets the event for all of them. */
  actor?: number;
  /** For queues without support for bulk deletion. */
  is_single: boolean;
}

interface ChannelPlace {
  id: number;
  topic: string;
}

/** A deleted direct message is gone for all participants. */
export function emitDirectDeletion(tx: Tx, realmId: number, parties: Audience, id: number): void {
  for (const is_single of [true, false])
    emitLogged(tx, realmId, parties, {
      type: "delete_message",
      message_type: "private",
      message_ids: [id],
      is_single,
    });
}

/** Goes to everybody who receives events about these messages, and to the actor. */
export function emitDeletion(
  tx: Tx,
  realmId: number,
  audience: Audience,
  { id: stream_id, topic }: ChannelPlace,
  move: Move,
  actor?: number,
): void {
  const emitPart = (lost: Move, is_single: boolean) =>
    emitLogged(tx, realmId, actor === undefined ? audience : { ...audience, users: [actor] }, {
      type: "delete_message",
      message_type: "stream",
      message_ids: lost.messages.ids,
      stream_id,
      topic,
      lost,
      ...(actor === undefined ? {} : { actor }),
      is_single,
    });
  for (const piece of splitMove(move)) emitPart(piece, false);
  for (const single of oneByOne(move)) emitPart(single, true);
}

function oneByOne({ messages: { ids, moved = [], ...place }, ...rest }: Move): Move[] {
  const moves = new Map(moved.map((one) => [one[0], { moved: [one] }]));
  return ids.map((id) => ({ ...rest, messages: { ...place, ids: [id], ...moves.get(id) } }));
}

const emitLogged = (tx: Tx, realmId: number, audience: Audience, event: LoggedDeletion): void =>
  emit(tx, realmId, audience, event);

const isDeletion = (event: EmittedEvent): event is LoggedDeletion => event.type === "delete_message";

function idsFor(event: LoggedDeletion, { user, options }: Queue): number[] {
  if (event.is_single === options.bulk_message_deletion) return [];
  return event.lost && event.actor !== user.id ? idsLostBy(event.lost, user) : event.message_ids;
}

function asDeletion(event: EmittedEvent): LoggedDeletion {
  if (!isDeletion(event)) throw new Error("deletionShape got an event of another type");
  return event;
}

export const deletionShape: EventShape = {
  variant: (logged, queue) => {
    const event = asDeletion(logged);
    const ids = idsFor(event, queue);
    return `${queue.options.empty_topic_name} ${ids.length === event.message_ids.length ? "all" : ids.join()}`;
  },
  shape: (logged, queue) => {
    const event = asDeletion(logged);
    const ids = idsFor(event, queue);
    const [first] = ids;
    if (first === undefined) return undefined;
    const { type, message_type, stream_id, topic } = event;
    return {
      type,
      message_type,
      ...(event.is_single ? { message_id: first } : { message_ids: ids }),
      ...(stream_id === undefined ? {} : { stream_id }),
      ...(topic === undefined ? {} : { topic: shownTopic(topic, queue.options) }),
    };
  },
};
