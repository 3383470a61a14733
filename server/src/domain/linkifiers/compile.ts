/**
 * Linkifiers made ready for the renderer. Patterns are written by administrators and meet everybody's text, so they run
 * on an engine that takes linear time whatever the pattern; the URL templates are RFC 6570's.
 */
import { RE2JS, RE2JSException, RE2JSSyntaxException } from "re2js";
import { parseTemplate } from "url-template";
import { mayNotFollow, mayPrecede, type CompiledLinkifier, type LinkifierMatch } from "../../markdown/linkifier.ts";

/** What a linkifier does, without its place. */
export interface LinkifierText {
  pattern: string;
  url_template: string;
}

/** Compiling takes longer than most messages do, and the same few linkifiers come again with every message. */
const compiled = new Map<string, CompiledLinkifier>();
const maxCompiled = 1000;
/** In one text. A single search takes linear time, but each may have to look at all of the text again. */
const maxMatches = 250;

export function compileLinkifier({ pattern, url_template }: LinkifierText): CompiledLinkifier {
  const key = JSON.stringify([pattern, url_template]);
  const known = compiled.get(key);
  if (known) return known;
  const fresh = compile(pattern, url_template);
  if (compiled.size >= maxCompiled) compiled.clear();
  compiled.set(key, fresh);
  return fresh;
}

function compile(pattern: string, urlTemplate: string): CompiledLinkifier {
  const names = Object.keys(RE2JS.compile(pattern).namedGroups());
  const inPlace = compileInPlace(pattern);
  const urls = parseTemplate(urlTemplate);
  return {
    *matchAll(text): Generator<LinkifierMatch> {
      const matcher = inPlace.matcher(text);
      // What follows one match may be what precedes the next.
      for (let from = 0, count = 0; count < maxMatches && from <= text.length && matcher.find(from); count++) {
        const [index, end] = [matcher.start(1), matcher.end(1)];
        from = Math.max(end, from + 1);
        if (end > index)
          yield { index, end, groups: Object.fromEntries(names.map((name) => [name, matcher.group(name) ?? ""])) };
      }
    },
    expand: (groups) => urls.expand(mapValues(groups, (value) => value.toWellFormed())),
  };
}

/**
 * What stands around takes part in the search: where a shorter match would be followed by a letter, a longer one may
 * not be. The pattern's own match is the first group.
 */
const compileInPlace = (pattern: string): RE2JS =>
  RE2JS.compile(`(?:^|[${mayPrecede}])(${pattern})(?:$|[^${mayNotFollow}])`);

const mapValues = (record: Readonly<Record<string, string>>, change: (value: string) => string) =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));

/** The engine says it as Go's does; these are the words of the original, which clients show. */
const original: Record<string, string> = {
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

/** What is wrong with a linkifier: messages by the field they are about, or none. */
export function findMistakes(pattern: string, urlTemplate: string): Record<string, string[]> {
  const groups = groupsOf(pattern);
  const variables = variablesOf(urlTemplate);
  const mistakes: Record<string, string[]> = {};
  if (typeof groups === "string") mistakes["pattern"] = [groups];
  if (typeof variables === "string") mistakes["url_template"] = [variables];
  if (typeof groups === "string" || typeof variables === "string") return mistakes;
  const missing = firstMissing(groups, variables);
  return missing === undefined ? {} : { __all__: [missing] };
}

const blank = "This field cannot be blank.";

/** The names of the pattern's groups, or what is wrong with it. */
function groupsOf(pattern: string): Set<string> | string {
  if (pattern === "") return blank;
  try {
    const names = Object.keys(RE2JS.compile(pattern).namedGroups());
    // A quotation that is not closed is fine by itself, and swallows what we put around.
    compileInPlace(pattern);
    return new Set(names);
  } catch (error) {
    if (error instanceof RE2JSException) return `Bad regular expression: ${inOriginalWords(error)}`;
    throw error;
  }
}

function inOriginalWords(error: RE2JSException): string {
  if (!(error instanceof RE2JSSyntaxException)) return error.message;
  const words = original[error.error] ?? error.error;
  return error.input === null ? words : `${words}: ${error.input}`;
}

const name = String.raw`(?:\w|%[0-9A-Fa-f]{2})+(?:\.(?:\w|%[0-9A-Fa-f]{2})+)*`;
const variable = String.raw`${name}(?:\*|:[1-9]\d{0,3})?`;
const template = new RegExp(String.raw`^(?:[^{}]|\{[+#./;?&]?${variable}(?:,${variable})*\})*$`);

/** The names of the template's variables, or what is wrong with it. */
export function variablesOf(urlTemplate: string): Set<string> | string {
  if (urlTemplate === "") return blank;
  if (!template.test(urlTemplate)) return "Invalid URL template.";
  const expressions = Array.from(urlTemplate.matchAll(/\{[+#./;?&]?([^}]*)\}/g), ([, variables = ""]) => variables);
  return new Set(expressions.flatMap((variables) => variables.split(",").map((one) => one.replace(/[*:].*$/, ""))));
}

function firstMissing(groups: Set<string>, variables: Set<string>): string | undefined {
  const [inPattern] = [...variables.difference(groups)].toSorted();
  if (inPattern !== undefined) return `Group '${inPattern}' in URL template is not present in linkifier pattern.`;
  const [inTemplate] = [...groups.difference(variables)].toSorted();
  if (inTemplate !== undefined) return `Group '${inTemplate}' in linkifier pattern is not present in URL template.`;
  return undefined;
}
