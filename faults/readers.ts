/**
 * Clients that read an event queue, half of them by long polling and half of them as a stream, alternating between nodes. If a
 * read fails because a node is down, or a stream is cut off, it is retried on the next node from the same position: that is all
 * a client has to do. Readers of streams also disconnect by themselves, in the middle of whatever arrives.
 */
import { setTimeout as delay } from "node:timers/promises";
import { EventStreams, type EventStream, type StreamStep } from "../api/src/event-stream.ts";
import { getEvents, register } from "../api/src/registration.ts";
import type { Member } from "./organization.ts";
import type { Random } from "./random.ts";
import { sentAt } from "./senders.ts";
import type { Delivery } from "./verdict.ts";

/** Well above the heartbeat: a response that takes longer will never arrive. */
const patienceMilliseconds = 40_000;
/** Doubled with every consecutive failure. */
const afterFailureMilliseconds = 25;
const maxAfterFailureMilliseconds = 800;
/** Simulates the time that a client spends on events before its next read. */
const maxPauseMilliseconds = 80;
/** After so many pieces at most, a reader of a stream disconnects. */
const maxStepsPerStream = 40;

export interface QueueKind {
  applyMarkdown: boolean;
  allTypes: boolean;
  allPublic: boolean;
  /** Only messages of this channel. */
  narrow: string | undefined;
  isStreamed: boolean;
}

/** Counters over all readers. */
export interface Tally {
  events: number;
  worstDelayMilliseconds: number;
  failedReads: number;
  /** Reads that got neither an event nor a heartbeat in time. */
  stuckReads: number;
  texts: Map<number, string>;
  /** Messages whose text differed between two events. */
  garbled: string[];
}

export const newTally = (): Tally => ({
  events: 0,
  worstDelayMilliseconds: 0,
  failedReads: 0,
  stuckReads: 0,
  texts: new Map(),
  garbled: [],
});

export class Reader {
  readonly name: string;
  readonly member: Member;
  readonly kind: QueueKind;
  readonly #random: Random;
  readonly tally: Tally;
  readonly #stopping = new AbortController();
  #turn: number;
  #lastEventId = -1;
  #running: Promise<void> | undefined;
  queueId: string | undefined;
  registeredAt = 0;
  readonly deliveries: Delivery[] = [];
  /** The server no longer knew the queue. */
  isExpired = false;

  constructor(name: string, member: Member, kind: QueueKind, random: Random, tally: Tally) {
    this.name = name;
    this.member = member;
    this.kind = kind;
    this.#random = random;
    this.tally = tally;
    this.#turn = random.integer(member.clients.length);
  }

