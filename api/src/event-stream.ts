/**
 * Reads the events of a queue as a stream of server-sent events (GET /events/stream). A stream can end at any time: the
 * client continues from the newest position it got, with another stream or a long poll.
 */
import type { QueuedEvent } from "./events.ts";

/** A proxy that holds back what arrives shows nothing for this long, although the server sends a line at once. */
const firstLineTimeout = 5000;
/** The server sends something every 27 seconds or more often: a stream that is silent for longer has lost its connection. */
const silenceTimeout = 60_000;
/** A stream that ends sooner than this without a reason is broken by something on the way. */
const shortLife = 60_000;
const brokenUntilGivenUp = 3;

/**
 * What happened next: events (or a heartbeat with the position up to which there are none), a message about maintenance,
 * the end. After "error", a long poll returns the error.
 */
export type StreamStep =
  | { type: "events"; events: QueuedEvent[] }
  | { type: "maintenance"; message: string | null }
  | { type: "end" | "error" };

/** Opens streams for as long as they work here: the server has them, and nothing on the way holds them back or cuts them. */
export class EventStreams {
  /** Requests this path below the API's root. */
  readonly #fetch: (path: string, signal: AbortSignal) => Promise<Response>;
  #broken = 0;
  isAvailable = true;

  constructor(fetchPath: (path: string, signal: AbortSignal) => Promise<Response>) {
    this.#fetch = fetchPath;
  }

  /** Undefined if streams do not work here: `isAvailable` is false from then on. Throws if there is no connection. */
  async open(queueId: string, lastEventId: number, signal?: AbortSignal): Promise<EventStream | undefined> {
    const limit = new AbortController();
    const abort = (): void => limit.abort(signal?.reason);
    const query = new URLSearchParams({ queue_id: queueId, last_event_id: String(lastEventId) });
    let isHeldBack = false;
    let hasHead = false;
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
        // Any other refusal is one that a long poll gets as well.
        if (response.ok || response.status === 404 || response.status === 405) this.isAvailable = false;
        done();
        return undefined;
      }
      const stream = new EventStream(response.body, limit, (isBroken) => {
        done();
        if (isBroken && ++this.#broken >= brokenUntilGivenUp) this.isAvailable = false;
        if (!isBroken) this.#broken = 0;
      });
      hasHead = true;
      await stream.begin();
      return stream;
    } catch (error) {
      done();
      if (isHeldBack || (hasHead && ++this.#broken >= brokenUntilGivenUp)) this.isAvailable = false;
      if (!isHeldBack) throw error;
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }
}

export class EventStream {
  readonly #pieces: AsyncGenerator<Frame[], void, undefined>;
  readonly #limit: AbortController;
  readonly #onEnd: (isBroken: boolean) => void;
  readonly #begunAt = Date.now();
  #steps: StreamStep[] = [];
  #isOver = false;

  constructor(body: ReadableStream<Uint8Array>, limit: AbortController, onEnd: (isBroken: boolean) => void) {
    this.#pieces = framesOf(body);
    this.#limit = limit;
    this.#onEnd = onEnd;
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
        if (step.type === "end" || step.type === "error") this.#end(false);
        return step;
      }
      const timer = setTimeout(() => this.#limit.abort(new Error("the stream of events is silent")), silenceTimeout);
      try {
        await this.#read();
      } catch (error) {
        this.#end(Date.now() - this.#begunAt < shortLife);
        throw error;
      } finally {
        clearTimeout(timer);
      }
    }
  }

  close(): void {
    this.#end(false);
    this.#limit.abort();
  }

  async #read(): Promise<void> {
    const { done, value } = await this.#pieces.next();
    if (done) throw new Error("the stream of events was cut off");
    this.#steps.push(...stepsOf(value));
  }

  #end(isBroken: boolean): void {
    if (!this.#isOver) this.#onEnd(isBroken);
    this.#isOver = true;
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
