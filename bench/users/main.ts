/**
 * `npm run bench:users [-- --users 10000] [--ramp 1000,2000,5000,10000] [--minutes 15] [--nodes 2] [--history 1000000]
 * [--seed 1] [--polls] [--quick] [--record]`: how many active users the machine carries, server, engines and load together. Writes
 * USERS.md and users.svg. Users read events as streams, as the web client does, or with `--polls` by long polls. All steps but the last are measured for two minutes at most. The quick form is a hundred users
 * for twenty seconds, shows that every action works, and writes nothing.
 */
import { parseArgs } from "node:util";
import { Random } from "../../faults/random.ts";
import { currentLoad } from "../machine.ts";
import { withStage, type Stage } from "../stage.ts";
import { figure } from "../statistics.ts";
import { findMissed, readBaseline, recordBaseline } from "./baseline.ts";
import { Load } from "./load.ts";
import { makeOrganization } from "./organization.ts";
import { castOf, openFiles } from "./processes.ts";
import { printStep, writeReport } from "./report.ts";
import { arrive, finish, measureStep } from "./step.ts";
import { whatBroke, type StepResult } from "./verdict.ts";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    record: { type: "boolean", default: false },
    polls: { type: "boolean", default: false },
    users: { type: "string" },
    ramp: { type: "string" },
    minutes: { type: "string" },
    nodes: { type: "string", default: "2" },
    history: { type: "string" },
    seed: { type: "string", default: "1" },
  },
});
const isQuick = values.quick;
const reads = values.polls ? "polls" : "streams";
const users = Number(values.users ?? (isQuick ? 100 : 10_000));
const ramp = values.ramp?.split(",").map(Number) ?? [1000, 2000, 5000].filter((each) => each < users);
const steps = [...ramp.filter((each) => each < users), users];
const seconds = values.minutes === undefined ? (isQuick ? 20 : 15 * 60) : Number(values.minutes) * 60;
const shortSeconds = Math.min(seconds, 120);
const nodes = Number(values.nodes);
const history = Number(values.history ?? (isQuick ? 20_000 : 1_000_000));
const seed = Number(values.seed);
/** In a few seconds hardly anything would happen at the model's pace. */
const haste = isQuick ? 20 : 1;
const settleSeconds = isQuick ? 2 : 30;
if (![...steps, seconds, nodes, history].every((each) => each > 0) || !Number.isInteger(seed))
  throw new Error("all options are positive numbers");

const breakOff = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => breakOff.abort());
const begun = performance.now();
const say = (text: string): void => {
  process.stdout.write(`${Math.round((performance.now() - begun) / 1000)} s  ${text}\n`);
};

async function serve(stage: Stage) {
  // As documented for production, with all limits.
  const env = { SKEIN_RATE_LIMITS: "true", SKEIN_HEALTH_PORT: "0" };
  const relay = await stage.serve("relay", { env });
  const worker = await stage.serve("worker", { env });
  const api = [];
  for (let node = 0; node < nodes; node++) api.push(await stage.serve("api", { env: { SKEIN_RATE_LIMITS: "true" } }));
  const servers = [
    ...api.map(({ pid }, index) => ({ name: `api ${index + 1}`, pid })),
    { name: "relay", pid: relay.pid },
    { name: "worker", pid: worker.pid },
  ];
  return { urls: api.map(({ url }) => url), cast: await castOf(stage.dir, servers) };
}

/** Messages that nobody is known to have sent must come from the server itself. */
async function judgeStrangers({ pool }: Stage, load: Load): Promise<void> {
  const { rows } = await pool.query<{ id: number }>(
    `select s.id from unnest($1::bigint[]) s (id) where not exists (
      select from messages m join users u on u.id = m.sender_id where m.id = s.id and u.is_bot)`,
    [[...load.ledger.strangers]],
  );
  // A send without a response may have succeeded.
  if (rows.length > load.lostSends) load.ledger.complain(`message ${rows[0]?.id} was delivered and never accepted`);
}

async function measure(stage: Stage): Promise<boolean> {
  const loadBefore = currentLoad();
  say(`seed ${seed}; ${steps.join(", ")} users on ${nodes} nodes`);
  const organization = await makeOrganization(stage, new Random(seed), { users, messages: history });
  const { urls, cast } = await serve(stage);
  const [url = ""] = urls;
  const { open, limit } = await openFiles(process.pid);
  if (users + open + 500 > limit) say(`this process may open ${limit} files only, which is less than there are users`);
  const load = new Load({ urls, organization, seed, haste, reads });
  const results: StepResult[] = [];
  for (const [index, count] of steps.entries()) {
    const isLast = index === steps.length - 1;
    await arrive(stage, load, url, count - load.crowd.users.length);
    if (isQuick) load.tryAll();
    say(`${count.toLocaleString("en-US")} users are there`);
    const read = await measureStep(stage, load, cast, { settleSeconds, seconds: isLast ? seconds : shortSeconds });
    const isOver = isLast || whatBroke(read()).length > 0;
    if (isOver) {
      await finish(load);
      await judgeStrangers(stage, load);
    }
    const result = read();
    results.push(result);
    printStep(result, say);
    if (isOver) break;
  }
  load.end();
  const last = results.at(-1);
  // Times say nothing here, everything else has to be right.
  if (isQuick) return last !== undefined && last.findingCount + last.failures.length + last.refusals.length === 0;
  const baseline = await readBaseline();
  if (values.record) await recordBaseline(results);
  await writeReport(results, { nodes, history, seed, loadBefore, users, reads });
  const missed = findMissed(results, baseline);
  if (missed !== undefined) say(missed);
  return missed === undefined;
}

const isFine = await withStage({ isQuick, signal: breakOff.signal, say }, measure);
say(`the load took ${figure(process.cpuUsage().user / 1e6)} s of CPU time`);
process.exit(isFine ? 0 : 1);
