/** Runs a query over HTTP and as SQL in turn. */
import pg from "pg";
import { Connection } from "../connection.ts";
import { demandSuccess } from "../request.ts";
import type { Stage } from "../stage.ts";
import { figure, median, percentile } from "../statistics.ts";
import type { History } from "./fill.ts";
import { questions } from "./questions.ts";

export interface Asked {
  what: string;
  isExempt: boolean;
  p50: number;
  p99: number;
  sql: number;
}

export interface Comparison {
  what: string;
  /** The request of the n-th run. */
  request: (n: number) => Buffer;
  sql: (client: pg.Client, n: number) => Promise<unknown>;
  times: number;
  warmUps: number;
  isExempt?: boolean;
}

const quickTimes = 2;

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

export async function compare(stage: Stage, url: string, comparison: Comparison): Promise<Asked> {
  const { what, request, sql, times, warmUps, isExempt = false } = comparison;
  const connection = await Connection.open(url);
  const client = new pg.Client({ connectionString: stage.databaseUrl, options: "-c jit=off" });
  client.on("error", () => undefined); // the connection breaks when the run is aborted
  await client.connect();
  const ours: number[] = [];
  const bySql: number[] = [];
  for (let n = 0; n < warmUps + (stage.isQuick ? quickTimes : times); n++) {
    const ask = async () => demandSuccess(await connection.send(request(n)));
    const query = () => sql(client, n);
    // The first one finds less in the cache, so each goes first equally often.
    const isOursFirst = n % 2 === 0;
    const first = await timeOf(isOursFirst ? ask : query);
    const second = await timeOf(isOursFirst ? query : ask);
    if (n < warmUps) continue;
    ours.push(isOursFirst ? first : second);
    bySql.push(isOursFirst ? second : first);
  }
  await client.end();
  connection.close();
  const asked = { what, isExempt, p50: median(ours), p99: percentile(ours, 0.99), sql: median(bySql) };
  stage.say(`${what}: ${figure(asked.p50)} ms, p99 ${figure(asked.p99)} ms; SQL ${figure(asked.sql)} ms`);
  return asked;
}

export async function askAll(stage: Stage, history: History, url: string): Promise<Asked[]> {
  const asked: Asked[] = [];
  for (const { what, request, sql, times, isExempt } of questions)
    asked.push(
      await compare(stage, url, {
        what,
        request: (n) => request(history, n),
        sql: (client, n) => client.query({ name: what, text: sql.text, values: sql.values(history, n) }),
        times,
        warmUps: isExempt ? 1 : 5,
        ...(isExempt === undefined ? {} : { isExempt }),
      }),
    );
  return asked;
}
