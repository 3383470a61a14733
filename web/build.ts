/**
 * Builds the client into dist/ and compresses each file, so that servers have nothing left to do. Records a stamp of its
 * sources, so that it is rebuilt only when they have changed.
 */
import { createHash } from "node:crypto";
import { readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const root = import.meta.dirname;
const dist = join(root, "dist");
const stampName = "built-from.txt";
const sources = [
  "src",
  "public",
  "index.html",
  "vite.config.ts",
  "build.ts",
  "package.json",
  "../api/src",
  "../package-lock.json",
];

export async function buildWebClient(): Promise<void> {
  const stamp = await stampOfSources();
  // Imported here, because serving a built client needs no bundler.
  const { build } = await import("vite");
  // Built in another folder first: a server of dist/ always has a complete build, old or new.
  const fresh = `${dist}.${process.pid}`;
  // The same build for everyone: with another NODE_ENV, as in tests, it would be a development build.
  const { NODE_ENV } = process.env;
  process.env["NODE_ENV"] = "production";
  try {
    await build({
      configFile: join(root, "vite.config.ts"),
      logLevel: "warn",
      mode: "production",
      build: { outDir: fresh },
    });
    await compressAll(fresh);
    await writeFile(join(fresh, stampName), stamp);
    await rm(dist, { recursive: true, force: true });
    await rename(fresh, dist);
  } finally {
    if (NODE_ENV === undefined) delete process.env["NODE_ENV"];
    else process.env["NODE_ENV"] = NODE_ENV;
    await rm(fresh, { recursive: true, force: true });
  }
}

/** Whether it was never built, or its sources have changed since. */
export async function isStale(): Promise<boolean> {
  const built = await readFile(join(dist, stampName), "utf8").catch(() => undefined); // not built yet
  return built !== (await stampOfSources());
}

export async function buildWhenStale(): Promise<void> {
  if (await isStale()) await buildWebClient();
}

/** A hash of all sources: the files, their sizes and modification times. */
async function stampOfSources(): Promise<string> {
  const hash = createHash("sha256");
  for (const source of sources) {
    for (const file of await filesOf(join(root, source))) {
      if (/\.test\.tsx?$/.test(file)) continue;
      const { size, mtimeMs } = await stat(file);
      hash.update(`${file} ${size} ${mtimeMs}\n`);
    }
  }
  return hash.digest("hex");
}

async function filesOf(path: string): Promise<string[]> {
  if ((await stat(path)).isFile()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}

const compressible = /\.(js|css|html|svg|json|webmanifest)$/;

async function compressAll(folder: string): Promise<void> {
  for (const file of await filesOf(folder)) {
    if (!compressible.test(file)) continue;
    const bytes = await readFile(file);
    const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };
    await writeFile(`${file}.gz`, await promisify(gzip)(bytes, { level: 9 }));
    await writeFile(`${file}.br`, await promisify(brotliCompress)(bytes, quality));
  }
}

if (import.meta.main) await buildWebClient();
