/** The result of one step, and whether it counts as carried. */
import { patienceMilliseconds } from "./ledger.ts";
import { carried } from "./model.ts";
import { figure } from "../statistics.ts";

export interface Row {
  name: string;
  count: number;
  mean: number;
  p50: number;
  p99: number;
}

export interface StepResult {
  users: number;
  minutes: number;
  /** Per second, without reads of events. */
  requests: number;
  /** Responses or parts of streams with events, per second. */
  reads: number;
  /** Events in them, per second. */
  events: number;
  /** Of them, by type, the most frequent first. */
  eventTypes: [string, number][];
  /** Messages that reached a reader, per second. */
  deliveries: number;
  all: Row;
  rows: Row[];
  delivery: { p50: number; p99: number; highest: number };
  latenessP99: number;
  failedShare: number;
  failures: [string, number][];
  refusals: [string, number][];
  /** CPU time per second by process; together at most the machine's number of cores. */
  cpu: [string, number][];
  /** Bytes by process. */
  memory: [string, number][];
  memoryShare: number;
  growing: string[];
  /** Messages that took longer than the ledger's patience to reach everybody. */
  late: number;
  findings: string[];
  findingCount: number;
}

/** What of the definition does not hold; nothing if the users are carried. */
export function whatBroke(result: StepResult): string[] {
  const { all, delivery, failedShare, memoryShare, growing, late, findingCount, findings } = result;
  const broken: string[] = [];
  if (all.mean >= carried.meanMilliseconds)
    broken.push(`the mean response time is ${figure(all.mean)} ms (limit ${carried.meanMilliseconds} ms)`);
  if (all.p99 >= carried.p99Milliseconds)
    broken.push(`99 % of the responses take up to ${figure(all.p99)} ms (limit ${carried.p99Milliseconds} ms)`);
  if (delivery.p99 >= carried.deliveryP99Milliseconds)
    broken.push(
      `99 % of the deliveries take up to ${figure(delivery.p99)} ms (limit ${carried.deliveryP99Milliseconds} ms)`,
    );
  if (failedShare >= carried.failedShare)
    broken.push(`${figure(failedShare * 100)} % of the requests failed (limit ${carried.failedShare * 100} %)`);
  if (memoryShare >= carried.memoryShare)
    broken.push(`${figure(memoryShare * 100)} % of the memory is in use (limit ${carried.memoryShare * 100} %)`);
  for (const name of growing) broken.push(`there are more and more ${name}`);
  if (late > 0)
    broken.push(`${figure(late)} messages took more than ${patienceMilliseconds / 1000} s to reach everybody`);
  if (findingCount > 0) broken.push(`the ledger has ${findingCount} findings, the first: ${findings[0]}`);
  return broken;
}
