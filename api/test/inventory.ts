/** What the inventory of the protocol lists, read from its tables as they stand. */
import { readFileSync } from "node:fs";

const inventoryFile = new URL("../../../shared/reference/api-inventory.md", import.meta.url);

/** The text of a section, by the beginning of its heading: up to the next heading of the same rank or above. */
function section(heading: string): string {
  const text = readFileSync(inventoryFile, "utf8");
  const begin = text.indexOf(`\n${heading}`);
  if (begin < 0) throw new Error(`the inventory has no section ${heading}`);
  const rank = heading.split(" ", 1)[0]?.length ?? 0;
  const body = text.slice(begin + 1);
  const end = body.slice(1).search(new RegExp(`\\n#{2,${rank}} `));
  return end < 0 ? body : body.slice(0, end + 1);
}

/** Rows of all tables in a text, without their heads. */
function rows(text: string): string[][] {
  return [...text.matchAll(/^\|[^\n]*\|\n\|[-| ]+\|\n((?:\|[^\n]*\n?)+)/gm)].flatMap(([, body = ""]) =>
    body
      .trim()
      .split("\n")
      .map((line) => line.slice(1, -1).split("|"))
      .map((cells) => cells.map((cell) => cell.trim())),
  );
}

/**
 * The fields of the registration answer, by the words that ask for them; several words joined with ` + ` must all be
 * there. What is always there stands under `(always)`.
 */
export function registrationFields(): Map<string, string[]> {
  const text = section("### c.3");
  const fields = new Map<string, string[]>();
  const add = (type: string, name: string) => fields.set(type, [...(fields.get(type) ?? []), name]);
  const [general = "", ...named] = text.split(/^`(?=realm(?:_user)?` \()/m);
  for (const [type = "", name = ""] of rows(general)) add(type.replace(" (both)", ""), name);
  for (const table of named) {
    const [type = ""] = table.split("`", 1);
    for (const [name = ""] of rows(table)) add(type, name);
  }
  for (const [, type = "", list = ""] of text.matchAll(/^- `(\w+)` \(\d+ fields\): (.*)\.$/gm))
    for (const [, name = ""] of list.matchAll(/(\w+) \((?:\{[^}]*\}\[\]|[^()]*)\)/g)) add(type, name);
  return fields;
}

export type Tier = "S" | "A" | "B" | "C";

export interface ListedOperation {
  method: string;
  path: string;
  tier: Tier;
}

/** Operations the reference has and does not document. */
export function undocumentedOperations(): ListedOperation[] {
  return rows(section("### a.2")).flatMap((cells) => {
    const [methods = "", paths = ""] = cells;
    const tier = cells.at(-1) as Tier; // the table's last column
    return methods
      .split(", ")
      .flatMap((method) => pathsIn(paths).map((path) => ({ method, path: path.replace(/^\/api\/v1/, ""), tier })));
  });
}

/** `/a/, /b/` are two, and `/a/ and /{b}/` is one below the other. */
function pathsIn(cell: string): string[] {
  const [first = "", below] = cell.split(/(?<=\/) and \//);
  return below === undefined ? cell.split(", ") : [first, first + below];
}

/** Error codes with the HTTP status they come with, once each. */
export function errorCodes(): { code: string; status: string; when: string }[] {
  return rows(section("## e.")).flatMap(([codes = "", status = "", , when = ""]) =>
    codes
      .split(", ")
      .map((code) => ({ code: code.replace(/ \(.*\)$/, ""), status, when }))
      .filter(({ code }) => /^[A-Z_]+$/.test(code)),
  );
}
