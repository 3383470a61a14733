/** A user who reads a queue without pause and records which messages arrived, and when. */
import type { Answer, Connection } from "./connection.ts";
import type { Queue } from "./organization.ts";
import { demandSuccess, pollRequest } from "./request.ts";

export interface Received {
  id: number;
  at: number;
}

const patienceMilliseconds = 30_000;

export class Member {
  readonly #connection: Connection;
  readonly #queue: Queue;
  #lastEventId: number;
  #isStopped = false;
  #failure: unknown;
  #onReceived: (() => void) | undefined;
  received: Received[] = [];
  answers = 0;

  constructor(connection: Connection, queue: Queue) {
    this.#connection = connection;
    this.#queue = queue;
    this.#lastEventId = queue.lastEventId;
    void this.#follow();
  }

  startOver(): void {
    this.received = [];
    this.answers = 0;
  }

  get lastAt(): number {
    return this.received.at(-1)?.at ?? 0;
  }

  stop(): void {
    this.#isStopped = true;
    this.#connection.close();
  }

  async untilReceived(count: number): Promise<void> {
    const deadline = performance.now() + patienceMilliseconds;
    while (this.received.length < count) {
      if (this.#failure !== undefined) throw new Error("a member's read failed", { cause: this.#failure });
      if (performance.now() > deadline) throw new Error(`only ${this.received.length} of ${count} messages arrived`);
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resume) => {
        this.#onReceived = resume;
        timer = setTimeout(resume, 1000);
      });
      clearTimeout(timer);
    }
  }

  async #follow(): Promise<void> {
    try {
      while (!this.#isStopped) {
        const request = pollRequest(this.#queue.reader, this.#queue.id, this.#lastEventId);
        this.#take(await this.#connection.send(request));
      }
    } catch (error) {
      this.#failure = error;
    }
  }

  #take(answer: Answer): void {
    demandSuccess(answer);
    const { messages, lastEventId } = scan(answer.body.toString("latin1"));
    if (lastEventId <= this.#lastEventId) throw new Error("events arrived out of order");
    this.#lastEventId = lastEventId;
    for (const id of messages) this.received.push({ id, at: answer.lastByteAt });
    this.answers++;
    this.#onReceived?.();
  }
}

/**
 * Message ids and the last event's id, extracted from the text: parsing tens of thousands of events per second would take
 * CPU time that the server needs. The message's id comes first in an event, the event's id last.
 */
function scan(body: string): { messages: number[]; lastEventId: number } {
  const messages = [...body.matchAll(/"message":\{"id":(\d+)/g)].map(([, id]) => Number(id));
  const at = body.lastIndexOf('"id":', body.lastIndexOf('],"queue_id":'));
  return { messages, lastEventId: Number.parseInt(body.slice(at + 5, at + 25), 10) };
}
