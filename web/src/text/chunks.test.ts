// @vitest-environment node
/** A text is loaded with every file that shows it. */
import { glob, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { expect, test } from "vitest";

const source = join(import.meta.dirname, "..");
const locales = join(source, "locales");

const keysIn = async (file: string): Promise<string[]> =>
  Object.keys(JSON.parse(await readFile(file, "utf8")) as object).map((key) => key.replace(/_(one|other)$/, "")); // a table of texts

/** The part whose texts a key is among. */
async function partsByKey(): Promise<ReadonlyMap<string, string>> {
  const parts = new Map<string, string>();
  for await (const file of glob("en/*.json", { cwd: locales }))
    for (const key of await keysIn(join(locales, file))) parts.set(key, basename(file, ".json"));
  return parts;
}

test("a file that shows a text of a part imports the texts of that part", async () => {
  const parts = await partsByKey();
  const missing: string[] = [];
  for await (const file of glob("**/*.{ts,tsx}", { cwd: source })) {
    if (/\.test\.tsx?$/.test(file)) continue;
    const text = await readFile(join(source, file), "utf8");
    for (const [, key = ""] of text.matchAll(/"([a-zA-Z]+\.[\w.-]+)"/g)) {
      const part = parts.get(key);
      if (part !== undefined && !text.includes(`text/chunks/${part}.ts"`)) missing.push(`${file}: ${key} (${part})`);
    }
  }
  expect(missing).toEqual([]);
});

test("no text is in two files", async () => {
  const files = [join(locales, "en.json")];
  for await (const file of glob("en/*.json", { cwd: locales })) files.push(join(locales, file));
  const keys = (await Promise.all(files.map(async (file) => [...new Set(await keysIn(file))]))).flat();
  expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
});
