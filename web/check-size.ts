/**
 * Checks the built client against its gzip size budgets: the first visit, each chunk loaded later, and all chunks together.
 * Also fails if something large and rarely needed has become part of the first load.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { buildWhenStale } from "./build.ts";

const budgets = { firstScript: 90, firstStyle: 18, laterScript: 40, allScripts: 320 } as const;

/** Patterns of code that must not be in the first load. */
const unwanted: Record<string, RegExp> = {
  zod: /ZodError|invalid_type|_zod/,
  KaTeX: /KaTeX parse error/,
  "the highlighter": /hljs|highlightAuto/,
};

interface Part {
  file: string;
  imports?: string[];
  css?: string[];
}
type Manifest = Record<string, Part>;

const dist = join(import.meta.dirname, "dist");

await buildWhenStale();
const manifest = JSON.parse(await readFile(join(dist, ".vite/manifest.json"), "utf8")) as Manifest; // vite's format

/** A chunk and everything it imports. */
function withImports(key: string, seen = new Set<string>()): Set<string> {
  if (seen.has(key)) return seen;
  seen.add(key);
  for (const other of manifest[key]?.imports ?? []) withImports(other, seen);
  return seen;
}

const kilobytes = async (file: string): Promise<number> => (await readFile(join(dist, `${file}.gz`))).length / 1000;
const sum = async (files: Iterable<string>): Promise<number> => {
  let total = 0;
  for (const file of files) total += await kilobytes(file);
  return total;
};

const page = await readFile(join(dist, "index.html"), "utf8");
const entries = Object.keys(manifest).filter((key) => page.includes(`src="/${manifest[key]?.file}"`));
if (entries.length === 0) throw new Error("index.html loads no script from the manifest");
const firstParts = new Set(entries.flatMap((entry) => [...withImports(entry)]));
const firstScripts = [...firstParts].flatMap((key) => manifest[key]?.file ?? []);
const firstStyles = new Set([...firstParts].flatMap((key) => manifest[key]?.css ?? []));
const scripts = new Set(
  Object.values(manifest)
    .map(({ file }) => file)
    .filter((file) => file.endsWith(".js")),
);

const faults: string[] = [];
const hold = (what: string, size: number, budget: number): void => {
  console.log(`${size.toFixed(1).padStart(7)} kB of ${budget}  ${what}`);
  if (size > budget) faults.push(`${what}: ${size.toFixed(1)} kB, over the budget of ${budget}`);
};

hold("first scripts", await sum(firstScripts), budgets.firstScript);
hold("first style sheets", await sum(firstStyles), budgets.firstStyle);
hold("all scripts", await sum(scripts), budgets.allScripts);
for (const script of scripts) {
  if (firstScripts.includes(script)) continue;
  const size = await kilobytes(script);
  if (size > budgets.laterScript) hold(script, size, budgets.laterScript);
}
for (const script of firstScripts) {
  const text = await readFile(join(dist, script), "utf8");
  for (const [name, sign] of Object.entries(unwanted)) {
    if (sign.test(text)) faults.push(`${name} is in ${script}, which loads first`);
  }
}

for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;
