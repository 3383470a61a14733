/**
 * KaTeX without a console. It warns about every character it has no metrics for, regardless of its strictness settings,
 * and `\message` prints what a user typed. Neither belongs in a server's output, so KaTeX gets its own silent console.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { compileFunction } from "node:vm";
import type Katex from "katex";

const filename = createRequire(import.meta.url).resolve("katex/dist/katex.js");
const silence = { log: () => undefined, warn: () => undefined, error: () => undefined };
const loaded: { exports: unknown } = { exports: {} };
compileFunction(readFileSync(filename, "utf8"), ["module", "exports", "console"], { filename })(
  loaded,
  loaded.exports,
  silence,
);

/** The file's exports, with the types of the package. */
export const katex = loaded.exports as typeof Katex;
