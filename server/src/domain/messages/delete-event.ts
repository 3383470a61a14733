/**
 * The event of messages that are gone, for everybody or for those who can no longer see where they were moved to. Queues
 * that take several at once are sent one event for all, others one for each message.
 */
import type { Audience } from "../../events/audience.ts";
import { emit } from "../../events/emit.ts";
import type { EmittedEvent } from "../../events/log-format.ts";
import type { EventShape, Queue } from "../../events/queue.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { shownTopic } from "./object.ts";
import { inPieces, lostBy, type Move } from "./update-event.ts";

/** As it travels in the log. */
interface LoggedDeletion extends EmittedEvent {
  type: "delete_message";
  message_type: "private" | "stream";
  message_ids: number[];
  stream_id?: number;
  topic?: string;
  /** Of a channel's messages: what decides who hears of which. */
  lost?: Move;
  /** Who deleted them, and hears of all. */
  actor?: number;
  /** For queues that take one at a time. */
  is_single: boolean;
}

interface ChannelPlace {
  id: number;
  topic: string;
}

/** Direct messages are gone for all parties. */
export function emitDirectDeletion(tx: Tx, realmId: number, parties: Audience, id: number): void {
  for (const is_single of [true, false])
    emitLogged(tx, realmId, parties, {
      type: "delete_message",
      message_type: "private",
      message_ids: [id],
      is_single,
    });
}

/** To those who hear of the messages in this channel, and to who did it. */
export function emitDeletion(
  tx: Tx,
  realmId: number,
  audience: Audience,
  { id: stream_id, topic }: ChannelPlace,
  move: Move,
  actor?: number,
): void {
  const tell = (lost: Move, is_single: boolean) =>
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
  for (const piece of inPieces(move)) tell(piece, false);
  for (const single of oneByOne(move)) tell(single, true);
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
  return event.lost && event.actor !== user.id ? lostBy(event.lost, user) : event.message_ids;
}

function asDeletion(event: EmittedEvent): LoggedDeletion {
  if (!isDeletion(event)) throw new Error("the shape of deletions was asked to shape something else");
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