  /** Returns once it is registered; reads from then on. */
  async start(): Promise<void> {
    while (this.queueId === undefined && !this.#stopping.signal.aborted) await this.#register();
    this.#running = this.#readOnAndOn();
  }

  /** Reads once more on each node, which must return nothing new, and stops. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    if (!this.isExpired && this.queueId !== undefined)
      for (const client of this.member.clients) await this.#read(client, { dontBlock: true });
  }

  /** Returns when the server no longer knows the queue, or when it was stopped. */
  async ended(): Promise<void> {
    await this.#running;
  }

  #nextClient() {
    const client = this.member.clients[this.#turn++ % this.member.clients.length];
    if (!client) throw new Error("there is at least one node");
    return client;
  }

  async #register(): Promise<void> {
    const { applyMarkdown, allTypes, allPublic, narrow } = this.kind;
    try {
      const answer = await this.#nextClient().call(
        register,
        {
          apply_markdown: applyMarkdown,
          all_public_streams: allPublic,
          fetch_event_types: ["message"],
          ...(allTypes ? {} : { event_types: ["message"] }),
          ...(narrow === undefined ? {} : { narrow: [["channel", narrow]] }),
        },
        { signal: AbortSignal.timeout(patienceMilliseconds) },
      );
      if (answer.result === "success") {
        this.queueId = answer.queue_id;
        this.registeredAt = Date.now();
        this.#lastEventId = answer.last_event_id;
        return;
      }
    } catch {
      // The node is down; try the next one.
    }
    await delay(afterFailureMilliseconds);
  }

  async #readOnAndOn(): Promise<void> {
    let failures = 0;
    while (!this.#stopping.signal.aborted && !this.isExpired) {
      const client = this.#nextClient();
      const isAnswered = await (this.kind.isStreamed
        ? this.#readStream(client)
        : this.#read(client, { dontBlock: false }));
      failures = isAnswered ? 0 : failures + 1;
      const afterFailure = Math.min(maxAfterFailureMilliseconds, afterFailureMilliseconds * 2 ** failures);
      await delay(isAnswered ? this.#random.integer(maxPauseMilliseconds) : afterFailure);
    }
  }

  /** Whether the stream brought anything. */
  async #readStream(client: Member["clients"][number]): Promise<boolean> {
    const streams = new EventStreams((path, signal) => client.send("GET", path, {}, { signal }));
    let isAnswered = false;
    try {
      const stream = await streams.open(this.queueId ?? "", this.#lastEventId, this.#stopping.signal);
      // A read finds out why.
      if (!stream) return await this.#read(client, { dontBlock: true });
      for (let steps = 1 + this.#random.integer(maxStepsPerStream); steps > 0; steps--) {
        const step = await this.#step(stream);
        isAnswered = true;
        if (step.type === "events") for (const event of step.events) this.#take(event);
        else if (step.type === "end") return true;
        else if (step.type === "error") return await this.#read(client, { dontBlock: true });
      }
      stream.close();
      return true;
    } catch {
      if (!this.#stopping.signal.aborted) this.tally.failedReads++;
      return isAnswered;
    }
  }

  async #step(stream: EventStream): Promise<StreamStep> {
    const timer = setTimeout(() => {
      this.tally.stuckReads++;
      stream.close();
    }, patienceMilliseconds);
    try {
      return await stream.next();
    } finally {
      clearTimeout(timer);
    }
  }

  /** Whether there was a response. */
  async #read(client: Member["clients"][number], { dontBlock }: { dontBlock: boolean }): Promise<boolean> {
    const timeout = AbortSignal.timeout(patienceMilliseconds);
    const signal = dontBlock ? timeout : AbortSignal.any([timeout, this.#stopping.signal]);
    try {
      const answer = await client.call(
        getEvents,
        { queue_id: this.queueId, last_event_id: this.#lastEventId, dont_block: dontBlock },
        { signal },
      );
      if (answer.result === "success") {
        for (const event of answer.events) this.#take(event);
        return true;
      }
      if (answer.code === "BAD_EVENT_QUEUE_ID") this.isExpired = true;
    } catch {
      if (timeout.aborted) this.tally.stuckReads++;
    }
    if (!this.#stopping.signal.aborted) this.tally.failedReads++;
    return false;
  }

  #take(event: { id: number; type: string; message?: unknown }): void {
    if (event.type === "message") {
      const { id, content } = event.message as { id: number; content: string }; // as declared for this type
      this.deliveries.push({ eventId: event.id, messageId: id });
      this.#note(id, this.kind.applyMarkdown ? content.replaceAll(/^<p>|<\/p>$/g, "") : content);
    }
    this.#lastEventId = event.id;
  }

  #note(messageId: number, text: string): void {
    const tally = this.tally;
    tally.events++;
    const known = tally.texts.get(messageId);
    if (known === undefined) tally.texts.set(messageId, text);
    else if (known !== text) tally.garbled.push(`message ${messageId} came as "${known}" and as "${text}"`);
    const sent = sentAt(text);
    if (sent !== undefined) tally.worstDelayMilliseconds = Math.max(tally.worstDelayMilliseconds, Date.now() - sent);
  }
}

/** Plain queues mostly; a few of each rarer kind. */
export function queueKind(index: number, member: Member): QueueKind {
  return {
    applyMarkdown: index % 3 === 0,
    allTypes: index % 5 === 0,
    allPublic: index % 50 === 7,
    narrow: index % 20 === 11 ? member.channels[0] : undefined,
    isStreamed: index % 2 === 1,
  };
}
