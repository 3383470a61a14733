/**
 * How a command is declared: its options, and what it does. Parsing, `--help` and `--json` follow from that. Its name and
 * its summary stand in main.ts, where they can be listed without loading it.
 */
import { parseArgs } from "node:util";

export interface Option {
  type: "string" | "number" | "boolean";
  description: string;
  /** What stands for the value in the help, such as DIR. */
  value?: string;
  default?: string | number | boolean;
  required?: true;
}

type Options = Record<string, Option>;

type ValueOf<O extends Option> = O["type"] extends "boolean" ? boolean : O["type"] extends "number" ? number : string;

type IsGiven<O extends Option> = O extends { required: true } | { default: string | number | boolean } ? true : false;

/** A flag is false unless given; anything else is undefined unless it is required or has a default. */
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
  /** Prints the command's result: as one line of JSON when `--json` was given, else as the text. */
  answer: (result: unknown, text: string) => void;
}

export interface Command<O extends Options = Options> {
  /** The positional arguments, all of them required, by the names the help shows. */
  args?: readonly string[];
  options: O;
  run: (invocation: Invocation<O>) => Promise<void>;
}

/** A command whose option types are known to its own `run` and forgotten afterwards. */
export function command<const O extends Options>(declaration: Command<O>): Command {
  // Sound because `run` only ever gets what readValues() made from these very options.
  return declaration as unknown as Command;
}

/** The caller got the command line wrong: exit code 2, and a hint where the help is. */
export class UsageError extends Error {}

const jsonOption: Option = { type: "boolean", description: "Print one line of JSON instead of text." };
const helpOption: Option = { type: "boolean", description: "Print this help." };

/** What a command is called by, and what it does in one sentence. */
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
  if (surplus !== undefined) throw new UsageError(`There is one argument too many: ${surplus}`);
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
    { type: type === "boolean" ? type : "string" },
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
  if (given === "" || !Number.isFinite(number)) throw new UsageError(`--${name} takes a number, not ${given}`);
  return number;
}

function commandHelp({ name, summary }: Title, { args = [] }: Command, options: Options): string {
  const rows = Object.entries(options).map(([word, option]): [string, string] => [
    option.type === "boolean" ? `--${word}` : `--${word} ${option.value ?? option.type.toUpperCase()}`,
    option.description + note(option),
  ]);
  return [`Usage: ${["skein", name, ...args, "[options]"].join(" ")}`, "", summary, "", "Options:", table(rows)].join(
    "\n",
  );
}

function note({ required, default: fallback }: Option): string {
  if (required) return " Required.";
  return fallback === undefined || fallback === false ? "" : ` Default: ${fallback}.`;
}

/** Two columns, indented. */
export function table(rows: [string, string][]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join("\n");
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
