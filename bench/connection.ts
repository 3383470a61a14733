/**
 * One keep-alive HTTP connection, reduced to what a load generator needs: one complete request and response at a time.
 * Little is done per request, because load and server share the machine.
 */
import { once } from "node:events";
import { connect, type Socket } from "node:net";

export interface Answer {
  status: number;
  body: Buffer;
  /** When its first and last byte arrived, by `performance.now()`. */
  firstByteAt: number;
  lastByteAt: number;
}

const headEnd = Buffer.from("\r\n\r\n");

export class Connection {
  readonly #socket: Socket;
  #received: Buffer | undefined;
  #firstByteAt = 0;
  #bodyStart = -1;
  #end = 0;
  #resolve: ((answer: Answer) => void) | undefined;
  #reject: ((error: Error) => void) | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (chunk) => this.#read(chunk));
    socket.on("error", (error) => this.#reject?.(error));
    socket.on("close", () => this.#reject?.(new Error("the server closed the connection")));
  }

  static async open(url: string): Promise<Connection> {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    await once(socket, "connect");
    return new Connection(socket);
  }

  send(request: Buffer): Promise<Answer> {
    if (this.#resolve) throw new Error("a request is still in flight on this connection");
    if (this.#socket.destroyed) throw new Error("the server closed the connection");
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#reject = undefined;
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    if (this.#received) this.#received = Buffer.concat([this.#received, chunk]);
    else {
      this.#received = chunk;
      this.#firstByteAt = performance.now();
    }
    const received = this.#received;
    if (this.#bodyStart < 0) {
      const at = received.indexOf(headEnd);
      if (at < 0) return;
      this.#bodyStart = at + headEnd.length;
      this.#end = this.#bodyStart + contentLength(received.toString("latin1", 0, at));
    }
    if (received.length < this.#end) return;
    const resolve = this.#resolve;
    const answer: Answer = {
      status: Number(received.toString("latin1", 9, 12)),
      body: received.subarray(this.#bodyStart, this.#end),
      firstByteAt: this.#firstByteAt,
      lastByteAt: performance.now(),
    };
    this.#received = undefined;
    this.#bodyStart = -1;
    this.#resolve = undefined;
    this.#reject = undefined;
    resolve?.(answer);
  }
}

function contentLength(head: string): number {
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length === undefined) throw new Error(`a response without Content-Length: ${head}`);
  return Number(length);
}

/** Opens many connections, a few hundred at a time so that no accept queue overflows. */
export async function openConnections(url: string, count: number): Promise<Connection[]> {
  const connections: Connection[] = [];
  while (connections.length < count) {
    const batch = Math.min(200, count - connections.length);
    connections.push(...(await Promise.all(Array.from({ length: batch }, () => Connection.open(url)))));
  }
  return connections;
}
