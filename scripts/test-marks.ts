/** Marks above tests that name what a test covers: `// spec 4.12: status_text`, `// clients 2.5, 11.8`. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const root = join(import.meta.dirname, "..");

export interface Mark {
  /** The text after the keyword. */
  text: string;
  file: string;
  /** The name of the test, or group of tests, below it. */
  test: string;
}

export function readMarks(word: string): Mark[] {
  const pattern = new RegExp(`^\\s*// ${word} (\\d.*)$`);
  return globSync(["api/**/*.test.ts", "server/**/*.test.ts"], { cwd: root })
    .filter((file) => !file.includes("node_modules"))
    .toSorted()
    .flatMap((file) => {
      const lines = readFileSync(join(root, file), "utf8").split("\n");
      return lines.flatMap((line, index) => {
        const text = pattern.exec(line)?.[1];
        return text === undefined ? [] : [{ text, file, test: testAfter(lines, index) }];
      });
    });
}

/** A table of cases may be between a mark and its test. */
function testAfter(lines: string[], index: number): string {
  const below = lines.slice(index + 1, index + 200).join("\n");
  const start = /\b(?:test|describe)\b/.exec(below)?.index ?? 0;
  const found = /\(\s*(["'`])((?:(?!\1).)+)\1,\s*(?:\{[^}]*\},\s*)?(?:async\b|\(|function)/s.exec(below.slice(start));
  if (!found?.[2]) throw new Error(`There is no test below line ${index + 1}: ${lines[index] ?? ""}`);
  return found[2];
}
