/**
 * The events for messages that were edited or moved: one record in the log, of which each reader gets the part that
 * concerns them. A reader who keeps access to moved messages gets an update, one who loses it a deletion.
 */
import { roles } from "@skein/api/users.ts";
import { sql } from "kysely";
import { receives, type LiveUser } from "../../events/live-users.ts";
import { visibleTo } from "./live-access.ts";
import type { MessageBatch } from "./live-access.ts";
import type { EmittedEvent } from "../../events/log-format.ts";
import type { EventShape, Queue } from "../../events/queue.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { inChunks } from "../base/chunks.ts";
import { shownTopic } from "../channels/topics/name.ts";

/** As stored in the log. */
export interface LoggedUpdate extends EmittedEvent {
  type: "update_message";
  message_id: number;
  message_ids: number[];
  orig_subject?: string;
  subject?: string;
  /** The flags of each user who has any on the message. */
  flags_of: [userId: number, flags: string[]][];
  /** Flags every reader has. */
  flags_of_all: string[];
  /** Set if messages were moved. */
  move?: Move;
}

/** Determines who receives an event about which of the moved messages. */
export interface Move {
  messages: MessageBatch;
  /** The channel they were moved to, if it is another one. */
  to?: Destination;
}

/** Who may read the channel: its subscribers, and these users. */
export interface Destination {
  channel: number;
  everyone: boolean;
  nonGuests: boolean;
  users: number[];
}

/** Splits a move into parts small enough for one event each; the part that contains the message `first` comes first. */
export function splitMove({ messages, to }: Move, first?: number): Move[] {
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

/** The moved messages that this user can still read. */
function idsKeptBy({ messages, to }: Move, user: LiveUser): number[] {
  if (!to) return visibleTo(messages, user);
  if (receives(user, to.channel, messages.at)) return messages.ids;
  return mayRead(to, messages.at, user) ? visibleTo(messages, user) : [];
}

/** The moved messages that this user can no longer read. */
export const idsLostBy = ({ messages, to }: Move, user: LiveUser): number[] =>
  to && mayRead(to, messages.at, user) ? [] : visibleTo(messages, user);

const isUpdate = (event: EmittedEvent): event is LoggedUpdate => event.type === "update_message";

function asUpdate(event: EmittedEvent): LoggedUpdate {
  if (!isUpdate(event)) throw new Error("updateShape got an event of another type");
  return event;
}

const flagsFor = ({ flags_of, flags_of_all }: LoggedUpdate, userId: number): string[] => [
  ...(flags_of.find(([id]) => id === userId)?.[1] ?? []),
  ...flags_of_all,
];

/** The messages the event is about, for this user. */
const idsFor = ({ move, message_ids }: LoggedUpdate, user: LiveUser): number[] =>
  move ? idsKeptBy(move, user) : message_ids;

const textFields = new Set(["content", "rendered_content", "orig_content", "orig_rendered_content", "is_me_message"]);

/** The event's fields without those that describe the text of a single message. */
export const withoutText = (event: object): object =>
  Object.fromEntries(Object.entries(event).filter(([name]) => !textFields.has(name)));

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
