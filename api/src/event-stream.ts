/**
 * Reads the events of a queue as a stream of server-sent events (GET /events/stream). A stream can end at any time: the
 * client continues from the newest position it got, with another stream or a long poll.
 */
import type { QueuedEvent } from "./events.ts";

/** A proxy that holds back what arrives shows nothing for this long, although the server sends a line at once. */
const firstLineTimeout = 5000;
/** The server sends something every 45 seconds or more often: a stream that is silent for longer has lost its connection. */
export const silenceTimeout = 60_000;
/** Timers stand still while a machine sleeps: it is the time of day that shows how long a stream was silent. */
const silenceInterval = 5000;
/** A stream that is cut off sooner than this is broken by something on the way. */
const shortLife = 60_000;
/** A stream that the server itself ends sooner than this did not work either. */
const hardlyBegun = 5000;
const brokenUntilGivenUp = 3;
/** How long streams that do not work are left alone: at first, and after many attempts. */
const firstRest = 60_000;
const longestRest = 3_600_000;

/**
 * What happened next: events (or a heartbeat with the position up to which there are none), a message about maintenance,
 * the end. After "error", a long poll returns the error.
 */
export type StreamStep =
  | { type: "events"; events: QueuedEvent[] }
  | { type: "maintenance"; message: string | null }
  | { type: "end" | "error" };

/**
 * Opens streams for as long as they work here: the server has them, and nothing on the way holds them back or cuts them. When
 * they do not, they rest, longer each time, and are then tried again.
 */
export class EventStreams {
  /** Requests this path below the API's root. */
  readonly #fetch: (path: string, signal: AbortSignal) => Promise<Response>;
  /** How many in a row. */
  #broken = 0;
  #rest = firstRest;
  #restsUntil = -Infinity;

  constructor(fetchPath: (path: string, signal: AbortSignal) => Promise<Response>) {
    this.#fetch = fetchPath;
  }

  get isAvailable(): boolean {
    return Date.now() >= this.#restsUntil;
  }

  /** Undefined if there is none now; a long poll may tell why. Throws if the connection is lost. */
  async open(queueId: string, lastEventId: number, signal?: AbortSignal): Promise<EventStream | undefined> {
    const limit = new AbortController();
    const abort = (): void => limit.abort(signal?.reason);
    const query = new URLSearchParams({ queue_id: queueId, last_event_id: String(lastEventId) });
    let isHeldBack = false;
    let stream: EventStream | undefined;
    const timer = setTimeout(() => {
      isHeldBack = true;
      limit.abort();
    }, firstLineTimeout);
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort, { once: true });
    const done = (): void => signal?.removeEventListener("abort", abort);
    try {
      const response = await this.#fetch(`/events/stream?${query.toString()}`, limit.signal);
      const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
      if (!response.ok || !isStream || !response.body) {
        limit.abort();
        done();
        // Any other refusal is probably one that a long poll gets as well.
        if (response.ok || response.status === 404 || response.status === 405) this.#giveUp();
        else this.#onEnd("broken");
        return undefined;
      }
      stream = new EventStream(response.body, limit, (how) => {
        done();
        this.#onEnd(how);
      });
      await stream.begin();
      return stream;
    } catch (error) {
      done();
      if (isHeldBack) this.#giveUp();
      else if (stream && !signal?.aborted) this.#onEnd("broken");
      stream?.abandon();
      if (!isHeldBack) throw error;
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }

  #onEnd(how: StreamLife): void {
    if (how === "held back") this.#giveUp();
    if (how === "broken" && ++this.#broken >= brokenUntilGivenUp) this.#giveUp();
    if (how !== "long") return;
    this.#broken = 0;
    this.#rest = firstRest;
  }

  #giveUp(): void {
    this.#restsUntil = Date.now() + this.#rest;
    this.#rest = Math.min(longestRest, this.#rest * 2);
    // After the rest, one more that breaks is enough.
    this.#broken = brokenUntilGivenUp - 1;
  }
}

