/**
 * What both kinds of streams have in common: the bytes that wait for a slow reader are bounded, and a client that reads
 * nothing for a while is disconnected. It can resume from its last position.
 */
import type { Socket } from "node:net";
import type { ServerResponse } from "node:http";
import type { Context } from "../context.ts";
import type { EventSink } from "../events/event-stream.ts";
import type { EventText } from "../events/log-entry.ts";

/** Above this, events stay in the log until the client has read more. */
const maxWaitingBytes = 256 * 1024;
/** Many events are written in pieces of about this size, and few in one. */
const pieceLength = 64 * 1024;

export abstract class BoundedSink implements EventSink {
  readonly #ctx: Context;
  readonly #out: ServerResponse | Socket;
  /** What the client knows; the header of the response said it first. */
  #maintenance: string | undefined;
  /** The newest position that the client was sent. */
  position = -1;

  constructor(ctx: Context, out: ServerResponse | Socket) {
    this.#ctx = ctx;
    this.#out = out;
    this.#maintenance = ctx.maintenance.message;
  }

  /** Writes these events together. */
  protected abstract write(events: EventText[]): void;
  /** `message` is null if the server is no longer read-only. */
  protected abstract writeMaintenance(message: string | null): void;
  protected abstract writeKeepAlive(position: number): void;

  get isClosed(): boolean {
    return this.#out.destroyed || this.#out.closed;
  }

  /** Whether so much is waiting for the client that nothing should be added. */
  get isFull(): boolean {
    return this.#out.writableLength >= maxWaitingBytes;
  }

  send(events: EventText[]): number {
    let sent = 0;
    while (sent < events.length && !this.isFull) {
      const first = sent;
      for (let length = 0; sent < events.length && length < pieceLength; sent++)
        length += events[sent]?.text.length ?? 0;
      this.write(sent - first === events.length ? events : events.slice(first, sent));
    }
    this.position = events[sent - 1]?.id ?? this.position;
    this.#ctx.metrics.deliveredEvents.inc(sent);
    return sent;
  }

  keepAlive(position: number): void {
    const { message } = this.#ctx.maintenance;
    if (message !== this.#maintenance) this.writeMaintenance(message ?? null);
    this.#maintenance = message;
    this.position = position;
    this.writeKeepAlive(position);
  }

  async untilReady(): Promise<void> {
    const out = this.#out;
    const { requestTimeoutSeconds } = this.#ctx.config;
    while (!this.isClosed && this.isFull) {
      const before = out.writableLength;
      if (await hasDrained(out, requestTimeoutSeconds * 1000)) return;
      if (out.writableLength >= before) out.destroy();
    }
  }
}

/** Whether everything was read within this time, or the connection ended. */
export async function hasDrained(out: ServerResponse | Socket, milliseconds: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const done = (): void => resolve(true);
  const timer = setTimeout(() => resolve(false), milliseconds);
  out.once("drain", done);
  out.once("close", done);
  const isDone = await promise;
  clearTimeout(timer);
  out.off("drain", done);
  out.off("close", done);
  return isDone;
}
