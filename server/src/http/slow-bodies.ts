/**
 * Ends requests whose body does not arrive. A total timeout would abort large files on slow connections, so progress is
 * what counts: each period must bring a minimum number of bytes or the end of the body. Data that is waiting for us to
 * read it does not count against the client.
 */
import type { ServerResponse } from "node:http";

/** Minimum progress per period: about 550 bytes per second at the default of 30 seconds. */
const minBytes = 16 * 1024;
const checksPerPeriod = 6;

interface Progress {
  /** When the period began, and how many bytes the connection had received by then. */
  since: number;
  bytesRead: number;
}

export class SlowBodies {
  readonly #incomplete: () => ServerResponse[];
  readonly #milliseconds: number;
  readonly #timer: NodeJS.Timeout;
  /** Since the first check that found the request incomplete: most requests arrive between two checks and cost nothing. */
  readonly #progress = new WeakMap<ServerResponse, Progress>();

  /** `incomplete` returns the responses to requests that have not arrived completely. */
  constructor(incomplete: () => ServerResponse[], seconds: number) {
    this.#incomplete = incomplete;
    this.#milliseconds = seconds * 1000;
    this.#timer = setInterval(() => this.#check(), this.#milliseconds / checksPerPeriod);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #check(): void {
    const now = performance.now();
    for (const response of this.#incomplete()) {
      const { bytesRead } = response.req.socket;
      const progress = this.#progress.get(response);
      const isLate = progress !== undefined && now - progress.since >= this.#milliseconds;
      const isWaitingForUs = response.req.readableLength > 0;
      if (isLate && !isWaitingForUs && bytesRead - progress.bytesRead < minBytes) end(response);
      if (isLate || progress === undefined) this.#progress.set(response, { since: now, bytesRead });
    }
  }
}

function end({ req: { socket }, headersSent }: ServerResponse): void {
  // The client did not read the 408 either.
  if (socket.writableEnded) return void socket.destroy();
  // Do not write into the middle of a response that is being sent.
  if (!headersSent) socket.write("HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n");
  socket.destroySoon();
}
