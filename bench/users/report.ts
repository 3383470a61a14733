/** USERS.md and users.svg: what each step took, and what broke first. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describeMachine, describeVersions } from "../machine.ts";
import { figure } from "../statistics.ts";
import { bestOf, coresOf } from "./baseline.ts";
import { drawSteps } from "./draw-steps.ts";
import type { FeedKind } from "./feed.ts";
import { actionsPerSecond, carried } from "./model.ts";
import { whatBroke, type Row, type StepResult } from "./verdict.ts";

const file = join(import.meta.dirname, "../USERS.md");
const chartFile = join(import.meta.dirname, "../users.svg");
const changesFile = join(import.meta.dirname, "changes.md");

export interface Surroundings {
  nodes: number;
  history: number;
  seed: number;
  loadBefore: string;
  /** The organization's. */
  users: number;
  reads: FeedKind;
}

const megabytes = (bytes: number): string => `${figure(bytes / 1024 ** 2)} MB`;
const ways: Record<FeedKind, string> = { streams: "as a stream", polls: "by long polls" };
const whole = (count: number): string => count.toLocaleString("en-US");

export function printStep(result: StepResult, say: (line: string) => void): void {
  const { users, all, delivery, rows } = result;
  say(
    `${whole(users)} users for ${figure(result.minutes)} min: ${figure(result.requests)} requests/s, mean ${figure(all.mean)} ms, ` +
      `p99 ${figure(all.p99)} ms; ${figure(result.deliveries)} deliveries/s, p50 ${figure(delivery.p50)}, p99 ${figure(delivery.p99)}, ` +
      `slowest ${figure(delivery.highest)} ms`,
  );
  say(
    `cores: ${result.cpu.map(([name, cores]) => `${name} ${figure(cores)}`).join(", ")}; together ${figure(coresOf(result))}`,
  );
  say(`memory: ${result.memory.map(([name, bytes]) => `${name} ${megabytes(bytes)}`).join(", ")}`);
  say(
    `${figure(result.reads)} arrivals/s with ${figure(result.events)} events/s; requests made late by ${figure(result.latenessP99)} ms (p99)`,
  );
  say(`events/s by type: ${result.eventTypes.map(([type, count]) => `${type} ${figure(count)}`).join(", ")}`);
  for (const { name, count, mean, p50, p99 } of rows)
    say(
      `  ${name.padEnd(30)} ${whole(count).padStart(8)}  mean ${figure(mean)}, p50 ${figure(p50)}, p99 ${figure(p99)} ms`,
    );
  for (const [what, count] of result.failures) say(`  failed ${count} ×: ${what}`);
  for (const [what, count] of result.refusals) say(`  refused ${count} ×: ${what}`);
  for (const finding of result.findings) say(`  ledger: ${finding}`);
  const broken = whatBroke(result);
  say(broken.length === 0 ? "carried" : `not carried: ${broken.join("; ")}`);
}

export async function writeReport(
  results: readonly StepResult[],
  { nodes, history, seed, loadBefore, users, reads }: Surroundings,
): Promise<void> {
  const best = bestOf(results);
  const last = results.at(-1);
  if (!last) return;
  const shown = best ?? last;
  const broken = whatBroke(last);
  const changes = await readFile(changesFile, "utf8").catch(() => "");
  await writeFile(chartFile, drawSteps(results));
  await writeFile(
    file,
    [
      "# How many active users a machine carries",
      "",
      `Written by \`npm run bench:users\`, not by hand. Every active user has a registered queue with all events and reads it ${ways[reads]},`,
      `reports presence each minute, and acts every ${figure(1 / actionsPerSecond)} seconds on average, by the weights of Mattermost's public load test`,
      "(`bench/users/model.ts`). The load is open-loop: a request is made when it is due, whatever became of earlier ones, and its time counts from",
      "then. Server, engines and load share one machine.",
      "",
      `Users are **carried** if for at least ${carried.minutes} minutes the mean response takes less than ${carried.meanMilliseconds} ms and 99 % of the responses less than`,
      `${carried.p99Milliseconds / 1000} s, fewer than ${carried.failedShare * 100} % of the requests fail, no backlog grows, less than ${carried.memoryShare * 100} % of the memory is in use, 99 % of the`,
      `deliveries arrive within ${carried.deliveryP99Milliseconds} ms of the moment the message was due, and every accepted message reached every reader who has a`,
      "queue and may see it, exactly once and in order. `bench/users/ledger.ts` checks that for all users.",
      "",
      `- Machine: ${await describeMachine()}`,
      `- Versions: ${await describeVersions()}`,
      `- Organization: ${whole(users)} users, ${whole(history)} messages of history; ${nodes} api processes, one relay, one worker; seed ${seed}`,
      `- Measured on ${new Date().toISOString().slice(0, 10)}, load before ${loadBefore}`,
      "",
      best
        ? `**${whole(best.users)} active users were carried**, measured for ${figure(best.minutes)} minutes.`
        : "**No step was carried.**",
      broken.length === 0
        ? "Nothing broke; more users were not tried."
        : `What broke first, at ${whole(last.users)} users: ${broken.join("; ")}.`,
      "",
      "![CPU time by process at each step](users.svg)",
      "",
      "| active users | minutes | requests/s | mean | p99 | arrivals of events/s | deliveries/s | p50 | p99 | cores | memory in use | carried |",
      "|---|---|---|---|---|---|---|---|---|---|---|---|",
      ...results.map(stepLine),
      "",
      `## Processes at ${whole(shown.users)} users`,
      "",
      "PostgreSQL's memory counts pages that its processes share once per process.",
      "",
      "| | cores | memory |",
      "|---|---|---|",
      ...shown.cpu.map(([name, cores]) => {
        const bytes = shown.memory.find(([other]) => other === name)?.[1] ?? 0;
        return `| ${name} | ${figure(cores)} | ${megabytes(bytes)} |`;
      }),
      "",
      `## Requests at ${whole(shown.users)} users`,
      "",
      "Milliseconds from when the request was due. Reading events is not in this table. Events that arrive together are one arrival.",
      "",
      "| | requests | mean | p50 | p99 |",
      "|---|---|---|---|---|",
      ...shown.rows.map(requestLine),
      requestLine(shown.all),
      "",
      `## Events at ${whole(shown.users)} users`,
      "",
      "How many a second reached clients, by type.",
      "",
      "| type | events/s |",
      "|---|---|",
      ...shown.eventTypes.map(([type, count]) => `| ${type} | ${figure(count)} |`),
      "",
      ...(changes === "" ? [] : [changes.trim(), ""]),
    ].join("\n"),
  );
}

function stepLine(result: StepResult): string {
  const { users, minutes, requests, all, reads, deliveries, delivery, memoryShare } = result;
  const cells = [
    whole(users),
    figure(minutes),
    figure(requests),
    `${figure(all.mean)} ms`,
    `${figure(all.p99)} ms`,
    figure(reads),
    figure(deliveries),
    `${figure(delivery.p50)} ms`,
    `${figure(delivery.p99)} ms`,
    figure(coresOf(result)),
    `${figure(memoryShare * 100)} %`,
    whatBroke(result).length === 0 ? "yes" : "**no**",
  ];
  return `| ${cells.join(" | ")} |`;
}

const requestLine = ({ name, count, mean, p50, p99 }: Row): string =>
  `| ${[name, whole(count), figure(mean), figure(p50), figure(p99)].join(" | ")} |`;
