/**
 * Compiles linkifiers for the renderer. Administrators write the patterns and every user's text is matched against them,
 * so they run on an engine that takes linear time whatever the pattern. URL templates follow RFC 6570.
 */
import { RE2JS, RE2JSException, RE2JSSyntaxException } from "re2js";
import { parseTemplate } from "url-template";
import { maxLinkifierPatternLength, maxLinkifierTemplateLength } from "@skein/api/linkifiers.ts";
import { mayNotFollow, mayPrecede, type CompiledLinkifier, type LinkifierMatch } from "../../../markdown/linkifier.ts";
import { maxSearchLength, ProcessorBudget } from "./budget.ts";

/** A linkifier without its id and position. */
export interface LinkifierText {
  pattern: string;
  url_template: string;
}

/** A cache: compiling takes longer than rendering most messages, and every message uses the same few linkifiers. */
const compiled = new Map<string, CompiledLinkifier>();
const maxCompiled = 1000;
/** Per text. One search takes linear time, but each may scan the whole text again. */
const maxMatches = 250;
/** Per compiled pattern, in which a counted repetition is unrolled. */
const maxInstructions = 500;
/** Of the groups' text that goes into one URL, before it is encoded. */
const maxExpandedLength = 4000;

export function compileLinkifier({ pattern, url_template }: LinkifierText): CompiledLinkifier {
  // Linkifiers stored before these limits existed.
  if (pattern.length > maxLinkifierPatternLength || url_template.length > maxLinkifierTemplateLength)
    return matchesNothing;
  const key = JSON.stringify([pattern, url_template]);
  const known = compiled.get(key);
  if (known) return known;
  const fresh = compile(pattern, url_template);
  if (compiled.size >= maxCompiled) compiled.clear();
  compiled.set(key, fresh);
  return fresh;
}

const matchesNothing: CompiledLinkifier = { matchAll: () => [], expand: () => undefined };

function compile(pattern: string, urlTemplate: string): CompiledLinkifier {
  const names = Object.keys(RE2JS.compile(pattern).namedGroups());
  const inPlace = compileInPlace(pattern);
  const instructions = inPlace.programSize();
  if (instructions > maxInstructions) return matchesNothing;
  const urls = parseTemplate(urlTemplate);
  const uses = variablesIn(urlTemplate);
  return {
    *matchAll(text, budget = new ProcessorBudget()): Generator<LinkifierMatch> {
      let count = 0;
      for (const [start, end] of pieces(text, maxSearchLength(instructions)))
        for (const match of matchesIn(text.slice(start, end), inPlace, names, (length) =>
          budget.allows(instructions * length),
        )) {
          yield { ...match, index: start + match.index, end: start + match.end };
          if (++count === maxMatches) return;
        }
    },
    expand: (groups) => {
      const length = uses.reduce((sum, name) => sum + (groups[name]?.length ?? 0), 0);
      if (length > maxExpandedLength) return undefined;
      return urls.expand(mapValues(groups, (value) => value.toWellFormed()));
    },
  };
}

function* matchesIn(
  text: string,
  inPlace: RE2JS,
  names: string[],
  maySearch: (length: number) => boolean,
): Generator<LinkifierMatch> {
  const matcher = inPlace.matcher(text);
  // The character that ends one match may also precede the next.
  for (let from = 0; from <= text.length && maySearch(text.length - from) && matcher.find(from);) {
    const [index, end] = [matcher.start(1), matcher.end(1)];
    from = Math.max(end, from + 1);
    if (end > index)
      yield { index, end, groups: Object.fromEntries(names.map((name) => [name, matcher.group(name) ?? ""])) };
  }
}

/**
 * Splits a text for searching: one piece if it is short enough for the pattern, otherwise pieces that end at white space,
 * where a match may begin and end. A word longer than a piece is skipped.
 */
function* pieces(text: string, maxLength: number): Generator<[start: number, end: number]> {
  for (let start = 0; start < text.length || start === 0;) {
    if (text.length - start <= maxLength) {
      yield [start, text.length];
      return;
    }
    const end = lastSpace(text, start + 1, start + maxLength);
    if (end === undefined) {
      start = nextSpace(text, start + maxLength);
      if (start === text.length) return;
    } else {
      yield [start, end];
      start = end;
    }
  }
}

function lastSpace(text: string, from: number, to: number): number | undefined {
  for (let at = to; at >= from; at--) if (isSpace(text, at)) return at;
  return undefined;
}

