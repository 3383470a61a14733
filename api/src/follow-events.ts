/**
 * The event loop of a program: registers a queue, reads it for as long as the program runs, and recovers from whatever can
 * be recovered from. It reads a stream if there is one, and otherwise by long polls.
 *
 * **Invariants:** Events of one queue are handed out once each, in order. An event counts as handled when the program asks
 * for the next one; only then can the server discard it. `position` names the newest event that was handed out, so a program
 * that stores it after handling an event handles each event at least once across its own restarts, and one that stores it
 * before handling at most once.
 */
import type { ArgumentsOf, Success } from "./client.ts";
import { EventStreams, type EventStream } from "./event-stream.ts";
import type { QueuedEvent } from "./events.ts";
import { NoResponse, Refusal } from "./failures.ts";
import type { register as registerDeclaration } from "./registration.ts";
import { pause, type Client } from "./route-client.ts";
import { getEvents, register } from "./routes.ts";

/** Which events, in which form, and which parts of the state: the parameters of POST /register. */
export type EventParams = ArgumentsOf<typeof registerDeclaration>;
export type Registration = Success<typeof registerDeclaration>;

/** A place in a queue. A program that stores it can continue from there after a restart. */
export interface EventPosition {
  queue_id: string;
  last_event_id: number;
}

export interface FollowOptions {
  /** Ends the loop; a request in flight is aborted. */
  signal?: AbortSignal;
  /** Where an earlier process stopped. Without it, or if that queue has expired, a queue is registered. */
  position?: EventPosition | undefined;
  /**
   * Called after each registration and before the first event of the new queue, with the state that its events apply to.
   * `hasGap` is true if an earlier queue was lost: what happened between its last event and this registration is in the
   * new state, but there are no events for it.
   */
  onRegister?: (registration: Registration, hasGap: boolean) => void | Promise<void>;
  /** Called before the loop waits in order to repeat a failed request. */
  onRetry?: (problem: Refusal | NoResponse, milliseconds: number) => void;
}

export interface FollowedEvents extends AsyncIterable<QueuedEvent> {
  /** The newest event that was handed out; undefined before the first registration. */
  readonly position: EventPosition | undefined;
}

/** The server ends a read after 90 seconds at the latest: a read that takes longer has lost its connection. */
const readTimeout = 120_000;
/** A registration reads a whole organization, possibly together with many others after a restart. */
const registerTimeout = 120_000;
const firstDelay = 250;
const longestDelay = 30_000;
/** A server that wants more time than this is asked again anyway. */
const longestRetryAfter = 3_600_000;

/**
 * The events of a queue, one after the other, without heartbeats. The loop ends when the signal is aborted, and throws if
 * the server refuses the program for good: a wrong key, a deactivated account, wrong parameters.
 *
 * Failed requests are repeated with exponential backoff and jitter, and not before the server's `Retry-After`. A queue that
 * no longer exists is replaced by a new one.
 */
export function followEvents(client: Client, params: EventParams, options: FollowOptions = {}): FollowedEvents {
  const { signal, onRegister, onRetry } = options;
  let position = options.position && { ...options.position };
  /** Whether the queue of the position no longer exists. */
  let isLost = false;

  const requestOptions = { ...(signal ? { signal } : {}), rateLimitPatience: 0 };
  const registerQueue = () => client.call(register, params, { ...requestOptions, timeout: registerTimeout });
  const readQueue = async (from: EventPosition) => {
    const { events } = await client.call(getEvents, { ...from }, { ...requestOptions, timeout: readTimeout });
    return events.filter(({ id }) => id > from.last_event_id);
  };

  const streams = client.open && new EventStreams(client.open);
  let stream: EventStream | undefined;
  const closeStream = (): void => {
    stream?.close();
    stream = undefined;
  };
  /** Undefined if there is no stream, or none any more: a long poll then returns the events, or the reason. */
  const readStream = async (from: EventPosition): Promise<QueuedEvent[] | undefined> => {
    if (!streams?.isAvailable) return undefined;
    try {
      stream ??= await streams.open(from.queue_id, from.last_event_id, signal);
      const step = await stream?.next();
      if (step?.type === "end" || step?.type === "error") closeStream();
      if (step === undefined || step.type === "error") return undefined;
      return step.type === "events" ? step.events.filter(({ id }) => id > from.last_event_id) : [];
    } catch (error) {
      closeStream();
      signal?.throwIfAborted();
      throw new NoResponse(undefined, { cause: error });
    }
  };

  async function* run(): AsyncGenerator<QueuedEvent, void, undefined> {
    /** Registered, but not read yet. */
    let isFresh = false;
    let hasWorked = false;
    /** Since the last successful read. */
    let failures = 0;
    /** Makes the request and waits after a failure that may pass; undefined means: look again. */
    const attempt = async <T>(request: () => Promise<T>): Promise<T | undefined> => {
      try {
        const result = await request();
        hasWorked = true;
        return result;
      } catch (error) {
        signal?.throwIfAborted();
        if (isQueueLost(error)) {
          isLost = true;
          // If a new queue is lost at once, the server has a problem.
          if (!isFresh) return undefined;
        } else if (!mayPass(error, hasWorked)) throw error;
        const wait = delayAfter(error, failures++);
        onRetry?.(error, wait);
        await pause(wait, signal);
        return undefined;
      }
    };

    for (;;) {
      signal?.throwIfAborted();
      if (!position || isLost) {
        closeStream();
        const registration = await attempt(registerQueue);
        if (!registration) continue;
        // If this fails, another iteration registers again.
        await onRegister?.(registration, position !== undefined);
        position = { queue_id: registration.queue_id, last_event_id: registration.last_event_id };
        isLost = false;
        isFresh = true;
        continue;
      }
      const from = position;
      const begun = Date.now();
      const events = await attempt(async () => (await readStream(from)) ?? readQueue(from));
      if (!events) continue;
      failures = 0;
      isFresh = false;
      for (const event of events) {
        signal?.throwIfAborted();
        position = { queue_id: from.queue_id, last_event_id: event.id };
        if (event.type !== "heartbeat") yield event;
      }
      // A node that shuts down ends reads without events, and it may be the only one.
      const isIdle = events.every(({ type }) => type === "heartbeat");
      if (isIdle && Date.now() - begun < firstDelay) await pause(firstDelay * Math.random(), signal);
    }
  }

  /** An aborted loop ends like any other. */
  async function* untilAborted(): AsyncGenerator<QueuedEvent, void, undefined> {
    try {
      yield* run();
    } catch (error) {
      if (!signal?.aborted || error !== signal.reason) throw error;
    } finally {
      closeStream();
    }
  }

  return {
    get position() {
      return position && { ...position };
    },
    [Symbol.asyncIterator]: untilAborted,
  };
}

const isQueueLost = (error: unknown): error is Refusal =>
  error instanceof Refusal && error.code === "BAD_EVENT_QUEUE_ID";

function mayPass(error: unknown, hasWorked: boolean): error is Refusal | NoResponse {
  if (error instanceof Refusal) return error.status === 429 || error.status === 408;
  if (!(error instanceof NoResponse)) return false;
  // Some proxies respond 404 while a server restarts. But if nothing has worked yet, it is probably not the right site.
  return hasWorked || error.status === undefined || error.status >= 500;
}

/** Doubles with every failure, is never twice the same, and is later than the server asks for. */
function delayAfter({ retryAfter = 0 }: Refusal | NoResponse, failures: number): number {
  const most = Math.min(longestDelay, firstDelay * 2 ** failures);
  return Math.min(retryAfter, longestRetryAfter) + most * (0.5 + Math.random() / 2);
}
