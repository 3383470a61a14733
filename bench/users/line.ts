/**
 * One keep-alive HTTP connection for a load of ten thousand of them: callbacks instead of promises, one buffer that all
 * connections read into, and of long responses only the beginning and the end.
 */
import { connect, type Socket } from "node:net";

export interface Answer {
  /** 0 if there was no response. */
  status: number;
  /** The body, one character per byte; without its middle if it is long. Without a response, the reason if it is known. */
  text: string;
  /** When its last byte arrived, by `performance.now()`. */
  at: number;
}

/** What was read is handled before the next read, so all connections can share it. */
const shared = Buffer.allocUnsafe(256 * 1024);
const headEnd = "\r\n\r\n";
const keptEnds = 16 * 1024;

export class Line {
  readonly #socket: Socket;
  readonly #keepsAll: boolean;
  #onAnswer: ((answer: Answer) => void) | undefined;
  /** A part of the head, or the parts of the body. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  #status = 0;
  /** Bytes of the body that are still to come; -1 before its head. */
  #missing = -1;
  isClosed = false;

  constructor(host: string, port: number, keepsAll: boolean) {
    this.#keepsAll = keepsAll;
    this.#socket = connect({
      host,
      port,
      noDelay: true,
      onread: {
        buffer: shared,
        callback: (bytes, buffer) => {
          this.#read(Buffer.from(buffer.buffer, buffer.byteOffset, bytes));
          return true;
        },
      },
    });
    this.#socket.on("error", ({ message }) => this.#end(message));
    this.#socket.on("close", () => this.#end());
  }

  get bytes(): { read: number; written: number } {
    return { read: this.#socket.bytesRead, written: this.#socket.bytesWritten };
  }

  ask(request: Buffer | string, onAnswer: (answer: Answer) => void): void {
    if (this.#onAnswer) throw new Error("a request is still in flight on this connection");
    this.#onAnswer = onAnswer;
    if (this.isClosed) process.nextTick(() => this.#end());
    else this.#socket.write(request);
  }

  /** Whoever waits for a response gets none. */
  close(): void {
    this.#onAnswer = undefined;
    this.isClosed = true;
    this.#socket.destroy();
  }

  #end(reason = "the connection was closed"): void {
    this.isClosed = true;
    this.#socket.destroy();
    this.#answer({ status: 0, text: reason, at: performance.now() });
  }

  #read(data: Buffer): void {
    if (this.#missing >= 0) {
      this.#take(data);
      return;
    }
    const received = this.#held.length > 0 ? Buffer.concat([...this.#held, data]) : data;
    const at = received.indexOf(headEnd);
    if (at < 0) {
      this.#held = [Buffer.from(received)];
      return;
    }
    this.#held = [];
    const head = received.toString("latin1", 0, at);
    this.#status = Number(head.slice(9, 12));
    this.#missing = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
    this.#take(received.subarray(at + headEnd.length));
  }

  #take(data: Buffer): void {
    this.#missing -= data.length;
    if (this.#missing > 0) {
      this.#hold(data);
      return;
    }
    const text = data.toString("latin1");
    const before = this.#held.map((part) => part.toString("latin1")).join("");
    const status = this.#status;
    this.#held = [];
    this.#heldBytes = 0;
    this.#missing = -1;
    this.#answer({ status, text: before + text, at: performance.now() });
  }

  #hold(data: Buffer): void {
    if (this.#keepsAll || this.#heldBytes < keptEnds) {
      this.#held.push(Buffer.from(data));
      this.#heldBytes += data.length;
      return;
    }
    // The response may end anywhere in the next part, so the end of this one is kept as well.
    const end = Buffer.from(data.subarray(Math.max(0, data.length - keptEnds)));
    this.#held = [...this.#held.slice(0, 1), end];
  }

  #answer(answer: Answer): void {
    const onAnswer = this.#onAnswer;
    this.#onAnswer = undefined;
    onAnswer?.(answer);
  }
}
