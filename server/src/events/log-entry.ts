/**
 * The serialized form of a log entry: a head line with the log's identity and the number of events in each part, then one
 * line per part (JSON text has no line breaks). A node parses parts with updates for nodes at once, and parts with events
 * for clients only if a user of that organization has a queue here.
 */
import type { Audience } from "./audience.ts";
import { eventId, logFormat, NewerFormat, type EmittedEvent, type LogPart } from "./log-format.ts";

/** An event in the form for a reader, as JSON. */
export interface EventText {
  readonly id: number;
  readonly text: string;
}

/** An event as the node holds it: parsed once, serialized once per variant. */
export interface LogEvent {
  id: number;
  /** Absent for transient events. */
  xid: number | undefined;
  realmId: number;
  audience: Audience;
  event: EmittedEvent;
  variants: Map<string, EventText> | undefined;
}

export interface EntryHead {
  /** Absent when release 0.1.0 wrote it, whose format is 1. */
  format?: number;
  epoch: number;
  /** Absent when an earlier version wrote it. */
  generation?: string | undefined;
  /** The sequence the database had confirmed before this was published; absent for transient events. */
  confirmed?: number | undefined;
  /** When its oldest transaction committed, by PostgreSQL's clock, in milliseconds. For metrics: absent in older entries. */
  at?: number | undefined;
  /** The relay's spans of the traces that go through this entry, if there are any. */
  traces?: string[] | undefined;
  /** The number of events in each part. */
  events: number[];
}

const lineBreak = 10;
const newline = Buffer.from("\n");

export function writeEntry(log: Omit<EntryHead, "events">, parts: { events: number; json: Uint8Array }[]): Uint8Array {
  const head: EntryHead = { format: logFormat, ...log, events: parts.map((part) => part.events) };
  return Buffer.concat([Buffer.from(JSON.stringify(head)), ...parts.flatMap((part) => [newline, part.json])]);
}

/** The first line of an entry. */
export function readHead(data: Uint8Array): EntryHead {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  return JSON.parse(bytes.toString("utf8", 0, endOfLine(bytes, 0))) as EntryHead; // written by writeEntry
}

export interface LogEntry {
  epoch: number;
  generation: string | undefined;
  confirmed: number | undefined;
  sequence: number;
  /** When its oldest transaction committed, by PostgreSQL's clock. */
  committedAt: number | undefined;
  /** The relay's spans of the traces that go through this entry. */
  traces: readonly string[];
  receivedAt: number;
  bytes: number;
  isCommitted: boolean;
  parts: EntryPart[];
  /** The entry is malformed, so it is unknown which events it contained. */
  isUnreadable: boolean;
}

/** Throws `NewerFormat` if only a newer release can read the entry or one of its parts. */
export function readEntry(sequence: number, isCommitted: boolean, data: Uint8Array): LogEntry {
  // A copy, because the data is a view of the connection's buffer, which the next message overwrites.
  const bytes = Buffer.from(data);
  let end = endOfLine(bytes, 0);
  const head = JSON.parse(bytes.toString("utf8", 0, end)) as EntryHead; // written by writeEntry
  if ((head.format ?? 1) > logFormat) throw new NewerFormat(head.format ?? 1);
  let index = 0;
  const parts = head.events.map((events) => {
    const start = end + 1;
    end = endOfLine(bytes, start);
    const part = new EntryPart(bytes.subarray(start, end), events, eventId(sequence, index));
    index += events;
    return part;
  });
  const { epoch, generation, confirmed, at: committedAt, traces = [] } = head;
  const about = { epoch, generation, confirmed, sequence, committedAt, traces, receivedAt: Date.now() };
  return { ...about, bytes: data.length, isCommitted, parts, isUnreadable: false };
}

function endOfLine(bytes: Buffer, from: number): number {
  const end = bytes.indexOf(lineBreak, from);
  return end < 0 ? bytes.length : end;
}

/** How every part begins: with its transaction id (unless it is transient), its organization and its format (unless 1). */
const partStart = /^\{(?:"x" ?: ?(\d+), ?)?"r" ?: ?(\d+)(?:, ?"v" ?: ?(\d+))?/;
const maxPartStart = 80;

const readPartStart = (bytes: Buffer): RegExpExecArray | null =>
  partStart.exec(bytes.toString("latin1", 0, Math.min(bytes.length, maxPartStart)));

/** The transaction that a part belongs to, if it belongs to one. */
export function transactionOf(part: Buffer): number | undefined {
  const xid = readPartStart(part)?.[1];
  return xid === undefined ? undefined : Number(xid);
}

export class EntryPart {
  /** Absent for transient events. */
  readonly xid: number | undefined;
  readonly realmId: number;
  /** The id of the part's first event, or of the next part's if this one has no events. */
  readonly firstId: number;
  readonly #bytes: Buffer;
  readonly #count: number;
  #events: LogEvent[] | undefined;
  #nodeUpdate: LogPart | undefined;

  constructor(bytes: Buffer, count: number, firstId: number) {
    const found = readPartStart(bytes);
    if (!found) throw new Error("malformed part in the event log");
    if (found[3] !== undefined && Number(found[3]) > logFormat) throw new NewerFormat(found[3]);
    this.xid = found[1] === undefined ? undefined : Number(found[1]);
    this.realmId = Number(found[2]);
    this.#bytes = bytes;
    this.#count = count;
    this.firstId = firstId;
  }

  /** The update for nodes; only parts without events contain one. */
  get nodeUpdate(): LogPart | undefined {
    if (this.#count > 0) return undefined;
    return (this.#nodeUpdate ??= this.#parse());
  }

  get hasEvents(): boolean {
    return this.#count > 0;
  }

  get events(): LogEvent[] {
    if (this.#count === 0) return [];
    return (this.#events ??= (this.#parse().e ?? []).map(([audience, event], index) => ({
      id: this.firstId + index,
      xid: this.xid,
      realmId: this.realmId,
      audience,
      event,
      variants: undefined,
    })));
  }

  #parse(): LogPart {
    return JSON.parse(this.#bytes.toString("utf8")) as LogPart; // written by emit or a statement that emits
  }
}
