/**
 * Highlights code in messages with highlight.js. A language is loaded when it is first used: there are 190, and most
 * servers see a dozen.
 */
import { createRequire } from "node:module";
import highlighter from "highlight.js/lib/core";
import type { Language, LanguageFn, Mode } from "highlight.js";
import { canonicalLanguage, tagsOfLanguage } from "../../../markdown/code-languages.ts";
import { toShortClasses } from "../../../markdown/highlight-classes.ts";

/**
 * Limits on highlighted code per message and per line, in characters; longer code is shown plain. Many grammars take
 * quadratic time in a line's length, and up to 15 µs per character for ordinary lines.
 */
export const maxHighlightedLength = 2500;
export const maxHighlightedLine = 250;
/** Grammars that take quadratic time in the whole length, at best. */
const slowGrammars: ReadonlySet<string> = new Set(["nestedtext", "pgsql"]);

/** Languages that highlight.js knows by a name that is none of our tags, or as part of another language. */
const grammarOf: Record<string, string> = {
  "Bash Session": "shell",
  Batchfile: "dos",
  ClojureScript: "clojure",
  CUDA: "cpp",
  Cython: "python",
  DTD: "xml",
  EmacsLisp: "lisp",
  GAS: "x86asm",
  GoogleSQL: "sql",
  HTML: "xml",
  "HTML+Handlebars": "handlebars",
  "HTML+PHP": "php-template",
  "HTML+Twig": "twig",
  JSX: "javascript",
  Luau: "lua",
  MIPS: "mipsasm",
  MXML: "xml",
  MySQL: "sql",
  NASM: "x86asm",
  NumPy: "python",
  "Objective-C": "objectivec",
  Octave: "matlab",
  "PostgreSQL SQL dialect": "sql",
  "Python 2.x": "python",
  "Python console session": "python-repl",
  Racket: "scheme",
  RHTML: "erb",
  Sass: "scss",
  Systemd: "ini",
  Tcsh: "bash",
  TeX: "latex",
  TOML: "ini",
  TSX: "typescript",
  "VB.net": "vbnet",
  Vue: "xml",
  WebAssembly: "wasm",
  XSLT: "xml",
  Zone: "dns",
};

export type Highlight = (code: string, tag: string) => string | undefined;

/**
 * A highlighter for the code blocks of one message. It returns the inner HTML of a block, or undefined when the
 * language is unknown or the code too long.
 */
export function codeHighlighter(): Highlight {
  let left = maxHighlightedLength;
  return (code, tag) => {
    if (code.length > left || longLine.test(code)) return undefined;
    const language = findGrammar(tag);
    if (language === undefined) return undefined;
    left -= code.length;
    return toShortClasses(highlighter.highlight(code, { language, ignoreIllegals: true }).value);
  };
}

const longLine = new RegExp(`.{${maxHighlightedLine + 1}}`);

const grammarByTag = new Map<string, string | undefined>();

/** Loads the language of a tag and returns the name highlight.js knows it by. */
function findGrammar(tag: string): string | undefined {
  const language = canonicalLanguage(tag);
  if (language === undefined) return undefined;
  if (!grammarByTag.has(tag)) {
    const named = grammarOf[language];
    const candidates = named === undefined ? [tag, ...tagsOfLanguage(language)] : [named];
    grammarByTag.set(tag, candidates.find(load));
  }
  return grammarByTag.get(tag);
}

const require = createRequire(import.meta.url);

/** Registers the language and those it can contain; returns whether highlight.js has it. */
function load(name: string): boolean {
  if (highlighter.getLanguage(name)) return true;
  const grammar = findModule(name);
  if (!grammar) return false;
  highlighter.registerLanguage(name, grammar);
  const language = highlighter.getLanguage(name);
  if (language) subLanguages(language).forEach(load);
  return true;
}

function findModule(name: string): LanguageFn | undefined {
  if (!/^[a-z0-9-]+$/.test(name) || slowGrammars.has(name)) return undefined;
  try {
    // Every module in that folder exports a language.
    return require(`highlight.js/lib/languages/${name}`) as LanguageFn;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}

/** Grammars can be recursive, so each is visited once. */
function subLanguages(grammar: Language): Set<string> {
  const names = new Set<string>();
  const seen = new Set<Mode>();
  const visit = (mode: Mode): void => {
    if (seen.has(mode)) return;
    seen.add(mode);
    for (const name of [mode.subLanguage ?? []].flat()) names.add(name);
    for (const inner of [mode.contains ?? [], mode.variants ?? [], mode.starts ?? []].flat())
      if (typeof inner === "object") visit(inner);
  };
  visit(grammar);
  return names;
}
