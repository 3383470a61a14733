/** The requirements of existing clients, and the tests whose marks name them. */
import { readFileSync } from "node:fs";
import { readMarks } from "./test-marks.ts";

const file = new URL("../../shared/reference/clients.md", import.meta.url);

export interface Statement {
  /** As marks name it: `2.5`, `1 Python`, `3 event typing`, `4 presences`. */
  key: string;
  /** For fields of registration: the clients that need it, by their letters. */
  letters: string;
}

const statement = (key: string, letters = ""): Statement => ({ key, letters });

/** Requirements that the page mentions outside of its tables. */
const inPassing = ["3 message object", "3 event ids", "5", "9", "10"];

export function readStatements(): Statement[] {
  const sections = readFileSync(file, "utf8")
    .split(/^## (?=\d)/m)
    .slice(1);
  return [...sections.flatMap(statementsOf), ...inPassing.map((key) => statement(key))];
}

function statementsOf(section: string): Statement[] {
  const number = /^\d+/.exec(section)?.[0] ?? "";
  const cells = [...section.matchAll(/^\|(.*)\|$/gm)]
    .map(([, row = ""]) => row.split("|").map((cell) => cell.trim()))
    .filter(([first = ""]) => !/^[-]+$/.test(first));
  switch (number) {
    case "1":
      return cells.slice(1).map(([client = ""]) => statement(`1 ${client.replaceAll("`", "").replace(/ zulip$/, "")}`));
    case "2":
    case "11":
      return [...section.matchAll(/^(\d+)\. /gm)].map(([, item = ""]) => statement(`${number}.${item}`));
    case "3":
      return [
        ...[...section.matchAll(/^(\d+)\. /gm)].map(([, item = ""]) => statement(`3.${item}`)),
        ...cells.slice(1).map(([event = ""]) => statement(`3 event ${event}`)),
      ];
    case "4":
      return cells
        .slice(1)
        .flatMap(([fields = "", ...columns]) =>
          fields.split(", ").map((field) => statement(`4 ${field}`, columns.slice(0, 4).join("").toUpperCase())),
        );
    case "6":
    case "7":
    case "8":
      return [...section.matchAll(/^- /gm)].map((_, index) => statement(`${number}.${index + 1}`));
    default:
      return [];
  }
}

/** The tests by requirement. Throws if a mark names an unknown requirement. */
export function testsByStatement(statements: Statement[]): Map<string, string[]> {
  const tests = new Map<string, string[]>(statements.map(({ key }) => [key, []]));
  for (const { text, file: where, test } of readMarks("clients"))
    for (const mark of text.split(", ")) {
      const [, section, letter] = /^(\d+) \*(\w?)$/.exec(mark) ?? [];
      const meant = statements.filter(({ key, letters }) =>
        letter === undefined ? key === mark : key.startsWith(`${section} `) && letters.includes(letter),
      );
      if (meant.length === 0) throw new Error(`${where}: no statement is called ${mark}`);
      for (const { key } of meant) tests.get(key)?.push(`${where}: ${test}`);
    }
  return tests;
}
