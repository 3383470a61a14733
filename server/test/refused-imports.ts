/** Asks the linter which imports it refuses. */
import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");

/** The files that the linter refuses, of some that each import one other. Their paths are relative to `folder`. */
export async function refusedImports(
  folder: string,
  imports: readonly (readonly [from: string, specifier: string])[],
): Promise<string[]> {
  const dir = await mkdtemp(join(tmpdir(), "skein-layers-"));
  try {
    await copyFile(join(root, ".oxlintrc.json"), join(dir, ".oxlintrc.json"));
    for (const [from, specifier] of imports) {
      const file = join(dir, folder, from);
      await mkdir(join(file, ".."), { recursive: true });
      await writeFile(file, `import type { Anything } from "${specifier}";\n\nexport type Something = Anything;\n`);
    }
    const oxlint = join(createRequire(import.meta.url).resolve("oxlint/package.json"), "../bin/oxlint");
    const args = [oxlint, "-c", ".oxlintrc.json", "--disable-nested-config", "-f", "json", "."];
    const output = await new Promise<string>((resolve) => {
      execFile(process.execPath, args, { cwd: dir, maxBuffer: 1e8 }, (_error, stdout) => resolve(stdout));
    });
    const { diagnostics } = JSON.parse(output) as { diagnostics: { code: string; filename: string }[] }; // what -f json prints
    const wrong = diagnostics.filter(({ code }) => code.includes("no-restricted-imports"));
    return wrong.map(({ filename }) => filename.replace(`${folder}/`, "")).toSorted();
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
