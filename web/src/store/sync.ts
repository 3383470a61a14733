/**
 * The client's position in the server's event log: registers, then reads events as long as the page is open, from a stream
 * (streaming.ts) or, before that is loaded and where streams do not work, by long polls. A stream begins only after another
 * request has succeeded, so what a stream fails at is not the network.
 *
 *   starting → live            registered, and a response within the heartbeat interval
 *   live → late                no heartbeat for 1.5 times the interval: poll again at once
 *   live, late → reconnecting  a request failed: retry after 0.5 to 4 s, at once when the network is back
 *   reconnecting → offline     retries have failed for a while, or the device reports no network
 *   any → live                 a response
 *
 * A lost queue is replaced in the background: state is swapped, and what is on screen stays. So is a queue with an event
 * that could not be applied: the view may be wrong until the state is fetched again. **Invariant:** the loop never ends.
 */
import { batch, signal } from "@preact/signals";
import { deleteQueue, getEvents, register } from "@skein/api/routes/registration.ts";
import { registration, takeRegistration } from "../api/ahead.ts";
import { call } from "../api/call.ts";
import { NoResponse, Refusal } from "@skein/api/failures.ts";
import { startOver } from "../api/session.ts";
import { applyEvents, applyRegistration } from "./events.ts";
import { invalidateLists } from "./lists.ts";
import { withSlimUsers } from "./people.ts";
import { ownId } from "./state.ts";
import type * as streamingModule from "./streaming.ts";
import { invalidateSubscribers } from "./subscribers.ts";
import { invalidateTopics } from "./topics.ts";

export type Connection = "starting" | "live" | "late" | "reconnecting" | "offline";

export const connection = signal<Connection>("starting");
/** Incremented each time the queue is replaced: data fetched earlier may be missing changes. */
export const generation = signal(0);

const heartbeatSeconds = 50;
const lateAfter = heartbeatSeconds * 1500;
const failuresUntilOffline = 4;
/** Minimum time between two replacements, in case many events cannot be applied. */
const minRenewalInterval = 60_000;
/** A server that is back is noticed within five seconds, with jitter so that clients do not all retry at once. */
const maxPause = 4000;
/** Timeout of a request that must be quick; on a dead connection it would hang for minutes. */
const checkTimeout = 10_000;
/** When a chunk that could not be loaded is tried again. */
const streamingRetry = 60_000;
/** A response older than this may predate the machine's sleep. */
const staleAfter = 60_000;

interface Queue {
  id: string;
  lastEventId: number;
}

let queue: Queue | undefined;
/** An event could not be applied. */
let isOutOfSync = false;
let renewedAt = -Infinity;
let failures = 0;
let lastResponseAt = 0;
let isCheckRequested = false;
let interrupt: AbortController | undefined;
let endPause: (() => void) | undefined;
/** Undefined until it is loaded. */
let streaming: typeof streamingModule | undefined;
let listeners: (() => void)[] = [];

/** The queue whose events carry the local ids of sent messages. */
export const queueId = (): string | undefined => queue?.id;

/** Resolves when the server has responded again; triggers a poll soon. */
export function untilConnected(): Promise<void> {
  const connected = new Promise<void>((resume) => listeners.push(resume));
  retryNow();
  return connected;
}

/** Does not wait for requests in flight. */
export function retryNow(): void {
  isCheckRequested = true;
  interrupt?.abort();
  endPause?.();
}

export async function startSync(): Promise<never> {
  addEventListener("online", retryNow);
  addEventListener("offline", () => {
    connection.value = "offline";
    interrupt?.abort();
  });
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState !== "visible") return;
    if (failures > 0 || Date.now() - lastResponseAt > staleAfter) retryNow();
  });
  void loadStreaming();
  for (;;) {
    try {
      if (queue && isOutOfSync && Date.now() - renewedAt > minRenewalInterval) dropQueue(queue);
      if (queue === undefined) queue = await registerQueue();
      else await read(queue);
      onResponse();
    } catch (error) {
      if (error instanceof Refusal && error.code === "BAD_EVENT_QUEUE_ID") queue = undefined;
      else if (isInterruption(error)) continue;
      else {
        if (!(error instanceof Refusal || error instanceof NoResponse)) {
          isOutOfSync = true;
          reportError(error);
        }
        await pauseAfterFailure(error);
      }
    }
  }
}

