/**
 * Writes the tables of docs/compatibility.md that say what of the protocol is there, and the test that shows it. Runs all
 * tests to learn it, or takes what an earlier run noted: `--record DIR`, where TEST_RECORD=DIR stood before. With
 * --check it writes nothing, and fails when the page names a test for what none has shown.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readStatements, testsByStatement } from "./client-statements.ts";
import { tables, type Item, type Table } from "./compatibility-items.ts";
import { ShownRecord } from "./shown-record.ts";
import { root } from "./test-marks.ts";

const page = join(root, "docs", "compatibility.md");
const begin = "<!-- Written by `npm run compatibility` from here … -->";
const end = "<!-- … to here. -->";

const { values } = parseArgs({ options: { record: { type: "string" }, check: { type: "boolean", default: false } } });
const isCheck = values.check;
const record = new ShownRecord(values.record ?? process.env["TEST_RECORD"] ?? runTests());
if (record.isEmpty) throw new Error("no test has noted anything: was TEST_RECORD set when they ran?");

const text = readFileSync(page, "utf8");
const written = text.slice(text.indexOf(begin), text.indexOf(end));
const problems: string[] = [];
const generated = [...tables.map(writeTable), writeClients()].join("\n");

if (isCheck) {
  for (const problem of problems) console.log(problem);
  if (rowNames(generated) !== rowNames(written)) problems.push("stale");
  if (problems.length > 0) console.log("docs/compatibility.md is not up to date: npm run compatibility");
  process.exitCode = problems.length > 0 ? 1 : 0;
} else {
  const [before = text] = text.split(begin);
  const [, after = "\n"] = text.split(end);
  writeFileSync(page, `${before.trimEnd()}\n\n${begin}\n\n${generated}\n${end}${after}`);
}

function runTests(): string {
  const folder = mkdtempSync(join(tmpdir(), "skein-shown-"));
  spawnSync("npx", ["vitest", "run"], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, TEST_RECORD: folder },
  });
  return folder;
}

function writeTable({ title, what, items }: Table): string {
  const rows = items.map((item) => ({ item, test: testFor(item, title) }));
  const there = rows.filter(({ test, item }) => test !== undefined || item.reason !== undefined);
  return [
    `## ${title}: ${sumOf(there.map(({ item }) => item))} of ${sumOf(items)}`,
    "",
    `| ${what} | shown by |`,
    "|---|---|",
    ...rows.map(
      ({ item, test }) => `| ${inCode(item.name)} | ${test === undefined ? (item.reason ?? "–") : link(test)} |`,
    ),
    "",
  ].join("\n");
}

function sumOf(items: Item[]): number {
  return items.reduce((sum, { count = 1 }) => sum + count, 0);
}

/** The test the page names, or is going to name. */
function testFor(item: Item, title: string): string | undefined {
  const named = namedTest(item.name, title);
  const tests = item.testsIn(record);
  // Some see a thing only when it comes in time; what counts is that one of them does.
  if (isCheck && named !== undefined && tests.size === 0) problems.push(`${item.name} is no longer shown by any test`);
  return record.choose(tests, item.home);
}

function namedTest(name: string, title: string): string | undefined {
  const [, section = ""] = written.split(`## ${title}:`);
  const [table = ""] = section.split("\n## ");
  const row = table.split("\n").find((line) => line.startsWith(`| ${inCode(name)} |`));
  const [, test, file] = /\[(.*)\]\(\.\.\/(.*)\) \|$/.exec(row ?? "") ?? [];
  return test === undefined
    ? undefined
    : `${file}: ${test.replaceAll("\\|", "|").replaceAll("\\[", "[").replaceAll("\\]", "]")}`;
}

function writeClients(): string {
  const statements = readStatements();
  const tests = testsByStatement(statements);
  const shown = statements.filter(({ key }) => (tests.get(key) ?? []).length > 0).length;
  return [
    `## What existing clients need: ${shown} of ${statements.length}`,
    "",
    "| statement | shown by |",
    "|---|---|",
    ...statements.map(({ key }) => `| ${key} | ${(tests.get(key) ?? []).slice(0, 2).map(link).join("<br>") || "–"} |`),
    "",
  ].join("\n");
}

function inCode(name: string): string {
  return `\`${name}\``;
}

function link(test: string): string {
  const [file = "", ...rest] = test.split(": ");
  const name = rest.join(": ").replaceAll("|", "\\|").replaceAll("[", "\\[").replaceAll("]", "\\]");
  return `[${name}](../${file})`;
}

/** What a table is about, whoever shows it. */
function rowNames(tablesText: string): string {
  return [...tablesText.matchAll(/^\| (.*?) \|/gm)].map(([, name]) => name).join("\n");
}
