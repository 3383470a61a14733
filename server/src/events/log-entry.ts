/**
 * An entry of the log as it travels: a line with the epoch and how many events each part holds, then each part on a
 * line of its own (JSON text has no line breaks). A node reads the parts that concern nodes at once, and those with
 * events for clients only when somebody of that organization has a queue here.
 */
import type { Audience } from "./audience.ts";
import { eventId, type EmittedEvent, type LogPart } from "./log-format.ts";

/** An event as the node holds it: parsed once, serialized once per variant. */
export interface LogEvent {
  id: number;
  /** Absent for fleeting events. */
  xid: number | undefined;
  realmId: number;
  audience: Audience;
  event: EmittedEvent;
  variants: Map<string, string> | undefined;
}

interface EntryHead {
  epoch: number;
  /** How many events, part by part. */
  events: number[];
}

const lineBreak = 10;
const newline = Buffer.from("\n");

export function writeEntry(epoch: number, parts: { events: number; json: Uint8Array }[]): Uint8Array {
  const head: EntryHead = { epoch, events: parts.map((part) => part.events) };
  return Buffer.concat([Buffer.from(JSON.stringify(head)), ...parts.flatMap((part) => [newline, part.json])]);
}

export interface LogEntry {
  epoch: number;
  sequence: number;
  receivedAt: number;
  bytes: number;
  isCommitted: boolean;
  parts: EntryPart[];
}

export function readEntry(sequence: number, isCommitted: boolean, data: Uint8Array): LogEntry {
  // A copy: what arrives is a view of the connection's buffer, which the next message overwrites.
  const bytes = Buffer.from(data);
  let end = endOfLine(bytes, 0);
  const head = JSON.parse(bytes.toString("utf8", 0, end)) as EntryHead; // written by writeEntry
  let index = 0;
  const parts = head.events.map((events) => {
    const start = end + 1;
    end = endOfLine(bytes, start);
    const part = new EntryPart(bytes.subarray(start, end), events, eventId(sequence, index));
    index += events;
    return part;
  });
  return { epoch: head.epoch, sequence, receivedAt: Date.now(), bytes: data.length, isCommitted, parts };
}

function endOfLine(bytes: Buffer, from: number): number {
  const end = bytes.indexOf(lineBreak, from);
  return end < 0 ? bytes.length : end;
}

/** How every part begins, whoever wrote it: its transaction, unless it is fleeting, and its organization. */
const beginning = /^\{(?:"x" ?: ?(\d+), ?)?"r" ?: ?(\d+)/;
const longestBeginning = 80;

export class EntryPart {
  /** Absent for fleeting events. */
  readonly xid: number | undefined;
  readonly realmId: number;
  /** The id of its first event; of the next part's, when it has none. */
  readonly firstId: number;
  readonly #bytes: Buffer;
  readonly #count: number;
  #events: LogEvent[] | undefined;
  #news: LogPart | undefined;

  constructor(bytes: Buffer, count: number, firstId: number) {
    const found = beginning.exec(bytes.toString("latin1", 0, Math.min(bytes.length, longestBeginning)));
    if (!found) throw new Error("a part of the event log does not begin as it should");
    this.xid = found[1] === undefined ? undefined : Number(found[1]);
    this.realmId = Number(found[2]);
    this.#bytes = bytes;
    this.#count = count;
    this.firstId = firstId;
  }

  /** What nodes have to know, of a part that holds no events. */
  get news(): LogPart | undefined {
    if (this.#count > 0) return undefined;
    return (this.#news ??= this.#parse());
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
