/**
 * Writes docs/spec-coverage.md: every item of the specification with the tests that show it. With --check it writes
 * nothing and fails when the page is not up to date or an item has no test.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { proseItems } from "./spec-items.ts";
import { readMarks, root } from "./test-marks.ts";

const page = join(root, "docs", "spec-coverage.md");
const specification = join(root, "..", "shared", "reference", "spec.md");

interface Section {
  number: string;
  title: string;
  /** Items of its tables, which `*` matches. */
  tabled: string[];
  items: string[];
}

/** Names are in the first column, sometimes several per cell; text in brackets is not a name. */
const namesIn = (cell: string): string[] =>
  cell
    .replaceAll(/\([^)]*\)/g, "")
    .split(",")
    .map((name) => name.trim().replaceAll("`", ""))
    .filter((name) => name !== "");

function readSections(text: string): Section[] {
  const sections: Section[] = [];
  let isTable = false;
  for (const line of text.split("\n")) {
    const heading = /^#{2,3} (\d+(?:\.\d+)?)\.? (.*)$/.exec(line);
    if (heading) {
      const [, number = "", title = ""] = heading;
      sections.push({ number, title: title.replaceAll("`", ""), tabled: [], items: [...(proseItems[number] ?? [])] });
    }
    const section = sections.at(-1);
    if (!line.startsWith("|") || !section) {
      isTable = false;
      continue;
    }
    // The first two lines of a table are its header.
    if (!isTable) isTable = true;
    else if (!/^\|[-| ]+\|$/.test(line) && !/^(3\.|1$)/.test(section.number))
      section.tabled.push(...namesIn(line.split("|")[1] ?? ""));
  }
  for (const section of sections) section.items = [...new Set([...section.tabled, ...section.items])];
  return sections.filter((section) => section.items.length > 0);
}

interface Shown {
  section: string;
  item: string;
  test: string;
}

const normal = (name: string): string => name.toLowerCase().replaceAll(/[`"']/g, "").trim();

const readTests = (): Shown[] =>
  readMarks("spec").flatMap(({ text: marks, file, test }) =>
    marks.split(/;(?= *\d)/).flatMap((mark) => {
      const [section = "", items = ""] = mark.split(/: (.*)/s);
      return items
        .split(",")
        .map((item) => ({ section: section.trim(), item: normal(item), test: `${file}: ${test}` }));
    }),
  );

function write(sections: Section[], shown: Shown[]): { text: string; empty: string[] } {
  const empty: string[] = [];
  const lines = [
    "# What the specification says, and the test that shows it",
    "",
    "Written by `npm run spec-coverage` from the specification's tables and the marks above our tests. Do not edit.",
    "",
  ];
  for (const { number, title, tabled, items: listed } of sections) {
    const known = new Set(["*", ...listed.map(normal)]);
    const further = shown.filter((one) => one.section === number && !known.has(one.item)).map((one) => one.item);
    const items = [...listed, ...new Set(further)];
    lines.push(`## ${number} ${title}`, "", "| item | shown by |", "|---|---|");
    for (const item of items) {
      const isTabled = tabled.includes(item);
      const fitting = shown.filter(
        (one) => one.section === number && (one.item === normal(item) || (one.item === "*" && isTabled)),
      );
      const tests = [...new Set(fitting.map((one) => one.test))];
      if (tests.length === 0) empty.push(`${number} ${item}`);
      lines.push(`| ${item} | ${tests.slice(0, 3).join("<br>").replaceAll("|", "\\|")} |`);
    }
    lines.push("");
  }
  return { text: `${lines.join("\n").trimEnd()}\n`, empty };
}

const { text, empty } = write(readSections(readFileSync(specification, "utf8")), readTests());
const isCheck = process.argv.includes("--check");
if (!isCheck) writeFileSync(page, text);
const isStale = isCheck && readFileSync(page, "utf8") !== text;
for (const item of empty) console.log(`no test shows ${item}`);
if (isStale) console.log("docs/spec-coverage.md is not up to date: npm run spec-coverage");
if (empty.length > 0 || isStale) process.exitCode = 1;