function nextSpace(text: string, from: number): number {
  for (let at = from; at < text.length; at++) if (isSpace(text, at)) return at;
  return text.length;
}

const isSpace = (text: string, at: number): boolean => /\s/.test(text.charAt(at));

/**
 * Includes the surrounding characters in the search: a shorter match may be followed by a letter where a longer one is
 * not. The first group is the pattern's own match.
 */
const compileInPlace = (pattern: string): RE2JS =>
  RE2JS.compile(`(?:^|[${mayPrecede}])(${pattern})(?:$|[^${mayNotFollow}])`);

const mapValues = (record: Readonly<Record<string, string>>, change: (value: string) => string) =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));

/** The engine words its errors as Go does; clients expect the wording of the C++ library RE2. */
const re2Messages: Record<string, string> = {
  "expression too large": "pattern too large - compile failed",
  "duplicate capture group name": "invalid named capture group",
  "invalid named capture": "invalid named capture group",
  "invalid nested repetition operator": "bad repetition operator",
  "invalid or unsupported Perl syntax": "invalid perl operator",
  "invalid repeat count": "invalid repetition size",
  "missing argument to repetition operator": "no argument for repetition operator",
  "missing closing )": "missing )",
  "missing closing ]": "missing ]",
  "trailing backslash at end of expression": "trailing \\",
};

/** Validates a linkifier: error messages by field, or none. */
export function findErrors(pattern: string, urlTemplate: string): Record<string, string[]> {
  const groups = groupsOf(pattern);
  const variables = variablesOf(urlTemplate);
  const errors: Record<string, string[]> = {};
  if (typeof groups === "string") errors["pattern"] = [groups];
  if (typeof variables === "string") errors["url_template"] = [variables];
  if (typeof groups === "string" || typeof variables === "string") return errors;
  const missing = firstMissing(groups, variables);
  return missing === undefined ? {} : { __all__: [missing] };
}

const blank = "This field cannot be blank.";

/** The names of the pattern's groups, or an error message. */
function groupsOf(pattern: string): Set<string> | string {
  if (pattern === "") return blank;
  try {
    const names = Object.keys(RE2JS.compile(pattern).namedGroups());
    // An unclosed \Q is valid by itself but would quote what we add around the pattern.
    if (compileInPlace(pattern).programSize() > maxInstructions)
      return `Bad regular expression: ${re2Messages["expression too large"]}`;
    return new Set(names);
  } catch (error) {
    if (error instanceof RE2JSException) return `Bad regular expression: ${toRe2Message(error)}`;
    throw error;
  }
}

function toRe2Message(error: RE2JSException): string {
  if (!(error instanceof RE2JSSyntaxException)) return error.message;
  const message = re2Messages[error.error] ?? error.error;
  return error.input === null ? message : `${message}: ${error.input}`;
}

const name = String.raw`(?:\w|%[0-9A-Fa-f]{2})+(?:\.(?:\w|%[0-9A-Fa-f]{2})+)*`;
const variable = String.raw`${name}(?:\*|:[1-9]\d{0,3})?`;
const template = new RegExp(String.raw`^(?:[^{}]|\{[+#./;?&]?${variable}(?:,${variable})*\})*$`);

/** The names of the template's variables, or an error message. */
export function variablesOf(urlTemplate: string): Set<string> | string {
  if (urlTemplate === "") return blank;
  if (!template.test(urlTemplate)) return "Invalid URL template.";
  return new Set(variablesIn(urlTemplate));
}

/** Every use of a variable, with duplicates. */
function variablesIn(urlTemplate: string): string[] {
  const expressions = Array.from(urlTemplate.matchAll(/\{[+#./;?&]?([^}]*)\}/g), ([, variables = ""]) => variables);
  return expressions.flatMap((variables) => variables.split(",").map((one) => one.replace(/[*:].*$/, "")));
}

function firstMissing(groups: Set<string>, variables: Set<string>): string | undefined {
  const [inPattern] = [...variables.difference(groups)].toSorted();
  if (inPattern !== undefined) return `Group '${inPattern}' in URL template is not present in linkifier pattern.`;
  const [inTemplate] = [...groups.difference(variables)].toSorted();
  if (inTemplate !== undefined) return `Group '${inTemplate}' in linkifier pattern is not present in URL template.`;
  return undefined;
}
