/** Preloaded into a server process: records every statement it sends to PostgreSQL, as one JSON array per line. */
import { appendFileSync } from "node:fs";
import pg from "pg";

const file = process.env["BENCH_STATEMENTS"];
if (file === undefined) throw new Error("BENCH_STATEMENTS must name the file to write to");

// oxlint-disable-next-line typescript/unbound-method -- it is called with its `this` below
const query = pg.Client.prototype.query as (...args: unknown[]) => unknown;
function recorded(this: pg.Client, ...args: unknown[]): unknown {
  const [first, second] = args;
  const config = typeof first === "string" ? { text: first, values: second } : (first as pg.QueryConfig); // one of pg's signatures
  const values = Array.isArray(config.values) ? config.values : [];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify([config.text, values])}\n`);
  return query.apply(this, args);
}
pg.Client.prototype.query = recorded as typeof pg.Client.prototype.query; // the same call, recorded
