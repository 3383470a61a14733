/**
 * Writes the tables of docs/compatibility.md, which list the supported parts of the protocol with a test for each. Runs all
 * tests, or uses the record of an earlier run with TEST_RECORD=DIR: `--record DIR`. With --check, which needs such a record,
 * it writes nothing, and fails if the page names a test for something that no test covered.
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
const recorded = values.record ?? process.env["TEST_RECORD"];
if (isCheck && recorded === undefined) {
  console.error(
    "--check needs the record of a run of all tests: run them with TEST_RECORD=DIR, then --check --record DIR",
  );
  process.exit(2);
}
const record = new ShownRecord(recorded ?? runTests());
if (record.isEmpty) throw new Error("the record is empty: was TEST_RECORD set when the tests ran?");

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

/** The test that the page names, or will name. */
function testFor(item: Item, title: string): string | undefined {
  const named = namedTest(item.name, title);
  const tests = item.testsIn(record);
  // Some tests cover an item only with the right timing; it is enough that one of them does.
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

/** The content of a table without the names of tests. */
function rowNames(tablesText: string): string {
  return [...tablesText.matchAll(/^\| (.*?) \|/gm)].map(([, name]) => name).join("\n");
}
