/**
 * Tracks requests in flight: each response is counted, and none is dropped when the process stops.
 *
 * Shutdown has two steps. `announce`: requests are served as before, but each response closes its connection, so that
 * clients and proxies move to other nodes. `close`: no new connections are accepted, and requests in flight may finish
 * until the deadline; the rest are aborted.
 */
import type { Server, ServerResponse } from "node:http";
import { classOfStatus, type Metrics, type StatusClass } from "../platform/metrics.ts";
import { UnusedConnections } from "./unused-connections.ts";

export class InFlight {
  readonly #server: Server;
  readonly #unused: UnusedConnections;
  readonly #responses = new Set<ServerResponse>();
  /** Responses sent before the end of the request's body. */
  readonly #early = new Set<ServerResponse>();
  #isDraining = false;
  #isClosing = false;

  constructor(server: Server, metrics: Metrics) {
    this.#server = server;
    this.#unused = new UnusedConnections(server);
    const forget = (response: ServerResponse) => this.#forget(response);
    // One function for all responses: a closure per response would cost memory for every waiting request.
    function onClose(this: ServerResponse): void {
      forget(this);
      observe(metrics, this);
    }
    // Runs before the HTTP library, which may respond at once.
    server.prependListener("request", (_request, response) => {
      if (this.#isDraining) response.shouldKeepAlive = false;
      response.begunAt = performance.now();
      this.#responses.add(response);
      response.on("close", onClose);
    });
    // Invalid HTTP never becomes a request, but the library still responds to it.
    server.prependListener("clientError", (error: NodeJS.ErrnoException, socket) => {
      if (error.code !== "ECONNRESET" && !socket.destroyed) metrics.responses.inc("other", "4xx");
    });
  }

  /** The responses to requests that have not arrived completely, including those already sent. */
  incomplete(): ServerResponse[] {
    const isArriving = ({ req }: ServerResponse): boolean => !req.complete && !req.socket.destroyed;
    for (const response of this.#early) if (!isArriving(response)) this.#early.delete(response);
    return [...this.#responses, ...this.#early].filter(isArriving);
  }

  /** From now on each response closes its connection. */
  announce(): void {
    this.#isDraining = true;
    for (const response of this.#responses) if (!response.headersSent) response.shouldKeepAlive = false;
  }

  /** `close` closes the listener. Returns how many requests were aborted. */
  async close(close: () => Promise<unknown>, withinMilliseconds: number): Promise<number> {
    this.announce();
    this.#isClosing = true;
    const closed = close();
    this.#unused.closeSoon();
    const deadline = Promise.withResolvers<"late">();
    const timer = setTimeout(() => deadline.resolve("late"), withinMilliseconds);
    const outcome = await Promise.race([closed, deadline.promise]);
    clearTimeout(timer);
    if (outcome !== "late") return 0;
    const left = this.#responses.size;
    this.#server.closeAllConnections();
    await closed;
    return left;
  }

  #forget(response: ServerResponse): void {
    this.#responses.delete(response);
    if (!response.req.complete) this.#early.add(response);
    // Its headers may have been sent before shutdown began, in which case the connection is still open.
    if (this.#isClosing) setImmediate(() => this.#server.closeIdleConnections());
  }
}

function observe(metrics: Metrics, response: ServerResponse): void {
  const { routeGroup: group = "other", begunAt = 0 } = response;
  const labels = { group, class: classOf(response) };
  metrics.responses.inc(group, labels.class);
  // How long a read of events waited says nothing about the server.
  if (group === "events" && (response.isUpgraded || labels.class === "2xx" || labels.class === "aborted")) return;
  metrics.requests.observe(labels, (performance.now() - begunAt) / 1000);
}

function classOf({ headersSent, writableFinished, statusCode, isUpgraded }: ServerResponse): StatusClass {
  if (isUpgraded) return "1xx";
  return headersSent && writableFinished ? classOfStatus(statusCode) : "aborted";
}
