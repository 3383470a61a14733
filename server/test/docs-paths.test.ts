/** Checks the file paths in documents, because files move. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
/** Created by a build. */
const built = new Set(["api/dist", "web/.types", "web/dist"]);

test("every file and folder that a document names exists", async () => {
  const { stdout } = await promisify(execFile)("git", ["ls-files"], { cwd: root, maxBuffer: 1e8 });
  const files = stdout.trim().split("\n");
  const folders = files.flatMap((file) => file.split("/").map((_, depth, parts) => parts.slice(0, depth).join("/")));
  const paths = [...new Set([...files, ...folders])];
  const exists = (path: string) => paths.some((known) => known === path || known.endsWith(`/${path}`));
  const documents = files.filter((file) => file.endsWith(".md") && file !== "CHANGELOG.md");

  const missing: string[] = [];
  for (const document of documents) {
    const text = await readFile(join(root, document), "utf8");
    for (const [, path = ""] of text.matchAll(/`((?:[\w.-]+\/)+[\w.-]+)`/g)) {
      const isSource =
        /\.(ts|tsx|js|sql|css)$/.test(path) || /^(api|bench|faults|scripts|server|web|domain)\//.test(path);
      if (isSource && !built.has(path) && !exists(path)) missing.push(`${document}: ${path}`);
    }
  }

  expect(missing).toEqual([]);
});
