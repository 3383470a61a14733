import { readConfig } from "../config.ts";
import type { BackfillState } from "../platform/db/backfills.ts";
import { migrate as applyMigrations, type MigrationResult } from "../platform/db/migrate.ts";
import type { Phase } from "../platform/db/migration-files.ts";
import {
  planMigrations,
  type MigrationPlan,
  type PlannedMigration,
  type TablePlan,
} from "../platform/db/migration-plan.ts";
import { command, print, UsageError } from "./command.ts";
import { explainUnreachable } from "./database.ts";
import { formatBytes } from "./format.ts";

export const migrate = command({
  options: {
    expand: {
      type: "boolean",
      description: "Apply only what the previous release can run with. Run this before you start the new release.",
    },
    contract: {
      type: "boolean",
      description:
        "Apply only what needs all processes of older releases gone. After it there is no way back to an older release.",
    },
    plan: {
      type: "boolean",
      description: "Change nothing; show what would run, the locks it takes, and the rows and sizes of its tables.",
    },
    status: {
      type: "boolean",
      description: "Change nothing; show what is pending, how far backfills are, and which releases are connected.",
    },
  },
  run: async ({ options, json, answer }) => {
    const chosen = Object.entries(options).filter(([name, isGiven]) => isGiven && name !== "plan");
    if (chosen.length > 1 || (options.plan && options.status))
      throw new UsageError("Give only one of --expand, --contract and --status; --plan goes with the first two");
    const phase: Phase | undefined = options.expand ? "expand" : options.contract ? "contract" : undefined;
    const config = readConfig(process.env);
    if (options.plan || options.status) {
      const plan = await explainUnreachable(config, (url) => planMigrations(url, { phase }));
      if (options.plan) answer(plan, describePlan(plan));
      else answer(statusOf(plan), describeStatus(plan));
      return;
    }
    const tell = (message: string) => void process.stderr.write(`${message}\n`);
    const result = await explainUnreachable(config, (url) =>
      applyMigrations(url, {
        ...(phase && { phase }),
        onStep: ({ name, milliseconds }) => void (!json && print(`${name}  ${milliseconds} ms`)),
        onWait: tell,
        onProgress: tell,
      }),
    );
    answer(result, describeResult(result));
  },
});

function describeResult({ applied, postponed }: MigrationResult): string {
  const done = applied.length === 0 ? "There was nothing to apply." : `Applied ${applied.length} migrations.`;
  if (postponed.length === 0) return done;
  return [
    done,
    "",
    "Not applied yet; run `skein migrate --contract` later. This release runs without:",
    ...postponed.map(({ name, reason }) => `  ${name}: ${reason}`),
  ].join("\n");
}

function describePlan(plan: MigrationPlan): string {
  const lines = plan.migrations.flatMap(describeMigration);
  return [...(lines.length === 0 ? ["Nothing to apply."] : lines), ...describeBackfills(plan.backfills)].join("\n");
}

function describeMigration(migration: PlannedMigration): string[] {
  const { name, phase, oldestRelease, isTransactional, backfill, obstacle, statements } = migration;
  const needs = oldestRelease === null ? "" : `, needs release ${oldestRelease} or newer everywhere`;
  return [
    `${name}: ${phase}${needs}, ${isTransactional ? "in one transaction" : "statement by statement, without a transaction"}`,
    ...(obstacle === null ? [] : [`  has to wait: ${obstacle}`]),
    ...statements.flatMap(({ statement, isKnown, tables }) => [
      `  ${firstLine(statement)}`,
      ...(isKnown ? [] : ["    unknown effects: read it"]),
      ...tables.map((table) => `    ${describeTable(table)}`),
    ]),
    ...(backfill === null ? [] : [`  then the backfill ${backfill}, by workers of this release`]),
    "",
  ];
}

const maxLine = 110;

function firstLine(statement: string): string {
  const line = statement.replaceAll(/\s+/g, " ");
  return line.length > maxLine ? `${line.slice(0, maxLine - 1)}…` : line;
}

function describeTable({ table, lock, rewrites, scans, rows, bytes }: TablePlan): string {
  const work = rewrites ? ", rewrites the table" : scans ? ", reads all rows" : "";
  if (bytes === null) return `${table}: lock ${lock}${work}; the table does not exist yet`;
  const count = rows === null ? "an unknown number of rows" : `about ${rows.toLocaleString("en")} rows`;
  return `${table}: lock ${lock}${work}; ${count}, ${formatBytes(bytes)}`;
}

function describeBackfills(backfills: BackfillState[]): string[] {
  if (backfills.length === 0) return [];
  return [
    "Backfills:",
    ...backfills.map(({ name, table, progress, changedRows, finishedAt, problem }) => {
      const state = finishedAt === null ? `${Math.floor(progress * 100)} %` : "complete";
      const failed = problem === null ? "" : `; the last attempt failed: ${problem}`;
      return `  ${name} (${table}): ${state}, ${changedRows.toLocaleString("en")} rows changed${failed}`;
    }),
  ];
}

function statusOf({ migrations, backfills, newer, processes }: MigrationPlan) {
  const pending = (phase: Phase) => migrations.filter((migration) => migration.phase === phase).map(({ name }) => name);
  return { expand: pending("expand"), contract: pending("contract"), newer, backfills, processes };
}

function describeStatus(plan: MigrationPlan): string {
  const { expand, contract, newer, backfills, processes } = statusOf(plan);
  const list = (names: string[]) => (names.length === 0 ? "nothing" : names.join(", "));
  const releases = Map.groupBy(processes, ({ release }) => release);
  const running = [...releases].map(([release, each]) => `${release} (${each.map(({ name }) => name).join(", ")})`);
  return [
    `Pending in the phase expand:    ${list(expand)}`,
    `Pending in the phase contract:  ${list(contract)}`,
    ...(newer.length === 0 ? [] : [`Applied by a newer release:     ${list(newer)}`]),
    `Connected releases:             ${list(running)}`,
    ...describeBackfills(backfills),
  ].join("\n");
}
