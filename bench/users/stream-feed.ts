import { connect, type Socket } from "node:net";
import { apiRequest } from "../request.ts";
import { pauseAfterFailure, type Feed, type Subscriber } from "./feed.ts";
import { scanFrame, type Scanned } from "./scan.ts";

/** What was read is handled before the next read, so all connections can share it. */
const shared = Buffer.allocUnsafe(256 * 1024);
const [headEnd, frameEnd] = ["\r\n\r\n", "\n\n"];

/** What many connections receive one after another is read once: the newest chunk of each length, and the events in it. */
const newestChunks = new Map<number, { bytes: Buffer; events: Scanned }>();
const chunksRemembered = 512;

/** Reads server-sent events from a response in chunks; one character per byte. */
export class StreamFeed implements Feed {
  readonly #subscriber: Subscriber;
  #socket: Socket | undefined;
  #closed = { read: 0, written: 0 };
  /** Bytes that do not yet make a head or a chunk. */
  #rest = "";
  /** The beginning of a frame. */
  #frames = "";
  #status = 0;
  #isOver = false;
  silentSince = 0;

  constructor(subscriber: Subscriber) {
    this.#subscriber = subscriber;
    this.#connect();
  }

  get bytes(): { read: number; written: number } {
    const { bytesRead = 0, bytesWritten = 0 } = this.#socket ?? {};
    return { read: this.#closed.read + bytesRead, written: this.#closed.written + bytesWritten };
  }

  restart(): void {
    this.#retry(0, "begun again");
  }

  close(): void {
    this.#isOver = true;
    this.#hangUp();
  }

  #hangUp(): void {
    this.#closed = this.bytes;
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  #connect(): void {
    const { host, port, account, queueId, position } = this.#subscriber;
    [this.#rest, this.#frames, this.#status] = ["", "", 0];
    this.silentSince = performance.now();
    const socket = connect({
      host,
      port,
      noDelay: true,
      onread: {
        buffer: shared,
        callback: (bytes, buffer) => {
          if (this.#socket === socket) this.#read(Buffer.from(buffer.buffer, buffer.byteOffset, bytes));
          return true;
        },
      },
    });
    this.#socket = socket;
    const onEnd = (reason: string) => {
      if (this.#socket === socket) this.#retry(this.#status, reason);
    };
    socket.on("error", ({ message }) => onEnd(message));
    socket.on("close", () => onEnd("the connection was closed"));
    socket.write(apiRequest(account, "GET", "/events/stream", { queue_id: queueId, last_event_id: position() }));
  }

  #retry(status: number, text: string): void {
    this.#hangUp();
    this.silentSince = Infinity;
    this.#subscriber.onFailure(status, text);
    setTimeout(() => {
      if (!this.#isOver) this.#connect();
    }, pauseAfterFailure);
  }

  #read(bytes: Buffer): void {
    this.silentSince = performance.now();
    const wasBetween = this.#isBetweenFrames;
    const known = wasBetween ? newestChunks.get(bytes.length) : undefined;
    if (known?.bytes.equals(bytes)) {
      this.#subscriber.onEvents(known.events, this.silentSince);
      return;
    }
    this.#rest += bytes.toString("latin1");
    if (this.#status === 0 && !this.#readHead()) return;
    if (this.#status !== 200) {
      this.#refused(this.#rest); // an error, which is short
      return;
    }
    if (!this.#readChunks()) return;
    const events = this.#readFrames();
    if (!events || !wasBetween || !this.#isBetweenFrames) return;
    if (newestChunks.size >= chunksRemembered) newestChunks.clear();
    newestChunks.set(bytes.length, { bytes: Buffer.from(bytes), events });
  }

  get #isBetweenFrames(): boolean {
    return this.#status === 200 && this.#rest === "" && this.#frames === "";
  }

  #readHead(): boolean {
    const at = this.#rest.indexOf(headEnd);
    if (at < 0) return false;
    this.#status = Number(this.#rest.slice(9, 12));
    this.#rest = this.#rest.slice(at + headEnd.length);
    return true;
  }

  /** Whether there was a whole one. */
  #readChunks(): boolean {
    let at = 0;
    for (;;) {
      const line = this.#rest.indexOf("\r\n", at);
      if (line < 0) break;
      const begin = line + 2;
      const end = begin + Number.parseInt(this.#rest.slice(at, line), 16);
      if (this.#rest.length < end + 2) break;
      this.#frames += this.#rest.slice(begin, end);
      at = end + 2;
    }
    this.#rest = this.#rest.slice(at);
    return at > 0;
  }

  /** Returns the events if there was nothing else. */
  #readFrames(): Scanned | undefined {
    const now = performance.now();
    let events: Scanned = { eventIds: [], types: [], messageIds: [] };
    let hasOthers = false;
    const handOver = (): void => {
      if (events.eventIds.length > 0) this.#subscriber.onEvents(events, now);
      events = { eventIds: [], types: [], messageIds: [] };
    };
    let at = 0;
    for (let end = this.#frames.indexOf(frameEnd); end >= 0; end = this.#frames.indexOf(frameEnd, at)) {
      const frame = scanFrame(this.#frames.slice(at, end));
      hasOthers ||= frame.type === undefined;
      at = end + frameEnd.length;
      if (frame.eventId > 0 && frame.type !== undefined) {
        events.eventIds.push(frame.eventId);
        events.types.push(frame.type);
        events.messageIds.push(frame.messageId);
      } else if (frame.eventId > 0) {
        handOver();
        this.#subscriber.onPosition(frame.eventId);
      } else if (frame.error !== undefined) {
        handOver();
        this.#refused(frame.error);
        return undefined;
      }
    }
    this.#frames = this.#frames.slice(at);
    const read = events;
    handOver();
    return hasOthers ? undefined : read;
  }

  /** A key that is no longer valid is replaced by the next attempt. */
  #refused(text: string): void {
    if (!text.includes("BAD_EVENT_QUEUE_ID")) {
      this.#retry(this.#status === 200 ? 401 : this.#status, text);
      return;
    }
    this.close();
    this.#subscriber.onGone(text);
  }
}
