/** Asks each question over the wire and as SQL in turn. */
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

const warmUps = 5;

export async function askAll(stage: Stage, history: History, url: string): Promise<Asked[]> {
  const connection = await Connection.open(url);
  const client = new pg.Client({ connectionString: stage.databaseUrl, options: "-c jit=off" });
  await client.connect();
  const asked: Asked[] = [];
  for (const { what, request, sql, times, isExempt = false } of questions) {
    const ours: number[] = [];
    const bySql: number[] = [];
    for (let n = -warmUps; n < (stage.isQuick ? 5 : times); n++) {
      const begun = performance.now();
      demandSuccess(await connection.send(request(history, n + warmUps)));
      const answered = performance.now();
      await client.query({ name: what.slice(0, 60), text: sql.text, values: sql.values(history, n + warmUps) });
      if (n < 0) continue;
      ours.push(answered - begun);
      bySql.push(performance.now() - answered);
    }
    const measured = { what, isExempt, p50: median(ours), p99: percentile(ours, 0.99), sql: median(bySql) };
    stage.say(`${what}: ${figure(measured.p50)} ms, p99 ${figure(measured.p99)} ms; SQL ${figure(measured.sql)} ms`);
    asked.push(measured);
  }
  await client.end();
  connection.close();
  return asked;
}