/** What the end of a stream shows: it worked, or perhaps, or it did not. */
type StreamLife = "long" | "short" | "broken" | "held back";

export class EventStream {
  readonly #pieces: AsyncGenerator<Frame[], void, undefined>;
  readonly #limit: AbortController;
  readonly #onEnd: (how: StreamLife) => void;
  readonly #begunAt = Date.now();
  readonly #timer: ReturnType<typeof setInterval>;
  #heardAt = this.#begunAt;
  #hasBeenSilent = false;
  #hasDelivered = false;
  #steps: StreamStep[] = [];
  #isOver = false;

  constructor(body: ReadableStream<Uint8Array>, limit: AbortController, onEnd: (how: StreamLife) => void) {
    this.#pieces = framesOf(body);
    this.#limit = limit;
    this.#onEnd = onEnd;
    this.#timer = setInterval(() => {
      if (Date.now() - this.#heardAt <= silenceTimeout) return;
      this.#hasBeenSilent = true;
      this.#limit.abort(new Error("the stream of events is silent"));
    }, silenceInterval);
  }

  /** Returns when the first line has arrived. */
  async begin(): Promise<void> {
    await this.#read();
  }

  /** Throws if the connection is lost. */
  async next(): Promise<StreamStep> {
    for (;;) {
      const step = this.#steps.shift();
      if (step) {
        if (step.type === "end" || step.type === "error") this.#end(hardlyBegun);
        return step;
      }
      try {
        await this.#read();
      } catch (error) {
        this.#end(shortLife);
        throw error;
      }
    }
  }

  close(): void {
    this.#end(0);
    this.#limit.abort();
  }

  /** Like `close`, without a judgement of the stream. */
  abandon(): void {
    this.#isOver = true;
    clearInterval(this.#timer);
    this.#limit.abort();
  }

  async #read(): Promise<void> {
    const { done, value } = await this.#pieces.next();
    if (done) throw new Error("the stream of events was cut off");
    this.#heardAt = Date.now();
    this.#steps.push(...stepsOf(value));
    this.#hasDelivered ||= this.#steps.length > 0;
  }

  /** A stream that lived for a shorter time than `tooShort` is broken. */
  #end(tooShort: number): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#timer);
    const life = Date.now() - this.#begunAt;
    // Some proxies let the first line pass, and hold back the rest.
    if (this.#hasBeenSilent && !this.#hasDelivered) this.#onEnd("held back");
    else if (life < tooShort) this.#onEnd("broken");
    else this.#onEnd(life < shortLife ? "short" : "long");
  }
}

function stepsOf(frames: Frame[]): StreamStep[] {
  const events: QueuedEvent[] = [];
  const others: StreamStep[] = [];
  for (const { event, id, data } of frames) {
    // The server's own types: it checks what it sends.
    if (event === "message" && data !== undefined) events.push(JSON.parse(data) as QueuedEvent);
    else if (event === "message" && id !== undefined) events.push({ type: "heartbeat", id: Number(id) });
    else if (event === "maintenance")
      others.push({ type: event, message: (JSON.parse(data ?? "{}") as { message: string | null }).message });
    else if (event === "end" || event === "error") others.push({ type: event });
  }
  return events.length > 0 ? [{ type: "events", events }, ...others] : others;
}

interface Frame {
  /** "message" unless the frame names another one. */
  event: string;
  id: string | undefined;
  data: string | undefined;
}

/** The frames of each piece that arrives. Our server ends lines with a line feed, and data has one line. */
async function* framesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Frame[], void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    rest += decoder.decode(value, { stream: true });
    const end = rest.lastIndexOf("\n\n");
    const blocks = end < 0 ? [] : rest.slice(0, end).split("\n\n");
    if (end >= 0) rest = rest.slice(end + 2);
    yield blocks.map(toFrame);
  }
}

function toFrame(block: string): Frame {
  const lines = block.split("\n");
  const field = (name: string): string | undefined =>
    lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  return { event: field("event") ?? "message", id: field("id"), data: field("data") };
}
