/**
 * The only way to send events to clients. Emitted events are written to PostgreSQL's write-ahead log as part of the
 * transaction, so that an event exists if and only if its change committed.
 */
import { sql } from "kysely";
import { ApiError } from "../errors.ts";
import { beforeCommit, type Tx } from "../platform/db/transaction.ts";
import type { Audience } from "./audience.ts";
import {
  maxEventBytes,
  maxEventsPerEntry,
  maxPartLength,
  prefix,
  type EmittedEvent,
  type MuteChange,
  type RoleChange,
  type SubscriptionChange,
} from "./log-format.ts";

interface Pending {
  realmId: number;
  events: [Audience, EmittedEvent][];
  changes: SubscriptionChange[];
  mutes: MuteChange[];
  roles: RoleChange[];
}

const pending = new WeakMap<object, Pending>();
let checkEvent: ((event: EmittedEvent) => void) | undefined;

/** In tests and development every event is checked against its declaration when it is emitted. */
export function checkEmittedEvents(check: (event: EmittedEvent) => void): void {
  checkEvent = check;
}

export function emit(tx: Tx, realmId: number, audience: Audience, event: EmittedEvent): void {
  checkEvent?.(event);
  collect(tx, realmId).events.push([audience, event]);
}

/** Informs the nodes about a change of a channel's subscribers, in the same transaction as its events. */
export function emitSubscriptionChange(tx: Tx, realmId: number, change: SubscriptionChange): void {
  collect(tx, realmId).changes.push(change);
}

/** Informs the nodes about a change of a user's muted users, in the same transaction as its events. */
export function emitMuteChange(tx: Tx, realmId: number, change: MuteChange): void {
  collect(tx, realmId).mutes.push(change);
}

/** Informs the nodes about a user's previous role, in the same transaction as its events. */
export function emitRoleChange(tx: Tx, realmId: number, change: RoleChange): void {
  collect(tx, realmId).roles.push(change);
}

function collect(tx: Tx, realmId: number): Pending {
  const known = pending.get(tx);
  if (known) {
    if (known.realmId !== realmId) throw new Error("a transaction belongs to one organization");
    return known;
  }
  const fresh: Pending = { realmId, events: [], changes: [], mutes: [], roles: [] };
  pending.set(tx, fresh);
  beforeCommit(tx, pending, write);
  return fresh;
}

const maxEventsPerPart = Math.min(1000, maxEventsPerEntry);

/** Writes the events emitted so far before those that the transaction writes next with a separate statement. */
export const flushEvents = (tx: Tx): Promise<void> => write(tx);

async function write(tx: Tx): Promise<void> {
  const all = pending.get(tx);
  if (!all) return;
  pending.delete(tx);
  for (const part of inParts(all)) await sql`select ${emitMessage(part)}`.execute(tx);
}

/** The text of one part without its transaction id, which only the database knows. */
export interface PartText {
  events: number;
  fields: string;
}

/** SQL that writes a part to the log, for statements that make a change and emit its event at once. */
export const emitMessage = ({ events, fields }: PartText) =>
  sql`pg_logical_emit_message(true, ${prefix}, ${`${events}\n{"x":`} || pg_current_xact_id()::text || ${`,${fields}}`})`;

/** Subscription changes are written before the events that depend on them. */
function* inParts({ realmId, events, changes, mutes, roles }: Pending): Iterable<PartText> {
  for (const texts of inChunks(changes)) yield { events: 0, fields: `"r":${realmId},"s":[${texts.join(",")}]` };
  for (const texts of inChunks(mutes)) yield { events: 0, fields: `"r":${realmId},"m":[${texts.join(",")}]` };
  for (const texts of inChunks(roles)) yield { events: 0, fields: `"r":${realmId},"w":[${texts.join(",")}]` };
  for (const texts of inChunks(events))
    yield { events: texts.length, fields: `"r":${realmId},"e":[${texts.join(",")}]` };
}

/** Groups JSON texts, as many as fit into a part. */
function* inChunks(items: unknown[]): Iterable<string[]> {
  let texts: string[] = [];
  let length = 0;
  for (const item of items) {
    const text = JSON.stringify(item);
    if (text.length > maxPartLength && Buffer.byteLength(text) > maxEventBytes)
      throw new ApiError("This change is too large. Split it into smaller ones.");
    if (texts.length >= maxEventsPerPart || (texts.length > 0 && length + text.length > maxPartLength)) {
      yield texts;
      texts = [];
      length = 0;
    }
    texts.push(text);
    length += text.length;
  }
  if (texts.length > 0) yield texts;
}
