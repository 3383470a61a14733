/** Waiting reads of event queues, one per connection. */
import { setTimeout as delay } from "node:timers/promises";
import type { Answer, Connection } from "./connection.ts";
import type { Queue } from "./organization.ts";
import { demandSuccess, pollRequest } from "./request.ts";

/** A few hundred at a time, because a queue's first read on a node loads it from the database. */
const atOnce = 250;

export interface Waiting {
  /** Resolves when all of them have completed. */
  answers: Promise<Answer[]>;
}

/** Sends the requests and returns when the server reports that all of them are waiting. */
export async function wait(
  connections: readonly Connection[],
  requests: readonly Buffer[],
  countWaiting: () => Promise<number>,
): Promise<Waiting> {
  const answers: Promise<Answer>[] = [];
  for (const [index, connection] of connections.entries()) {
    const request = requests[index];
    if (!request) throw new Error("there is a request for each connection");
    answers.push(connection.send(request));
    if (answers.length % atOnce === 0) await until(countWaiting, answers.length);
  }
  await until(countWaiting, answers.length);
  return { answers: Promise.all(answers) };
}

async function until(countWaiting: () => Promise<number>, count: number): Promise<void> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    const waiting = await countWaiting();
    if (waiting >= count) return;
    if (performance.now() > deadline) throw new Error(`only ${waiting} of ${count} reads wait after a minute`);
    await delay(20);
  }
}

export const pollRequests = (queues: readonly Queue[]): Buffer[] =>
  queues.map(({ id, reader, lastEventId }) => pollRequest(reader, id, lastEventId));

/** Responses per second, from the first byte of the first to the last byte of the last. */
export function deliveryRate(answers: readonly Answer[]): number {
  let first = Infinity;
  let last = 0;
  for (const answer of answers) {
    demandSuccess(answer);
    first = Math.min(first, answer.firstByteAt);
    last = Math.max(last, answer.lastByteAt);
  }
  return answers.length / ((last - first) / 1000);
}

/** A metric from the server's /metrics. */
export async function readMetric(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const value = new RegExp(`^${name}(?:\\{[^}]*\\})? (.+)$`, "m").exec(text)?.[1];
  if (value === undefined) throw new Error(`the server has no metric ${name}`);
  return Number(value);
}
