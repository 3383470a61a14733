/**
 * The events of messages that changed or were moved: one record in the log, of which each reader is told what concerns
 * them. Who keeps access to moved messages is told of the move, who loses it that they are gone.
 */
import { roles } from "@skein/api/users.ts";
import { sql } from "kysely";
import { heardOf, receives, type LiveUser, type MessageBatch } from "../../events/live-users.ts";
import type { EmittedEvent } from "../../events/log-format.ts";
import type { EventShape, Queue } from "../../events/queue.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { inChunks } from "../channels/chunks.ts";
import { shownTopic } from "./object.ts";

/** As it travels in the log. */
export interface LoggedUpdate extends EmittedEvent {
  type: "update_message";
  message_id: number;
  message_ids: number[];
  orig_subject?: string;
  subject?: string;
  /** Those who have flags on the message, and which. */
  flags_of: [userId: number, flags: string[]][];
  /** Flags that everybody has. */
  flags_of_all: string[];
  /** Of messages that were moved. */
  move?: Move;
}

/** What decides who hears of which messages that were moved. */
export interface Move {
  messages: MessageBatch;
  /** Another channel they are in now. */
  to?: Destination;
}

/** Who may read in the channel: its subscribers, and these. */
export interface Destination {
  channel: number;
  everyone: boolean;
  nonGuests: boolean;
  users: number[];
}

/** Of few enough messages each to be told together; the one with `first` among its messages comes first. */
export function inPieces({ messages, to }: Move, first?: number): Move[] {
  const { ids, moved = [], ...place } = messages;
  const pieces = inChunks(ids).map((some): Move => {
    const [low = 0, high = 0] = [some[0], some.at(-1)];
    const own = moved.filter(([id]) => id >= low && id <= high);
    return { messages: { ...place, ids: some, ...(own.length > 0 ? { moved: own } : {}) }, ...(to ? { to } : {}) };
  });
  const has = (piece: Move) => first !== undefined && piece.messages.ids.includes(first);
  return [...pieces.filter(has), ...pieces.filter((piece) => !has(piece))];
}

type Flags = Pick<LoggedUpdate, "flags_of" | "flags_of_all">;

interface FlagRow {
  user_id: number;
  flags: string[];
}

export async function flagsForUpdate(tx: Tx, message: { id: number; mentions_channel: boolean }): Promise<Flags> {
  const { rows } = await sql<FlagRow>`
    select user_id, array_remove(array[
      case when starred then 'starred' end,
      case when collapsed then 'collapsed' end,
      case when mentioned then 'mentioned' end,
      case when topic_wildcard_mentioned then 'topic_wildcard_mentioned' end,
      case when topic_wildcard_mentioned and not ${message.mentions_channel} then 'wildcard_mentioned' end,
      case when has_alert_word then 'has_alert_word' end], null) as flags
    from message_flags where message_id = ${message.id}`.execute(tx);
  return {
    flags_of: rows.map(({ user_id, flags }) => [user_id, flags]),
    flags_of_all: message.mentions_channel ? ["stream_wildcard_mentioned", "wildcard_mentioned"] : [],
  };
}

const mayRead = ({ channel, everyone, nonGuests, users }: Destination, at: number, user: LiveUser): boolean =>
  receives(user, channel, at) || everyone || (nonGuests && user.role !== roles.guest) || users.includes(user.id);

/** Of the messages moved, those the user hears to be elsewhere now. */
function keptBy({ messages, to }: Move, user: LiveUser): number[] {
  if (!to) return heardOf(messages, user);
  if (receives(user, to.channel, messages.at)) return messages.ids;
  return mayRead(to, messages.at, user) ? heardOf(messages, user) : [];
}

/** Those the user hears to be gone. */
export const lostBy = ({ messages, to }: Move, user: LiveUser): number[] =>
  to && mayRead(to, messages.at, user) ? [] : heardOf(messages, user);

const isUpdate = (event: EmittedEvent): event is LoggedUpdate => event.type === "update_message";

function asUpdate(event: EmittedEvent): LoggedUpdate {
  if (!isUpdate(event)) throw new Error("the shape of updates was asked to shape something else");
  return event;
}

const flagsFor = ({ flags_of, flags_of_all }: LoggedUpdate, userId: number): string[] => [
  ...(flags_of.find(([id]) => id === userId)?.[1] ?? []),
  ...flags_of_all,
];

/** Which messages the event is about for this user. */
const idsFor = ({ move, message_ids }: LoggedUpdate, user: LiveUser): number[] =>
  move ? keptBy(move, user) : message_ids;

const aboutText = new Set(["content", "rendered_content", "orig_content", "orig_rendered_content", "is_me_message"]);

/** The event's fields that are not about what one message says. */
export const withoutText = (event: object): object =>
  Object.fromEntries(Object.entries(event).filter(([name]) => !aboutText.has(name)));

export const updateShape: EventShape = {
  variant: (logged, { user, options }) => {
    const event = asUpdate(logged);
    const ids = idsFor(event, user);
    const which = ids.length === event.message_ids.length ? "all" : ids.join();
    return `${options.empty_topic_name} ${which} ${flagsFor(event, user.id).join()}`;
  },
  shape: (logged, { user, options }: Queue) => {
    const event = asUpdate(logged);
    const message_ids = idsFor(event, user);
    const [first] = message_ids;
    if (first === undefined) return undefined;
    const { flags_of: _, flags_of_all: __, move: ___, orig_subject, subject, ...fields } = event;
    const topics = {
      ...(orig_subject === undefined ? {} : { orig_subject: shownTopic(orig_subject, options) }),
      ...(subject === undefined ? {} : { subject: shownTopic(subject, options) }),
    };
    const shown = { ...fields, ...topics, message_ids };
    if (message_ids.includes(event.message_id)) return { ...shown, flags: flagsFor(event, user.id) };
    return { ...withoutText(shown), message_id: first, flags: [] };
  },
};
