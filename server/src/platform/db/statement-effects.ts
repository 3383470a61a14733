/**
 * What a statement of a migration does to a table that is in use: the lock it takes, whether it rewrites the table or reads
 * all of it under that lock, and why the previous release might not survive it. `skein migrate --plan` shows this, and the
 * lint for migrations (migration-lint.ts) decides by it. A test compares it with what PostgreSQL does.
 */
import { splitAtCommas, wordsOf } from "./sql-statements.ts";

/** PostgreSQL's lock modes, from weak to strong. From SHARE on they block writes; the last one blocks reads, too. */
export const lockModes = [
  "ACCESS SHARE",
  "ROW SHARE",
  "ROW EXCLUSIVE",
  "SHARE UPDATE EXCLUSIVE",
  "SHARE",
  "SHARE ROW EXCLUSIVE",
  "EXCLUSIVE",
  "ACCESS EXCLUSIVE",
] as const;
export type LockMode = (typeof lockModes)[number];

export interface Effect {
  /** Empty if only the name of an index is known. */
  table: string;
  ofIndex?: string;
  lock: LockMode;
  /** PostgreSQL writes the table anew. */
  rewrites: boolean;
  /** PostgreSQL reads the whole table while it holds the lock. */
  scans: boolean;
  /** Why an expand migration must not do this; undefined if it may. */
  danger: string | undefined;
  /** `column` in `alter column … set not null`, which depends on earlier statements. */
  setsNotNull?: string;
  /** `column` in a check that it is not null, and the name of the constraint. */
  checksNotNull?: { column: string; constraint: string };
  validates?: string;
}

/** Undefined if this file does not know the statement. */
export function effectsOf(statement: string): Effect[] | undefined {
  const words = wordsOf(statement);
  const [verb, object] = words;
  if (verb === "alter" && object === "table") return alterTable(words);
  if (verb === "create") return create(words);
  if (verb === "drop") return drop(words);
  if (verb === "insert") return change(words[2], "fills it from a query: use a backfill", words.includes("select"));
  if (verb === "update") return change(words[1], "changes many rows in one transaction: use a backfill", true);
  if (verb === "delete") return change(words[2], "deletes many rows in one transaction: use a backfill", true);
  if (verb === "truncate") return [effect(after(words, "table") ?? words[1], "ACCESS EXCLUSIVE", { danger: lost })];
  if (verb === "comment") return words[2] === "table" ? [effect(words[3], "SHARE UPDATE EXCLUSIVE")] : [];
  if (verb === "alter" && (object === "function" || object === "sequence" || object === "type"))
    return words.includes("rename") ? undefined : [];
  if (verb === "select" || verb === "grant" || verb === "analyze") return [];
  return undefined;
}

const lost = "deletes data that the previous release uses";
const used = "the previous release may use it: do it in the phase contract";

function effect(table: string | undefined, lock: LockMode, more: Partial<Effect> = {}): Effect {
  return { table: table ?? "?", lock, rewrites: false, scans: false, danger: undefined, ...more };
}

const after = (words: string[], word: string): string | undefined =>
  words.includes(word) ? words[words.indexOf(word) + 1] : undefined;

const change = (table: string | undefined, danger: string, isMany: boolean): Effect[] => [
  effect(table, "ROW EXCLUSIVE", isMany ? { scans: true, danger } : {}),
];

function create(words: string[]): Effect[] | undefined {
  const kind = words.find((word) => kinds.includes(word));
  switch (kind) {
    case "table":
      return [...new Set(references(words))].map((table) => effect(table, "SHARE ROW EXCLUSIVE"));
    case "index": {
      const table = after(words, "on") === "only" ? after(words, "only") : after(words, "on");
      if (words.includes("concurrently")) return [effect(table, "SHARE UPDATE EXCLUSIVE")];
      const danger =
        "blocks writes while the index is built: create it concurrently, in a file with `-- transaction: none`";
      return [effect(table, "SHARE", { scans: true, danger })];
    }
    case "trigger":
      return [effect(after(words, "on"), "SHARE ROW EXCLUSIVE")];
    case "function":
    case "sequence":
    case "type":
    case "extension":
    case "publication":
      return [];
    case undefined:
    default:
      return undefined;
  }
}

const kinds = ["table", "index", "trigger", "function", "sequence", "type", "extension", "publication"];

/** The tables of foreign keys. */
const references = (words: string[]): string[] =>
  words.flatMap((word, index) => (word === "references" ? (words[index + 1] ?? []) : []));

function drop(words: string[]): Effect[] | undefined {
  const [, kind] = words;
  const isConcurrent = words.includes("concurrently");
  const name = words.includes("exists") ? after(words, "exists") : isConcurrent ? words[3] : words[2];
  if (kind === "table") return [effect(name, "ACCESS EXCLUSIVE", { danger: lost })];
  if (kind === "index")
    return [
      effect("", isConcurrent ? "SHARE UPDATE EXCLUSIVE" : "ACCESS EXCLUSIVE", { ofIndex: name ?? "?", danger: used }),
    ];
  if (kind === "trigger") return [effect(after(words, "on"), "ACCESS EXCLUSIVE", { danger: used })];
  if (kind === "function" || kind === "type" || kind === "sequence")
    return [effect(name, "ACCESS EXCLUSIVE", { danger: used })];
  return undefined;
}

