/**
 * Reads the queue of `sync.ts` as a stream; loaded while the page registers. **Invariant:** what a stream returns follows its
 * position without a gap, and it does not outlive its queue or the session in which it began.
 */
import type { QueuedEvent } from "@skein/api/events.ts";
import { EventStreams, silenceTimeout, type EventStream } from "@skein/api/event-stream.ts";
import { NoResponse } from "@skein/api/failures.ts";
import { csrfToken } from "../api/ahead.ts";
import { maintenance, noteMaintenance } from "../api/maintenance.ts";
import { isSignedOut } from "../api/session.ts";

interface Position {
  id: string;
  lastEventId: number;
}

export interface Streamed {
  events: QueuedEvent[];
  /** The events are not older than this. */
  requestedAt: number;
}

const streams = new EventStreams(async (path, signal) => {
  const response = await fetch(`/json${path}`, { signal });
  noteMaintenance(response);
  return response;
});

let open: { stream: EventStream; queueId: string; session: string; openedAt: number } | undefined;

/** Whether the next read may be a stream. */
export const hasStreams = (): boolean => streams.isAvailable;

function close(): void {
  open?.stream.close();
  open = undefined;
}

/**
 * The next events, possibly none; undefined if a request has to tell what is the matter: there is no stream, it was cut off,
 * it ended with an error, or another session may have begun.
 */
export async function readStream(from: Position, signal: AbortSignal): Promise<Streamed | undefined> {
  if (open && open.queueId !== from.id) close();
  if (isSignedOut.peek() || (!open && !streams.isAvailable)) return undefined;
  signal.addEventListener("abort", close);
  try {
    open ??= await begin(from, signal);
    const step = await open?.stream.next();
    // The server knows the session with which the stream began, the browser possibly another one.
    if (!open || step === undefined || step.type === "error" || open.session !== csrfToken()) {
      close();
      return undefined;
    }
    const requestedAt = Math.max(open.openedAt, performance.now() - silenceTimeout);
    if (step.type === "maintenance") maintenance.value = step.message ?? undefined;
    if (step.type === "end") close();
    return { events: step.type === "events" ? step.events : [], requestedAt };
  } catch {
    close();
    if (signal.aborted) throw new NoResponse(undefined, { cause: signal.reason });
    return undefined;
  } finally {
    signal.removeEventListener("abort", close);
  }
}

async function begin({ id, lastEventId }: Position, signal: AbortSignal): Promise<typeof open> {
  const session = csrfToken();
  const openedAt = performance.now();
  const stream = await streams.open(id, lastEventId, signal);
  return stream && { stream, queueId: id, session, openedAt };
}
