/**
 * Forwards a request to a node of its cell and streams in both directions, whatever it is: long polls, streams of events,
 * WebSockets, uploads of many gigabytes. Nothing is buffered; whoever reads slowly slows the other side down.
 *
 * A request that reached no node is sent to the next address of the cell. One that may have reached a node is never
 * repeated, because it may have changed something: the client decides.
 */
import {
  Agent,
  request as httpRequest,
  type ClientRequest,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream";
import { isUpgrade, takeConnection } from "../http/upgrades.ts";
import type { TrustedProxies } from "../platform/trusted-proxies.ts";
import { endToEnd, forwardedHeaders, hostName, readForwarded, type Forwarded } from "./forwarded.ts";
import type { CellRoute } from "./routes.ts";

export type Outcome = "forwarded" | "unknown host" | "unavailable" | "aborted" | "invalid";

interface ProxyOptions {
  find: (host: string) => CellRoute | undefined;
  trustProxy: TrustedProxies;
  /** Of the head of a request or response. */
  maxHeaderBytes: number;
  onOutcome: (outcome: Outcome) => void;
  onUnavailable: (cell: CellRoute, error: unknown) => void;
}

const unknownHost = { result: "error", msg: "Invalid subdomain", code: "NONEXISTENT_SUBDOMAIN" };
const unavailable = {
  result: "error",
  msg: "The server is not available at the moment. Try again in a few seconds.",
  code: "SERVICE_UNAVAILABLE",
};
const badRequest = { result: "error", msg: "Invalid host name", code: "BAD_REQUEST" };

/** An address that could not be reached is tried last for so long. */
const avoidMilliseconds = 2000;
const connectMilliseconds = 5000;

export class Proxy {
  readonly #options: ProxyOptions;
  readonly #agent = new Agent({ keepAlive: true, maxFreeSockets: 1024 });
  readonly #avoided = new Map<string, number>();
  #turn = 0;

  constructor(options: ProxyOptions) {
    this.#options = options;
  }

  close(): void {
    this.#agent.destroy();
  }

  serve(request: IncomingMessage, response: ServerResponse): void {
    const { find, trustProxy, onOutcome } = this.#options;
    if ((request.headersDistinct["host"]?.length ?? 0) > 1) {
      onOutcome("invalid");
      return answer(request, response, 400, badRequest);
    }
    const forwarded = readForwarded(request, trustProxy);
    const cell = find(hostName(forwarded.host));
    if (!cell) {
      onOutcome("unknown host");
      return answer(request, response, 404, unknownHost);
    }
    this.#forward(request, response, cell, forwarded, this.#inTurn(cell.addresses));
  }

  /** The cell's addresses, beginning with another one each time; those that were not reachable last. */
  #inTurn(addresses: readonly string[]): string[] {
    const first = this.#turn++ % addresses.length;
    const rotated = [...addresses.slice(first), ...addresses.slice(0, first)];
    const isAvoided = (address: string) => (this.#avoided.get(address) ?? 0) > Date.now();
    return rotated.toSorted((a, b) => Number(isAvoided(a)) - Number(isAvoided(b)));
  }

  #forward(
    request: IncomingMessage,
    response: ServerResponse,
    cell: CellRoute,
    forwarded: Forwarded,
    [address = "", ...others]: string[],
  ): void {
    const { onOutcome, onUnavailable } = this.#options;
    const upstream = this.#open(request, forwarded, address);
    const isLive = { connected: false, answered: false };
    const abort = () => upstream.destroy();
    response.once("close", abort);

    whenConnected(upstream, () => {
      isLive.connected = true;
      if (hasBody(request)) request.pipe(upstream);
      else upstream.end();
    });
    upstream.once("response", (from) => {
      isLive.answered = true;
      onOutcome("forwarded");
      relayResponse(from, response);
    });
    upstream.once("upgrade", (from, socket, head) => {
      isLive.answered = true;
      onOutcome("forwarded");
      response.off("close", abort);
      relayUpgrade(from, socket, head, response);
    });
    upstream.once("error", (error) => {
      response.off("close", abort);
      if (response.destroyed || response.closed) {
        if (!isLive.answered) onOutcome("aborted");
        return;
      }
      if (isLive.answered) return void response.destroy();
      if (!isLive.connected) this.#avoided.set(address, Date.now() + avoidMilliseconds);
      if (!isLive.connected && others.length > 0) return this.#forward(request, response, cell, forwarded, others);
      onOutcome("unavailable");
      onUnavailable(cell, error);
      answer(request, response, 503, unavailable, { "Retry-After": "5" });
    });
  }

  #open(request: IncomingMessage, forwarded: Forwarded, address: string): ClientRequest {
    const { hostname, port } = new URL(address);
    const isChunked = request.headers["transfer-encoding"] !== undefined;
    return httpRequest({
      agent: isUpgrade(request) ? false : this.#agent,
      host: hostname.replace(/^\[|\]$/g, ""),
      port: port === "" ? 80 : Number(port),
      method: request.method ?? "GET",
      path: request.url ?? "/",
      setDefaultHeaders: false,
      maxHeaderSize: this.#options.maxHeaderBytes,
      headers: {
        ...forwardedHeaders(request, forwarded),
        ...(isChunked && { "transfer-encoding": "chunked" }),
        ...(isUpgrade(request)
          ? { connection: "Upgrade", upgrade: request.headers.upgrade ?? "websocket" }
          : { connection: "keep-alive" }),
      },
    });
  }
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;

/** Until then nothing has been sent, so another address can be tried. */
function whenConnected(upstream: ClientRequest, callback: () => void): void {
  upstream.once("socket", (socket) => {
    if (!socket.connecting) return callback();
    const timer = setTimeout(
      () => upstream.destroy(Object.assign(new Error("timeout of the connection"), { code: "ETIMEDOUT" })),
      connectMilliseconds,
    );
    socket.once("close", () => clearTimeout(timer));
    socket.once("connect", () => {
      clearTimeout(timer);
      callback();
    });
  });
}

function relayResponse(from: IncomingMessage, response: ServerResponse): void {
  response.writeHead(from.statusCode ?? 502, from.statusMessage, endToEnd(from));
  // A stream of events begins with its head alone.
  response.flushHeaders();
  pipeline(from, response, (error) => {
    // Without its end, the client must not take the response for a complete one.
    if (error) response.destroy();
  });
}

function relayUpgrade(from: IncomingMessage, socket: Duplex, head: Buffer, response: ServerResponse): void {
  const client = takeConnection(response);
  const lines = Object.entries(endToEnd(from)).flatMap(([name, value]) =>
    [value].flat().map((one) => `${name}: ${one}`),
  );
  const upgrade = `upgrade: ${from.headers.upgrade ?? "websocket"}`;
  client.socket.write(
    [`HTTP/1.1 101 Switching Protocols`, "connection: Upgrade", upgrade, ...lines, "", ""].join("\r\n"),
  );
  client.socket.write(head);
  socket.write(client.head);
  client.socket.setTimeout(0);
  pipeline(socket, client.socket, () => client.socket.destroy());
  pipeline(client.socket, socket, () => socket.destroy());
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  body: object,
  headers: Record<string, string> = {},
): void {
  const text = JSON.stringify(body);
  // What is left of a body is not read, so the connection cannot be used again.
  const close = hasBody(request) || isUpgrade(request) ? { Connection: "close" } : {};
  response.writeHead(status, {
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": Buffer.byteLength(text),
    ...headers,
    ...close,
  });
  response.end(text);
}
