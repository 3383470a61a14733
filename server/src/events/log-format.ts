/**
 * What travels in the event log. One entry of the log (a JetStream message) carries one or more committed
 * transactions in commit order, or one fleeting event that no transaction stands behind.
 *
 * An event's id is its position: the entry's sequence, shifted, plus its index among the entry's events. The upper
 * half of the indexes is for heartbeats, which stand between two entries and are never stored.
 */
import type { Audience } from "./audience.ts";

/** A client event as it is emitted: its declared shape without `id`, or an internal one that is shaped per queue. */
export interface EmittedEvent {
  type: string;
  op?: string;
  [field: string]: unknown;
}

/** People began or ceased to receive a channel's messages, from a message id on. */
export interface SubscriptionChange {
  channel: number;
  users: number[];
  from?: number;
  until?: number;
}

/** Somebody began or ceased to mute a sender, whose messages with ids from or until then are read for it. */
export interface MuteChange {
  user: number;
  sender: number;
  from?: number;
  until?: number;
}

/** Somebody has another role; what is told before this is told to who they were. */
export interface RoleChange {
  user: number;
  was: number;
}

/** An account changed. Written by a trigger of the database, so that no change can go unannounced. */
export interface AccountChange {
  user: number;
  version: number;
  role: number;
  active: boolean;
}

/** Somebody was there: who, and when last seen and last heard of, in milliseconds (0: not seen). */
export type PresenceReport = [user: number, seen: number, heard: number];

/** One call of pg_logical_emit_message: a part of a transaction. Short names: this is the log's bulk. */
export interface LogPart {
  /** The transaction's id, absent for a fleeting event. */
  x?: number;
  /** The organization. */
  r: number;
  /** Events with their audiences. */
  e?: [Audience, EmittedEvent][];
  s?: SubscriptionChange[];
  m?: MuteChange[];
  w?: RoleChange[];
  u?: AccountChange[];
  /** The organization's own row changed. */
  realm?: true;
  /** Queues that were given up. */
  q?: string[];
  /** Who was there. Fleeting. */
  p?: PresenceReport[];
  /** Who does not show any more when they are there, and since when, in milliseconds. */
  hidden?: [user: number, at: number][];
}

/** Where an entry stands, across all logs there ever were. */
export interface LogPosition {
  epoch: number;
  sequence: number;
}

const indexes = 2 ** 14;
/** At most so many events in one entry. */
export const maxEventsPerEntry = indexes / 2;

/** About how long a part is, in characters. Only one that holds a single event is longer. */
export const maxPartLength = 512 * 1024;
/** A change whose event is larger, in bytes, does not take place: the log could not carry it. */
export const maxEventBytes = 4 * 1024 ** 2;
/** What a NATS server has to take at once, so that such an event fits. */
export const payloadNeeded = 8 * 1024 ** 2;

export const eventId = (sequence: number, index: number): number => sequence * indexes + index;
export const sequenceOf = (id: number): number => Math.floor(id / indexes);

/** A position after all events of the entry and before the next one, and after `last`. */
export const heartbeatId = (sequence: number, last: number): number =>
  Math.max(eventId(sequence, maxEventsPerEntry), last + 1);

/** The payload handed to PostgreSQL: how many events, a line break, the part as JSON. */
export const prefix = "skein";

export function splitPayload(payload: Uint8Array): { events: number; json: Uint8Array } {
  const lineBreak = payload.indexOf(10);
  return {
    events: Number(Buffer.from(payload.subarray(0, lineBreak)).toString()),
    json: payload.subarray(lineBreak + 1),
  };
}

/** How far the log has come: `n` parts of the transaction committed at `lsn` are in it, and all before that. */
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
