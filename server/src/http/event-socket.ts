/**
 * A stream of events over a WebSocket, in text frames with one JSON object each.
 *
 *     {"type":"events","events":[…]}              from the server: events as GET /events returns them, heartbeats among them
 *     {"type":"maintenance","message":"…"}        from the server: it becomes read-only, or (null) no longer is
 *     {"type":"error","result":"error",…}         from the server, the last one: what GET /events would answer now
 *     {"type":"end","reason":"…"}                 from the server, the last one: the client may connect again
 *     {"type":"ack","last_event_id":163840}       from the client: it has these events, and the queue may begin after them
 *
 * Nothing else is accepted from a client. What it sends is limited in size and rate.
 */
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { WebSocketServer, type ServerOptions, type WebSocket } from "ws";
import type { Context } from "../context.ts";
import { ApiError } from "../errors.ts";
import type { StreamRequest } from "../events/event-stream.ts";
import type { EventText } from "../events/log-entry.ts";
import { Allowance } from "./allowance.ts";
import { BoundedSink } from "./event-sink.ts";
import { rateLimitHit } from "./rate-limit.ts";
import { describeError, statusOf } from "./send-error.ts";
import { takeConnection } from "./upgrades.ts";

/** An acknowledgement needs fifty bytes. */
const maxFrameBytes = 1024;
/** How long a client may take to confirm the end of a connection. */
const closeMilliseconds = 2000;
/** Frames of all connections of an account on this node. */
const frames = new Allowance({ burst: 1000, perSecond: 100 });

/** The types of the library do not know this option yet. */
interface Options extends ServerOptions {
  closeTimeout: number;
}
const options: Options = {
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  maxPayload: maxFrameBytes,
  closeTimeout: closeMilliseconds,
  // Pings count against the limit, and their answers must not fill the memory.
  autoPong: false,
};
const server = new WebSocketServer(options);

interface SocketStream extends Omit<StreamRequest, "sink" | "onClose"> {
  requestId: string;
  path: string;
  /** The events that are already known. */
  first: EventText[];
}

/** Completes the handshake, sends the first events, and then all others until the stream ends. */
export function openEventSocket(
  ctx: Context,
  response: ServerResponse,
  headers: Record<string, string | string[]>,
  stream: SocketStream,
): void {
  const { socket, head } = takeConnection(response);
  const lines = Object.entries(headers).flatMap(([name, value]) => [value].flat().map((each) => `${name}: ${each}`));
  const { req: request } = response;
  server.once("headers", (all) => all.push(...lines)); // emitted by handleUpgrade, at once or not at all
  server.handleUpgrade(request, socket, head, (client) => run(ctx, client, socket, stream));
  server.removeAllListeners("headers");
}

function run(ctx: Context, client: WebSocket, socket: Socket, stream: SocketStream): void {
  const { first, requestId, path, ...request } = stream;
  const sink = new SocketSink(ctx, client, socket);
  const isRunning = (): boolean => client.readyState === client.OPEN;
  const end = (code: number, frame: object): void => {
    if (!isRunning()) return;
    client.send(JSON.stringify(frame));
    client.close(code);
  };
  const fail = (error: unknown): void => {
    const { body } = describeError(ctx, error, { id: requestId, method: "GET", path });
    end(statusOf(error) < 500 ? 1008 : 1011, { type: "error", ...body });
  };
  const receive = (work: () => void): void => {
    if (!isRunning()) return;
    try {
      const seconds = frames.take(request.user.id);
      if (seconds > 0) throw rateLimitHit(seconds);
      work();
    } catch (error) {
      fail(error);
    }
  };
  client.on("message", (data: Buffer, isBinary) => {
    receive(() => ctx.events.acknowledge(request.queueId, acknowledged(data, isBinary, sink.position)));
  });
  client.on("ping", (data) => {
    receive(() => {
      if (!sink.isFull) client.pong(data);
    });
  });
  // The library has ended the connection: a frame was too large, or not one at all.
  client.on("error", () => undefined);

  const sent = sink.send(first);
  sink.position = Math.max(sink.position, request.after);
  const running = ctx.events.stream({
    ...request,
    after: first[sent - 1]?.id ?? request.after,
    sink,
    onClose: (callback) => {
      if (isRunning()) client.once("close", callback);
      else callback();
    },
  });
  running.then((reason) => end(reason === "shutdown" ? 1001 : 1000, { type: "end", reason }), fail);
}

/** The position that a frame acknowledges; throws if it does nothing of the kind. */
function acknowledged(data: Buffer, isBinary: boolean, newest: number): number {
  const frame = isBinary ? undefined : parsed(data.toString());
  if (typeof frame !== "object" || frame === null || !("type" in frame) || frame.type !== "ack")
    throw new ApiError('Expected {"type":"ack","last_event_id":…}');
  const id = "last_event_id" in frame ? frame.last_event_id : undefined;
  if (typeof id !== "number" || !Number.isSafeInteger(id)) throw new ApiError("last_event_id is not an integer");
  if (id > newest) throw new ApiError("last_event_id is newer than every event that was sent");
  return id;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

class SocketSink extends BoundedSink {
  readonly #client: WebSocket;

  constructor(ctx: Context, client: WebSocket, socket: Socket) {
    super(ctx, socket);
    this.#client = client;
  }

  override get isClosed(): boolean {
    return this.#client.readyState !== this.#client.OPEN || super.isClosed;
  }

  protected write(events: EventText[]): void {
    this.#client.send(`{"type":"events","events":[${events.map(({ text }) => text).join(",")}]}`);
  }

  protected writeMaintenance(message: string | null): void {
    this.#client.send(JSON.stringify({ type: "maintenance", message }));
  }

  protected writeKeepAlive(position: number): void {
    this.#client.send(`{"type":"events","events":[{"type":"heartbeat","id":${position}}]}`);
  }
}
