/** Writes HISTORY.md: the times of queries on a small and on a large history. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describeMachine, describeVersions } from "../machine.ts";
import { figure } from "../statistics.ts";
import type { Asked } from "./ask.ts";
import type { Resolved } from "./changes.ts";
import type { DiskUse } from "./disk.ts";

const file = join(import.meta.dirname, "../HISTORY.md");
export const bar = { ratio: 1.5, p99: 100, bytes: 2000 };

export interface Report {
  small: { messages: number; asked: Asked[]; resolved: Resolved };
  large: { messages: number; asked: Asked[]; resolved: Resolved; bytesPerMessage: number };
  disk: DiskUse[];
}

export async function writeReport({ small, large, disk }: Report): Promise<void> {
  const before = new Map(small.asked.map((asked) => [asked.what, asked]));
  const lines = large.asked.map(({ what, p50, p99, sql, isExempt }) => {
    const ratio = p50 / sql;
    const earlier = before.get(what)?.p50;
    const reached = [ratio <= bar.ratio, isExempt || p99 < bar.p99].every(Boolean);
    const growth = earlier === undefined ? "" : `${figure(p50 / earlier)} ×`;
    const cells = [what, figure(sql), figure(p50), `${figure(ratio)} ×`, figure(p99), figure(earlier ?? 0), growth];
    return `| ${[...cells, reached ? "yes" : "**no**"].join(" | ")} |`;
  });
  await writeFile(
    file,
    [
      "# Benchmark of a large history",
      "",
      "Written by `npm run bench:history`, not by hand. An organization of 10,000 people, 2,000 channels and 20,000 topics; the",
      "reader is in 500 channels and was away for a month. Milliseconds, over HTTP on the same machine, each query alternating with",
      "the same query as handwritten SQL without access checks. The target is at most",
      `${bar.ratio} times the SQL at the median, and under ${bar.p99} ms in 99 of 100 cases (not for a common word).`,
      "",
      `- Machine: ${await describeMachine()}`,
      `- Versions: ${await describeVersions()}`,
      `- Measured on ${new Date().toISOString().slice(0, 10)}`,
      "",
      `| ${large.messages.toLocaleString("en-US")} messages | SQL p50 | Skein p50 | ratio | Skein p99 | with ${small.messages.toLocaleString("en-US")} | growth | reached |`,
      "|---|---|---|---|---|---|---|---|",
      ...lines,
      "",
      `Resolving a topic of ${figure(small.resolved.messages)} messages writes ${small.resolved.rows} rows in ${figure(small.resolved.milliseconds)} ms; one of ` +
        `${figure(large.resolved.messages)} messages ${large.resolved.rows} rows in ${figure(large.resolved.milliseconds)} ms.`,
      "",
      "## Disk",
      "",
      "Including all indexes and the full-text index, after everybody has read everything. The reference server documents 10 GB for a",
      "million messages, which is 10,000 bytes per message, and 20 GB more for each thousand accounts.",
      "",
      "| | bytes per message |",
      "|---|---|",
      ...disk.map(
        ({ subscribers, bytesPerMessage }) => `| ${figure(subscribers)} subscribers | ${figure(bytesPerMessage)} |`,
      ),
      `| the whole database of ${large.messages.toLocaleString("en-US")} messages, divided by them | ${figure(large.bytesPerMessage)} |`,
      "",
    ].join("\n"),
  );
}