function alterTable(words: string[]): Effect[] | undefined {
  let at = 2;
  if (words[at] === "if") at += 2;
  if (words[at] === "only") at++;
  const table = words[at];
  const effects: Effect[] = [];
  for (const action of splitAtCommas(words.slice(at + 1))) {
    const found = alterAction(table, action);
    if (!found) return undefined;
    effects.push(...found);
  }
  return effects;
}

function alterAction(table: string | undefined, words: string[]): Effect[] | undefined {
  const [verb, second] = words;
  const strong = (more: Partial<Effect> = {}) => [effect(table, "ACCESS EXCLUSIVE", more)];
  switch (verb) {
    case "add":
      return isConstraint(words) ? addConstraint(table, words) : addColumn(table, words);
    case "drop":
      return strong(second === "constraint" ? {} : { danger: lost });
    case "rename":
      return strong(second === "constraint" ? {} : { danger: used });
    case "validate":
      return [effect(table, "SHARE UPDATE EXCLUSIVE", { validates: words[2] ?? "" })];
    case "alter":
      return alterColumn(table, second === "column" ? words.slice(2) : words.slice(1));
    case "set":
      return second === "(" ? [effect(table, "SHARE UPDATE EXCLUSIVE")] : undefined;
    case "enable":
    case "disable":
      return second === "trigger" ? [effect(table, "SHARE ROW EXCLUSIVE")] : undefined;
    case undefined:
    default:
      return undefined;
  }
}

const constraints = ["constraint", "check", "foreign", "unique", "primary", "exclude"];
const isConstraint = (words: string[]): boolean => constraints.includes(words[1] ?? "");

/** Functions that give the same value for all rows, so that PostgreSQL stores it once. */
const stable = new Set([
  "now",
  "current_timestamp",
  "current_date",
  "statement_timestamp",
  "current_setting",
  "to_jsonb",
]);
/** Words before a parenthesis that are no functions. */
const notFunctions = /^(?:numeric|varchar|char|decimal|bit|default|[\W\d].*)$/;

function addColumn(table: string | undefined, words: string[]): Effect[] {
  const lock = "ACCESS EXCLUSIVE";
  const others = references(words).map((other) => effect(other, "SHARE ROW EXCLUSIVE"));
  const rewriting = (danger: string) => [effect(table, lock, { rewrites: true, danger }), ...others];
  const scanning = (danger: string) => [effect(table, lock, { scans: true, danger }), ...others];
  if (words.some((word) => /^(?:small|big)?serial$/.test(word)) || words.includes("generated"))
    return rewriting("rewrites the table: add the column without it, and backfill");
  if (words.includes("unique") || words.includes("primary"))
    return scanning("builds an index while nobody can read or write: create a unique index concurrently");
  if (words.includes("check")) return scanning("checks all rows while nobody can read or write: add it `not valid`");
  const isFilled = words.includes("default");
  const calls = words.filter((word, index) => words[index + 1] === "(" && !notFunctions.test(word));
  const volatile = isFilled ? calls.find((name) => !stable.has(name)) : undefined;
  if (volatile !== undefined) return rewriting(`rewrites the table, because ${volatile}() may differ from row to row`);
  if (words.join(" ").includes("not null") && !isFilled)
    return [effect(table, lock, { danger: "fails if the table has rows: add a default" }), ...others];
  return [effect(table, lock), ...others];
}

function addConstraint(table: string | undefined, words: string[]): Effect[] {
  const text = words.join(" ");
  const isLater = text.endsWith("not valid");
  const scan = isLater
    ? {}
    : { scans: true, danger: "checks all rows under the lock: add it `not valid`, and validate it in a later file" };
  if (words.includes("foreign"))
    return [table, ...references(words)].map((each, index) =>
      effect(each, "SHARE ROW EXCLUSIVE", index === 0 ? scan : {}),
    );
  if (words.includes("check")) {
    const [, constraint, column] = /^add constraint (\S+) check \( (\S+) is not null \)/.exec(text) ?? [];
    const checksNotNull = constraint === undefined || column === undefined ? undefined : { column, constraint };
    return [effect(table, "ACCESS EXCLUSIVE", { ...scan, ...(checksNotNull && { checksNotNull }) })];
  }
  if (text.includes("using index")) return [effect(table, "ACCESS EXCLUSIVE")];
  const danger = "builds an index while nobody can read or write: create it concurrently, then add it `using index`";
  return [effect(table, "ACCESS EXCLUSIVE", { scans: true, danger })];
}

function alterColumn(table: string | undefined, [column, ...words]: string[]): Effect[] | undefined {
  const text = words.join(" ");
  if (/^(?:set default|drop default|drop not null|drop identity)/.test(text))
    return [effect(table, "ACCESS EXCLUSIVE")];
  if (text.startsWith("set statistics")) return [effect(table, "SHARE UPDATE EXCLUSIVE")];
  if (text === "set not null") return [effect(table, "ACCESS EXCLUSIVE", { scans: true, setsNotNull: column ?? "?" })];
  if (/^(?:set data )?type\b/.test(text))
    return [effect(table, "ACCESS EXCLUSIVE", { rewrites: true, danger: "rewrites the table: add a new column" })];
  return undefined;
}
