/**
 * The client's place in the server's log: registers, then asks for events for as long as the page lives.
 *
 *   starting → live            registered, and heard of within the heartbeat's time
 *   live → late                no heartbeat for one and a half times its interval: ask anew at once
 *   live, late → reconnecting  a request failed: again after 0.5 to 30 s, at once when the network is back
 *   reconnecting → offline     it has failed for a while, or the device says there is no network
 *   any → live                 an answer
 *
 * A queue that is gone is replaced in the background: state is swapped, what is on screen stays.
 */
import { batch, signal } from "@preact/signals";
import { getEvents, register } from "@skein/api/routes.ts";
import { registration, takeRegistration } from "../api/ahead.ts";
import { call } from "../api/call.ts";
import { NoAnswer, Refusal } from "../api/failures.ts";
import { distrustLists } from "./lists.ts";
import { showUntold, takeEvents } from "./optimistic.ts";
import { withSlimUsers } from "./people.ts";
import { replaceState } from "./state.ts";
import { distrustSubscribers } from "./subscribers.ts";
import { distrustTopics } from "./topics.ts";

export type Connection = "starting" | "live" | "late" | "reconnecting" | "offline";

export const connection = signal<Connection>("starting");
/** Raised each time the queue was replaced: what was fetched before may lack something. */
export const generation = signal(0);

const heartbeatSeconds = 50;
const lateAfter = heartbeatSeconds * 1500;
const failuresUntilOffline = 4;
/** An answer this long ago may have come before the machine slept. */
const staleAfter = 60_000;

interface Queue {
  id: string;
  lastEventId: number;
}

let queue: Queue | undefined;
let failures = 0;
let heardAt = 0;
let isCheckWanted = false;
let interrupt: AbortController | undefined;
let endPause: (() => void) | undefined;
let listeners: (() => void)[] = [];

/** The queue whose events will carry the local ids of what is sent. */
export const queueId = (): string | undefined => queue?.id;

/** Resolves when the server has answered anew; asks it soon. */
export function untilHeard(): Promise<void> {
  const answered = new Promise<void>((resume) => listeners.push(resume));
  askNow();
  return answered;
}

/** Does not wait for what is under way. */
function askNow(): void {
  isCheckWanted = true;
  interrupt?.abort();
  endPause?.();
}

export async function startSync(): Promise<never> {
  addEventListener("online", askNow);
  addEventListener("offline", () => {
    connection.value = "offline";
    interrupt?.abort();
  });
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState !== "visible") return;
    if (failures > 0 || Date.now() - heardAt > staleAfter) askNow();
  });
  for (;;) {
    try {
      if (queue === undefined) queue = await registerAnew();
      else await poll(queue);
      heard();
    } catch (error) {
      if (error instanceof Refusal && error.code === "BAD_EVENT_QUEUE_ID") queue = undefined;
      else if (isInterruption(error)) continue;
      else if (error instanceof Refusal || error instanceof NoAnswer) await pauseAfterFailure(error);
      else throw error;
    }
  }
}

async function registerAnew(): Promise<Queue> {
  const answer = await call(register, registration, { timeout: 60_000, ahead: takeRegistration() });
  const { result: _result, msg: _msg, queue_id, last_event_id, user_id, ...state } = answer;
  if (user_id === undefined) throw new Error("registration said nothing of the user");
  batch(() => {
    replaceState(withSlimUsers({ ...state, user_id }));
    showUntold();
    if (generation.peek() > 0) {
      distrustLists();
      distrustTopics();
      distrustSubscribers();
    }
    generation.value++;
  });
  return { id: queue_id, lastEventId: last_event_id };
}

async function poll(from: Queue): Promise<void> {
  interrupt = new AbortController();
  const dont_block = isCheckWanted;
  isCheckWanted = false;
  const late = setTimeout(() => {
    connection.value = "late";
    interrupt?.abort();
  }, lateAfter);
  try {
    const { events } = await call(
      getEvents,
      { queue_id: from.id, last_event_id: from.lastEventId, dont_block },
      { signal: interrupt.signal, timeout: 2 * lateAfter },
    );
    from.lastEventId = events.at(-1)?.id ?? from.lastEventId;
    takeEvents(events);
  } finally {
    clearTimeout(late);
    interrupt = undefined;
  }
}

function heard(): void {
  failures = 0;
  heardAt = Date.now();
  connection.value = "live";
  const resumed = listeners;
  listeners = [];
  for (const resume of resumed) resume();
}

const isInterruption = (error: unknown): boolean =>
  error instanceof NoAnswer && error.cause instanceof DOMException && error.cause.name === "AbortError";

async function pauseAfterFailure(error: Error): Promise<void> {
  failures++;
  const isOffline = !navigator.onLine || failures >= failuresUntilOffline;
  connection.value = isOffline ? "offline" : "reconnecting";
  const grown = Math.min(30_000, 500 * 2 ** (failures - 1));
  const wait = retryAfter(error) ?? grown * (0.5 + Math.random() / 2);
  await new Promise<void>((resume) => {
    const timer = setTimeout(resume, wait);
    endPause = () => {
      clearTimeout(timer);
      resume();
    };
  });
  endPause = undefined;
  isCheckWanted = true;
}

const retryAfter = (error: Error): number | undefined => {
  const seconds = error instanceof Refusal ? error.data["retry-after"] : undefined;
  return typeof seconds === "number" ? seconds * 1000 : undefined;
};
