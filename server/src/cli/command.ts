/**
 * Declares a command: its options, and a function that runs it. Parsing, `--help` and `--json` are derived from that. Its
 * name and summary are in commands.ts, so that they can be listed without loading it.
 */
import { parseArgs } from "node:util";

export interface Option {
  type: "string" | "number" | "boolean";
  description: string;
  /** The placeholder for the value in the help, such as DIR. */
  value?: string;
  default?: string | number | boolean;
  required?: true;
  /** Of a number: it must be an integer in this range. */
  range?: readonly [least: number, most: number];
}

type Options = Record<string, Option>;

type ValueOf<O extends Option> = O["type"] extends "boolean" ? boolean : O["type"] extends "number" ? number : string;

type IsGiven<O extends Option> = O extends { required: true } | { default: string | number | boolean } ? true : false;

/** A boolean is false unless given; other options are undefined unless they are required or have a default. */
type Values<O extends Options> = {
  [Name in keyof O]: O[Name]["type"] extends "boolean"
    ? boolean
    : IsGiven<O[Name]> extends true
      ? ValueOf<O[Name]>
      : ValueOf<O[Name]> | undefined;
};

export interface Invocation<O extends Options = Options> {
  options: Values<O>;
  /** One for each name in the command's `args`. */
  args: string[];
  json: boolean;
  /** Prints the command's result: one line of JSON with `--json`, otherwise the text. */
  answer: (result: unknown, text: string) => void;
}

export interface Command<O extends Options = Options> {
  /** Names of the positional arguments, as the help shows them; all are required. */
  args?: readonly string[];
  options: O;
  /** More about what it does, for its help: one paragraph per text. */
  details?: readonly string[];
  /** Complete command lines, for its help. */
  examples?: readonly string[];
  run: (invocation: Invocation<O>) => Promise<void>;
}

/** Erases the option types, which only the command's own `run` needs. */
export function command<const O extends Options>(declaration: Command<O>): Command {
  // Safe: `run` only receives values that readValues() derived from these options.
  return declaration as unknown as Command;
}

/** An invalid command line: exit code 2, and a hint to the help. */
export class UsageError extends Error {}

const jsonOption: Option = { type: "boolean", description: "Print one line of JSON instead of text." };
const helpOption: Option = { type: "boolean", description: "Print this help." };

/** Where a command reads an ID from an option. */
export const idRange = [1, Number.MAX_SAFE_INTEGER] as const;

/** A command's name and its one-sentence description. */
export interface Title {
  name: string;
  summary: string;
}

export async function runCommand(title: Title, declared: Command, argv: string[]): Promise<void> {
  const options: Options = { ...declared.options, json: jsonOption, help: helpOption };
  const { values, positionals } = parse(options, argv);
  if (values["help"] === true) {
    print(commandHelp(title, declared, options));
    return;
  }
  const expected = declared.args ?? [];
  const missing = expected[positionals.length];
  if (missing !== undefined) throw new UsageError(`${missing} is missing`);
  const surplus = positionals[expected.length];
  if (surplus !== undefined) throw new UsageError(`Unexpected argument: ${surplus}`);
  const json = values["json"] === true;
  await declared.run({
    options: readValues(declared.options, values),
    args: positionals,
    json,
    answer: (result, text) => print(json ? JSON.stringify(result) : text),
  });
}

type Given = Record<string, string | boolean | undefined>;

function parse(options: Options, argv: string[]): { values: Given; positionals: string[] } {
  const known = Object.entries(options).map(([name, { type }]) => [
    name,
    { type: type === "boolean" ? type : "string", ...(name === "help" ? { short: "h" } : {}) },
  ]);
  try {
    const { values, positionals } = parseArgs({
      args: argv,
      options: Object.fromEntries(known),
      allowPositionals: true,
    });
    return { values: values as Given, positionals }; // no option is `multiple`, so none of them is a list
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function readValues(options: Options, given: Given): Values<Options> {
  const values = Object.entries(options).map(([name, option]) => [name, readValue(name, option, given[name])]);
  return Object.fromEntries(values);
}

function readValue(name: string, option: Option, given: string | boolean | undefined) {
  if (given === undefined) {
    if (option.required) throw new UsageError(`--${name} is missing`);
    return option.default ?? (option.type === "boolean" ? false : undefined);
  }
  if (option.type !== "number") return given;
  const number = Number(given);
  if (String(given).trim() === "" || !Number.isFinite(number))
    throw new UsageError(`--${name} must be a number, not ${given}`);
  checkRange(name, option, number);
  return number;
}

function checkRange(name: string, { range }: Option, number: number): void {
  if (!range) return;
  const [least, most] = range;
  if (Number.isInteger(number) && number >= least && number <= most) return;
  const extent = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
  throw new UsageError(`--${name} must be an integer ${extent}, not ${number}`);
}

/** The IDs in an option's value, separated by commas. */
export function readIds(option: string, text: string): number[] {
  const ids = text.split(",").map((id) => (/^\s*\d+\s*$/.test(id) ? Number(id) : 0));
  if (!ids.every((id) => Number.isSafeInteger(id) && id > 0))
    throw new UsageError(`--${option} must be IDs, separated by commas, not ${text}`);
  return ids;
}

function commandHelp({ name, summary }: Title, { args = [], details, examples }: Command, options: Options): string {
  const rows = Object.entries(options).map(([word, option]): [string, string] => [
    option.type === "boolean" ? `--${word}` : `--${word} ${option.value ?? option.type.toUpperCase()}`,
    option.description + note(option),
  ]);
  return [
    `Usage: ${["skein", name, ...args, "[options]"].join(" ")}`,
    [summary, ...(details ?? []).map(wrapped)].join("\n\n"),
    `Options:\n${table(rows)}`,
    ...(examples ? [`Examples:\n${examples.map((example) => `  ${example}`).join("\n")}`] : []),
  ].join("\n\n");
}

/** Breaks a paragraph into lines that fit a usual terminal. */
function wrapped(text: string): string {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1) ?? "";
    if (line !== "" && line.length + word.length >= 100) lines.push(word);
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
  }
  return lines.join("\n");
}

function note({ required, default: fallback }: Option): string {
  if (required) return " Required.";
  return fallback === undefined || fallback === false ? "" : ` Default: ${fallback}.`;
}

/** Columns, indented. Some texts come from users, and control characters could take over the operator's terminal. */
export function table(given: readonly (readonly string[])[]): string {
  const rows = given.map((row) => row.map((cell) => cell.replaceAll(/\p{Cc}/gu, " ")));
  const widths: number[] = [];
  for (const row of rows) for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length);
  const lines = rows.map((row) => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join("  "));
  return lines.map((line) => `  ${line.trimEnd()}`).join("\n");
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
