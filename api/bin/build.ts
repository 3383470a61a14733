/** Builds the package into dist/: JavaScript and declarations. `npm pack` and `npm publish` run it first. */
import { execFile } from "node:child_process";
import { readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");
const compiler = join(root, "../node_modules/typescript/bin/tsc");

export async function buildPackage(): Promise<void> {
  // Built in another folder first: programs that load dist/ find a complete build, old or new.
  const fresh = `${dist}.${process.pid}`;
  const old = `${fresh}.old`;
  try {
    await compile(fresh);
    for (const file of await filesIn(fresh)) {
      if (!file.endsWith(".d.ts")) continue;
      // The compiler rewrites imports of .ts files in JavaScript, but not in declarations.
      const text = await readFile(file, "utf8");
      await writeFile(file, text.replaceAll(/(\bfrom |\bimport\()"(\.[^"]+)\.ts"/g, '$1"$2.js"'));
    }
    await rename(dist, old).catch(() => undefined); // not built before
    await rename(fresh, dist);
  } finally {
    for (const folder of [fresh, old]) await rm(folder, { recursive: true, force: true });
  }
}

async function compile(outDir: string): Promise<void> {
  const args = [compiler, "-p", join(root, "tsconfig.build.json"), "--outDir", outDir];
  await promisify(execFile)(process.execPath, args).catch((error: { stdout: string }) => {
    throw new Error(`the package does not compile:\n${error.stdout}`);
  });
}

/** For tests that run programs which use the package. */
export async function buildPackageWhenStale(): Promise<void> {
  const builtAt = await stat(join(dist, "index.js")).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0, // not built yet
  );
  const sources = [...(await filesIn(join(root, "src"))), join(root, "tsconfig.build.json"), import.meta.filename];
  const changes = await Promise.all(sources.map(async (file) => (await stat(file)).mtimeMs));
  if (Math.max(...changes) > builtAt) await buildPackage();
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

if (import.meta.main) await buildPackage();
