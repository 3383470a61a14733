/**
 * The format of the event log. One entry of the log (a JetStream message) contains one or more committed transactions in
 * commit order, or transient events, which belong to no transaction.
 *
 * An event's id is its position: the entry's sequence, shifted, plus the event's index in the entry. The upper half of the
 * indexes is reserved for heartbeats, whose ids lie between two entries and which are never stored.
 */
import type { Audience } from "./audience.ts";

/**
 * The format of entries and parts. Readers ignore fields they do not know, so a new field needs no new number, unless a
 * reader must not ignore it. A release reads its own format and all earlier ones; it writes a new one only if the previous
 * release reads it, too, because both run side by side during an upgrade. Without a number the format is 1.
 */
export const logFormat = 1;

/** An entry or a part that only a newer release can read. Skipping it would make clients' state wrong. */
export class NewerFormat extends Error {
  override name = "NewerFormat";

  constructor(format: number | string) {
    super(
      `the event log contains entries in format ${format}, written by a newer release; this release reads up to format ` +
        `${logFormat}: start the newer release in place of this process`,
    );
  }
}

/** A client event as it is emitted: its declared shape without `id`, or an internal one that is shaped per queue. */
export interface EmittedEvent {
  type: string;
  op?: string;
  [field: string]: unknown;
}

/** Users start (`from`) or stop (`until`) receiving a channel's messages, at this message id. */
export interface SubscriptionChange {
  channel: number;
  users: number[];
  from?: number;
  until?: number;
}

/** A user mutes (`from`) or unmutes (`until`) a sender; messages sent while muted count as read. */
export interface MuteChange {
  user: number;
  sender: number;
  from?: number;
  until?: number;
}

/** A user's previous role: it decides which of the events before this change they receive. */
export interface RoleChange {
  user: number;
  was: number;
}

/** A change of an account. A database trigger writes it, so that no change is missed. */
export interface AccountChange {
  user: number;
  version: number;
  role: number;
  active: boolean;
}

/** When a user was last active (0: never) and when a client of theirs was last connected, in milliseconds. */
export type PresenceReport = [user: number, activeAt: number, connectedAt: number];

/** One call of pg_logical_emit_message: a part of a transaction. The names are short to keep the log small. */
export interface LogPart {
  /** The transaction's id, absent for transient events. */
  x?: number;
  /** The organization. */
  r: number;
  /** The part's format (`logFormat`), directly after the organization; absent for 1. */
  v?: number;
  /** Events with their audiences. */
  e?: [Audience, EmittedEvent][];
  s?: SubscriptionChange[];
  m?: MuteChange[];
  w?: RoleChange[];
  u?: AccountChange[];
  /** The organization's own row changed. */
  realm?: true;
  /** Deleted queues. */
  q?: string[];
  /** All queues of the organization whose snapshot does not include this transaction are over. See end-queues.ts. */
  over?: true;
  /** Presence reports; always transient. */
  p?: PresenceReport[];
  /** Users who stopped sharing their presence, and when, in milliseconds. */
  hidden?: [user: number, at: number][];
}

/** The position of an entry, unique across epochs. */
export interface LogPosition {
  epoch: number;
  sequence: number;
}

const indexes = 2 ** 14;
export const maxEventsPerEntry = indexes / 2;

/** Approximate length of a part in characters; only a part with a single event may be longer. */
export const maxPartLength = 512 * 1024;
/** A change with a larger event is rejected, because the event would not fit into the log. */
export const maxEventBytes = 4 * 1024 ** 2;
/** The `max_payload` that NATS needs for the largest event. */
export const requiredPayload = 8 * 1024 ** 2;

export const eventId = (sequence: number, index: number): number => sequence * indexes + index;
export const sequenceOf = (id: number): number => Math.floor(id / indexes);

/** A position after all events of the entry, before the next entry, and after `last`. */
export const heartbeatId = (sequence: number, last: number): number =>
  Math.max(eventId(sequence, maxEventsPerEntry), last + 1);

/** Marks our messages in PostgreSQL's write-ahead log. */
export const prefix = "skein";

/** Splits the content of such a message: the number of events, a line break, the part as JSON. */
export function splitPayload(payload: Buffer): { events: number; json: Buffer } {
  const lineBreak = payload.indexOf(10);
  const head = payload.toString("latin1", 0, Math.max(0, lineBreak));
  if (!/^\d+$/.test(head)) throw new NewerFormat(`"${head.slice(0, 20)}"`);
  return { events: Number(head), json: payload.subarray(lineBreak + 1) };
}

/** How far the log reaches: it contains everything before `lsn`, and this many parts of the transaction committed there. */
export interface RelayPosition {
  lsn: bigint;
  parts: number;
}

export const writePosition = ({ lsn, parts }: RelayPosition): string => `${writeLsn(lsn)}+${parts}`;

export function readPosition(text: string): RelayPosition {
  const [lsn = "", parts = ""] = text.split("+");
  return { lsn: readLsn(lsn), parts: Number(parts) };
}

export const writeLsn = (lsn: bigint): string =>
  `${(lsn >> 32n).toString(16).toUpperCase()}/${(lsn & 0xffffffffn).toString(16).toUpperCase()}`;

export function readLsn(text: string): bigint {
  const [high = "0", low = "0"] = text.split("/");
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
}
