/**
 * Users who send a few messages at a time to their channels and to each other. Every text is sent once: without a response
 * it is unknown whether the message was stored, so the sender continues with the next text.
 */
import { setTimeout as delay } from "node:timers/promises";
import { sendMessage } from "../api/src/messages.ts";
import type { Member, Organization } from "./organization.ts";
import type { Random } from "./random.ts";
import type { AcknowledgedMessage } from "./verdict.ts";

const patienceMilliseconds = 20_000;
const atATime = 4;
const afterFailureMilliseconds = 100;
const topics = ["plans", "lunch", "bugs", "release"];
const directShare = 0.1;
const longShare = 0.02;

/** Slightly above the requested rate, to make up for time lost to faults. */
const zeal = 1.5;

export class Senders {
  readonly #organization: Organization;
  readonly #random: Random;
  readonly #perSecond: number;
  readonly #people: readonly Member[];
  #isStopped = false;
  #number = 0;
  #running: Promise<unknown> = Promise.resolve();
  readonly acknowledged: AcknowledgedMessage[] = [];
  /** When each acknowledgement came, in order. */
  readonly acknowledgedAt: number[] = [];
  /** Failed with an error response. */
  refused = 0;
  /** Those of them that a client cannot simply repeat, and errors of the connection that leave the outcome open. */
  readonly unrepeatable: string[] = [];
  /** Got no response. */
  unknown = 0;

  constructor(organization: Organization, random: Random, options: { senders: number; rate: number }) {
    this.#organization = organization;
    this.#random = random;
    this.#perSecond = (options.rate * zeal) / options.senders;
    this.#people = organization.members.filter((member) => member.channels.length > 0).slice(0, options.senders);
  }

  start(): void {
    this.#running = Promise.all(this.#people.map((person) => this.#sendOnAndOn(person)));
  }

  /** Returns after the last response. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  async #sendOnAndOn(person: Member): Promise<void> {
    const begun = performance.now();
    const underWay = new Set<Promise<void>>();
    let sent = 0;
    // Other sends make up for failed ones, to keep the requested load.
    while (!this.#isStopped) {
      const due = begun + ((sent + underWay.size + this.#random.next()) * 1000) / this.#perSecond;
      await delay(Math.max(0, due - performance.now()));
      while (underWay.size >= atATime) await Promise.race(underWay);
      const sending = this.#sendOne(person).then(async (isSent) => {
        if (isSent) sent++;
        else await delay(afterFailureMilliseconds);
        underWay.delete(sending);
      });
      underWay.add(sending);
    }
    await Promise.all(underWay);
  }

  /** Whether it was acknowledged. */
  async #sendOne(person: Member): Promise<boolean> {
    const random = this.#random;
    const text = this.#text();
    const { members } = this.#organization;
    const target =
      random.next() < directShare
        ? { type: "direct" as const, to: random.sample(members, 1 + random.integer(2)).map((member) => member.id) }
        : { type: "channel" as const, to: random.pick(person.channels), topic: random.pick(topics) };
    try {
      const signal = AbortSignal.timeout(patienceMilliseconds);
      const answer = await random.pick(person.clients).call(sendMessage, { ...target, content: text }, { signal });
      if (answer.result === "success") {
        this.acknowledged.push({ id: answer.id, text });
        this.acknowledgedAt.push(performance.now());
        return true;
      }
      this.refused++;
      // An outage or a rate limit: nothing was stored, and the client may repeat the request later.
      if (!/unavailable|try again|rate limit/i.test(answer.msg)) this.unrepeatable.push(answer.msg);
    } catch (error) {
      this.unknown++;
      if (!isNotConnected(error)) this.unrepeatable.push(String((error as Error).cause ?? error));
    }
    return false;
  }

  #text(): string {
    const words = "lorem ipsum dolor sit amet ".repeat(this.#random.next() < longShare ? 200 : this.#random.integer(8));
    return `${++this.#number} at ${Date.now()} ${words}`.trim();
  }
}

/** There was no connection, so the request was never sent. */
const isNotConnected = (error: unknown): boolean =>
  error instanceof Error &&
  error.cause instanceof Error &&
  "syscall" in error.cause &&
  error.cause.syscall === "connect";

/** When a message of these senders was sent, by its text. */
export const sentAt = (text: string): number | undefined => Number(/^\d+ at (\d+)/.exec(text)?.[1]) || undefined;

/** Markers are sent after all faults, and must be acknowledged. */
export async function sendMarkers({ owner, members, channels }: Organization): Promise<AcknowledgedMessage[]> {
  const [client] = owner.clients;
  if (!client) throw new Error("there is at least one node");
  const markers: AcknowledgedMessage[] = [];
  const send = async (target: { type: "channel" | "direct"; to: string | number[] }, text: string) => {
    const answer = await client.call(sendMessage, { ...target, topic: "end", content: text });
    if (answer.result !== "success") throw new Error(`a marker was refused: ${answer.msg}`);
    markers.push({ id: answer.id, text });
  };
  for (const channel of channels) await send({ type: "channel", to: channel }, `marker of ${channel}`);
  for (const { id, name } of members) await send({ type: "direct", to: [id] }, `marker of ${name}`);
  return markers;
}
