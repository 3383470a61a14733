/**
 * KaTeX without a console. It warns of every character it has no measures for, whatever it is told about strictness, and
 * `\message` prints what its user typed: neither belongs into a server's output. So it is given a console of its own.
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

/** What the file exports, as its own types say. */
export const katex = loaded.exports as typeof Katex;