/** Nobody will poll this queue any more. */
function dropQueue({ id }: Queue): void {
  queue = undefined;
  renewedAt = Date.now();
  // If deleting fails, the server expires the queue.
  call(deleteQueue, { queue_id: id }).catch(() => undefined);
}

async function registerQueue(): Promise<Queue> {
  const requestedAt = performance.now();
  const response = await call(register, registration, { timeout: 60_000, ahead: takeRegistration() });
  const { result: _result, msg: _msg, queue_id, last_event_id, user_id, ...state } = response;
  if (user_id === undefined) throw new Error("the registration response has no user_id");
  if (generation.peek() > 0 && user_id !== ownId.peek()) await startOver();
  isOutOfSync = false;
  batch(() => {
    applyRegistration(withSlimUsers({ ...state, user_id }), requestedAt);
    if (generation.peek() > 0) {
      invalidateLists();
      invalidateTopics();
      invalidateSubscribers();
    }
    generation.value++;
  });
  return { id: queue_id, lastEventId: last_event_id };
}

async function loadStreaming(): Promise<void> {
  try {
    streaming = await import("./streaming.ts");
    // Do not wait for the response to a long poll.
    interrupt?.abort();
  } catch {
    setTimeout(() => void loadStreaming(), streamingRetry);
  }
}

async function read(from: Queue): Promise<void> {
  interrupt = new AbortController();
  const { signal: interrupted } = interrupt;
  const isCheck = isCheckRequested;
  isCheckRequested = false;
  try {
    const streamed = isCheck ? undefined : await streaming?.readStream(from, interrupted);
    // Wait for events only if no stream does.
    const { events, requestedAt } =
      streamed ?? (await poll(from, interrupted, isCheck || streaming?.hasStreams() === true));
    const fresh = events.filter(({ id }) => id > from.lastEventId);
    from.lastEventId = fresh.at(-1)?.id ?? from.lastEventId;
    if (!applyEvents(fresh, requestedAt)) isOutOfSync = true;
  } finally {
    interrupt = undefined;
  }
}

async function poll({ id, lastEventId }: Queue, interrupted: AbortSignal, dont_block: boolean) {
  const late = setTimeout(() => {
    connection.value = "late";
    interrupt?.abort();
  }, lateAfter);
  const requestedAt = performance.now();
  try {
    const { events } = await call(
      getEvents,
      { queue_id: id, last_event_id: lastEventId, dont_block },
      { signal: interrupted, timeout: dont_block ? checkTimeout : 2 * lateAfter },
    );
    return { events, requestedAt };
  } finally {
    clearTimeout(late);
  }
}

function onResponse(): void {
  failures = 0;
  lastResponseAt = Date.now();
  connection.value = "live";
  const resumed = listeners;
  listeners = [];
  for (const resume of resumed) resume();
}

const isInterruption = (error: unknown): boolean =>
  error instanceof NoResponse && error.cause instanceof DOMException && error.cause.name === "AbortError";

async function pauseAfterFailure(error: unknown): Promise<void> {
  failures++;
  const isOffline = !navigator.onLine || failures >= failuresUntilOffline;
  connection.value = isOffline ? "offline" : "reconnecting";
  const grown = Math.min(maxPause, 500 * 2 ** (failures - 1));
  const wait = retryAfter(error) ?? grown * (0.5 + Math.random() / 2);
  await new Promise<void>((resume) => {
    const timer = setTimeout(resume, wait);
    endPause = () => {
      clearTimeout(timer);
      resume();
    };
  });
  endPause = undefined;
  isCheckRequested = true;
}

const retryAfter = (error: unknown): number | undefined => {
  const seconds = error instanceof Refusal ? error.data["retry-after"] : undefined;
  return typeof seconds === "number" ? seconds * 1000 : undefined;
};
