/**
 * The audit log, for administrators. Events of its entries come only to queues that name their type, so the page has a queue
 * of its own while it is open.
 */
import type { AuditEntry } from "@skein/api/audit-log.ts";
import { NoResponse, Refusal } from "@skein/api/failures.ts";
import { getAuditActions, getAuditLog } from "@skein/api/routes/audit-log.ts";
import { deleteQueue, getEvents, register } from "@skein/api/routes/registration.ts";
import { call } from "../api/call.ts";
import { untilConnected } from "./sync.ts";

export type Entry = AuditEntry;

export interface AuditFilter {
  actor_id?: number;
  /** An action, or with a dot at the end all that begin with it; undefined: all. */
  action?: string;
  target_kind?: string;
  target_id?: number;
  /** In seconds. */
  since?: number;
  until?: number;
}

export const fetchActions = async (): Promise<readonly string[]> => (await call(getAuditActions, {})).actions;

const actionsOf = ({ action }: AuditFilter, all: readonly string[]): string[] | undefined => {
  if (action === undefined) return undefined;
  return action.endsWith(".") ? all.filter((each) => each.startsWith(action)) : [action];
};

/** The parameters that select these entries. */
export function parametersOf(filter: AuditFilter, all: readonly string[]) {
  const { action: _, ...rest } = filter;
  const action = actionsOf(filter, all);
  return action === undefined ? rest : { ...rest, action };
}

const pageSize = 50;

/** The newest entries, or those before an id. */
export const fetchEntries = (filter: AuditFilter, all: readonly string[], before?: number) =>
  call(getAuditLog, {
    ...parametersOf(filter, all),
    limit: pageSize,
    ...(before === undefined ? {} : { before }),
  });

/** Where all entries that match can be downloaded. */
export function exportAddress(filter: AuditFilter, all: readonly string[]): string {
  const query = Object.entries(parametersOf(filter, all)).map(([name, value]) => [
    name,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  return `/json/audit_log/export${query.length === 0 ? "" : `?${new URLSearchParams(query)}`}`;
}

/** Whether the filter leaves an entry, as the server would decide. */
export function matches(entry: Entry, filter: AuditFilter): boolean {
  const { actor_id, action, target_kind, target_id, since, until } = filter;
  return (
    (actor_id === undefined || entry.actor.id === actor_id) &&
    (action === undefined || (action.endsWith(".") ? entry.action.startsWith(action) : entry.action === action)) &&
    (target_kind === undefined || entry.target.kind === target_kind) &&
    (target_id === undefined || entry.target.id === target_id) &&
    (since === undefined || entry.at >= since) &&
    (until === undefined || entry.at <= until)
  );
}

const pollTimeout = 150_000;
const pause = 5000;

interface Followers {
  onEntry: (entry: Entry) => void;
  /** Entries may have been missed: fetch them again. */
  onGap: () => void;
}

/** Tells about new entries until it is stopped. */
export function followEntries({ onEntry, onGap }: Followers): () => void {
  const stopper = new AbortController();
  void follow(stopper.signal, { onEntry, onGap });
  return () => stopper.abort();
}

async function follow(signal: AbortSignal, { onEntry, onGap }: Followers): Promise<void> {
  let queue: { id: string; last: number } | undefined;
  let isFirst = true;
  while (!signal.aborted) {
    try {
      if (queue === undefined) {
        const made = await call(register, { event_types: ["audit_log"], fetch_event_types: [] }, { signal });
        queue = { id: made.queue_id, last: made.last_event_id };
        if (!isFirst) onGap();
        isFirst = false;
      }
      const read = { queue_id: queue.id, last_event_id: queue.last };
      const { events } = await call(getEvents, read, { signal, timeout: pollTimeout });
      if (signal.aborted) break;
      for (const event of events) {
        queue.last = Math.max(queue.last, event.id);
        if (event.type === "audit_log") onEntry(event.entry);
      }
    } catch (error) {
      if (signal.aborted) break;
      if (error instanceof Refusal && error.code === "BAD_EVENT_QUEUE_ID") queue = undefined;
      else await Promise.all([error instanceof NoResponse && untilConnected(), wait(pause)]);
    }
  }
  // If deleting fails, the server expires the queue.
  if (queue) call(deleteQueue, { queue_id: queue.id }).catch(() => undefined);
}

const wait = (milliseconds: number): Promise<void> => new Promise((resume) => setTimeout(resume, milliseconds));
