/**
 * Writes a stream of events as server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html):
 *
 *     : keep-alive                          a comment, at once and from time to time
 *     id: 163840                            the position of an event, or without data one up to which there are no more events
 *     data: {"type":"message",…}            the event, as GET /events returns it
 *     event: maintenance                    the server becomes read-only, or (message: null) no longer is
 *     event: error                          the last frame: what GET /events would answer now
 *     event: end                            the last frame: the client may connect again, from its last position
 */
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Context } from "../context.ts";
import type { StreamRequest } from "../events/event-stream.ts";
import type { EventText } from "../events/log-entry.ts";
import { BoundedSink } from "./event-sink.ts";
import { describeError } from "./send-error.ts";

interface Stream extends Omit<StreamRequest, "sink"> {
  requestId: string;
  path: string;
  /** The events that are already known. */
  first: EventText[];
}

/** Sends the head, the first events, and then all others until the stream ends. */
export function sendEventStream(
  ctx: Context,
  response: ServerResponse,
  headers: Record<string, string>,
  { first, requestId, path, ...request }: Stream,
): void {
  response.writeHead(200, {
    ...headers,
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-store",
    "X-Accel-Buffering": "no",
  });
  if (response.req.method === "HEAD") {
    response.end();
    return;
  }
  const sink = new ResponseSink(ctx, response);
  // Shows at once that no proxy holds back what arrives.
  response.write(": stream\n\n");
  const sent = sink.send(first);
  const after = first[sent - 1]?.id ?? request.after;
  const running = ctx.events.stream({ ...request, after, sink });
  running.then(
    (reason) => response.end(`event: end\ndata: ${JSON.stringify({ reason })}\n\n`),
    (error: unknown) => {
      const { body } = describeError(ctx, error, { id: requestId, method: "GET", path });
      response.end(`event: error\ndata: ${JSON.stringify(body)}\n\n`);
    },
  );
}

const frameOf = ({ id, text }: EventText): string => `id: ${id}\ndata: ${text}\n\n`;

/** Events as chunks of a response: many clients get the same one. */
const chunks = new WeakMap<EventText, Buffer>();

function chunkOf(event: EventText): Buffer {
  let chunk = chunks.get(event);
  if (!chunk) {
    const frame = frameOf(event);
    chunk = Buffer.from(`${Buffer.byteLength(frame).toString(16)}\r\n${frame}\r\n`);
    chunks.set(event, chunk);
  }
  return chunk;
}

class ResponseSink extends BoundedSink {
  readonly #response: ServerResponse;
  /** Where a single event is written, past the response: that takes half the time. */
  readonly #socket: Socket | undefined;

  constructor(ctx: Context, response: ServerResponse) {
    // A response that waits for an earlier one on its connection has no socket yet.
    const socket = response.chunkedEncoding ? (response.socket ?? undefined) : undefined;
    super(ctx, socket ?? response);
    this.#response = response;
    this.#socket = socket;
  }

  protected write(events: EventText[]): void {
    const [only] = events;
    // A client may have closed its side a moment ago: the response ignores that, a socket would report an error.
    if (this.#socket?.writable && only && events.length === 1) this.#socket.write(chunkOf(only));
    else this.#response.write(events.map(frameOf).join(""));
  }

  protected writeMaintenance(message: string | null): void {
    this.#response.write(`event: maintenance\ndata: ${JSON.stringify({ message })}\n\n`);
  }

  protected writeKeepAlive(position: number): void {
    this.#response.write(`: keep-alive\nid: ${position}\n\n`);
  }
}
