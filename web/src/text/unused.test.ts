// @vitest-environment node
/** Every text is shown somewhere. */
import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";

const source = join(import.meta.dirname, "..");

async function readAll(pattern: string): Promise<string[]> {
  const texts: string[] = [];
  for await (const file of glob(pattern, { cwd: source, exclude: ["**/*.test.ts", "**/*.test.tsx"] }))
    texts.push(await readFile(join(source, file), "utf8"));
  return texts;
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

test("the code names every text, literally or with a part that it computes", async () => {
  const code = (await readAll("**/*.{ts,tsx}")).join("\n");
  const literal = new Set([...code.matchAll(/"([\w.-]+)"/g)].map(([, key]) => key));
  const computed = [...code.matchAll(/`([\w-]+\.[^`\n]*\$\{[^`\n]*)`/g)].map(
    ([, template = ""]) =>
      new RegExp(
        `^${template
          .split(/\$\{[^}]*\}/)
          .map(escaped)
          .join("[^.]+")}$`,
      ),
  );
  const keys = (await readAll("locales/**/*.json")).flatMap(
    (text) => Object.keys(JSON.parse(text) as object), // a table of texts
  );
  const names = [...new Set(keys.map((key) => key.replace(/_(one|other)$/, "")))];
  expect(names.filter((key) => !literal.has(key) && !computed.some((pattern) => pattern.test(key)))).toEqual([]);
});
