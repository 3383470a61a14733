import { readFile } from "node:fs/promises";
import { parse } from "yaml";
import { planSchema, toPlan, type Plan } from "../../domain/data/imports/run/plan.ts";
import type { Progress } from "../../domain/data/imports/run/import-context.ts";
import { describe, openExport } from "../../domain/data/imports/export-file.ts";
import { Rate } from "../../domain/data/imports/run/rate.ts";
import { toMarkdown, type Report } from "../../domain/data/imports/run/report.ts";
import { realmOption } from "../accounts.ts";
import { command, table, UsageError } from "../command.ts";
import { writeNewFile } from "../new-file.ts";
import { fileArgument, fileDetails } from "./file-argument.ts";

export const importRun = command({
  args: [fileArgument],
  options: {
    realm: realmOption,
    plan: { type: "string", value: "FILE", description: "What `skein import plan` printed, edited." },
    "fetch-files": {
      type: "boolean",
      description:
        "Fetch files that an export of Slack only links to. Its links work until they expire or are revoked.",
    },
    report: { type: "string", value: "FILE", description: "Write a report in Markdown to this new file." },
  },
  details: [
    fileDetails,
    "The server keeps running, and nobody is notified. A run that was interrupted continues where it stopped when it is " +
      "started again with the same file. A second run, or a newer export, adds only what is new. Needs the server's file store " +
      "(SKEIN_FILES_DIR or SKEIN_S3_BUCKET).",
    "Slack's own exports contain links to files instead of the files. With --fetch-files the server fetches them from " +
      "files.slack.com, up to the size that it accepts for uploads. A message whose file cannot be fetched keeps a link " +
      "to its old address, and the report says why.",
  ],
  examples: [
    "skein import run export.zip --realm denmark",
    "skein import run slack.zip --realm denmark --fetch-files",
    "skein import run export.zip --plan plan.yaml --report report.md",
  ],
  run: async ({ args: [path = ""], options, answer }) => {
    await describe(path);
    const plan = options.plan === undefined ? undefined : await readPlan(options.plan);
    // Refuses what is no export before anything else is needed.
    await (await openExport(path, () => undefined)).close();
    // Only then the rest of the server is loaded, which takes longer.
    const { performImport } = await import("./perform.ts");
    const { report, source, realmName } = await performImport(path, {
      realm: options.realm,
      plan,
      fetchesFiles: options["fetch-files"],
      onProgress: progressPrinter(),
    });
    const markdown = toMarkdown(report, { source, realm: realmName });
    if (options.report !== undefined) await writeNewFile(options.report, (file) => file.writeFile(markdown));
    answer(report, toText(report));
  },
});

async function readPlan(path: string): Promise<Plan> {
  const parsed = planSchema.safeParse(parse(await readFile(path, "utf8")));
  if (parsed.success) return toPlan(parsed.data);
  const [issue] = parsed.error.issues;
  throw new UsageError(`${path} is not a plan: ${issue?.path.join(".")}: ${issue?.message}`);
}

function toText({ imported, skipped, remarks }: Report): string {
  const rows = (counts: Record<string, number>) => Object.entries(counts).map(([kind, count]) => [kind, String(count)]);
  return [
    `Imported:\n${table(rows(imported))}`,
    ...(Object.keys(skipped).length === 0 ? [] : [`Left out:\n${table(rows(skipped))}`]),
    ...remarks,
  ].join("\n\n");
}

const millisecondsBetweenLines = 2000;

/** Prints the phase, the rate and the remaining time to standard error. */
function progressPrinter(): (progress: Progress) => void {
  const rate = new Rate();
  let phase = "";
  let printed = 0;
  return ({ phase: current, done, total }) => {
    const now = performance.now();
    const perSecond = rate.note(current, done, now);
    if (current !== phase) {
      [phase, printed] = [current, now];
      process.stderr.write(`${current} …\n`);
      return;
    }
    if (now - printed < millisecondsBetweenLines) return;
    printed = now;
    const left = total > 0 && perSecond > 0 ? `, ${duration((total - done) / perSecond)} left` : "";
    process.stderr.write(
      `${current}: ${done}${total > 0 ? ` of ${total}` : ""}, ${Math.round(perSecond)} a second${left}\n`,
    );
  };
}

function duration(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  if (seconds < 90 * 60) return `${Math.ceil(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}
