/**
 * Builds the previous release from its commit, as `npm run release` does, and keeps it in a cache folder. Tags do not survive
 * in every clone, so the commit is recorded here.
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import previous from "./previous-release.json" with { type: "json" };
import type { Program } from "./processes.ts";
import type { Say } from "./report.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "..");
const cache = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "skein-releases");
const maxOutput = 64 * 1024 ** 2;

export const previousVersion = previous.version;

/** Builds it if it is not in the cache. */
export async function previousRelease(say: Say): Promise<Program> {
  const folder = join(cache, previous.commit);
  if (!existsSync(join(folder, "lib/main.js"))) await build(folder, say);
  return { file: join(folder, "lib/main.js"), node: join(folder, "runtime/node") };
}

async function build(folder: string, say: Say): Promise<void> {
  await demandCommit();
  await mkdir(cache, { recursive: true });
  const work = await mkdtemp(join(cache, "building-"));
  const [source, out] = [join(work, "source"), join(work, "out")];
  try {
    say(`building release ${previous.version} from commit ${previous.commit}, once; this takes a few minutes …`);
    await run("git", ["worktree", "add", "--detach", source, previous.commit], { cwd: root });
    const inSource = { cwd: source, maxBuffer: maxOutput };
    await run("npm", ["ci", "--prefer-offline", "--no-audit", "--no-fund"], inSource);
    await run("npm", ["run", "--silent", "release", "--", "--only", "tarball", "--out", out], inSource);
    const name = `skein-${previous.version}-${process.platform}-${process.arch}`;
    await run("tar", ["--extract", "--file", join(out, `${name}.tar.gz`), "--directory", work]);
    await rename(join(work, name), folder);
  } finally {
    await run("git", ["worktree", "remove", "--force", source], { cwd: root }).catch(() => undefined); // it was not added
    await rm(work, { recursive: true, force: true });
  }
}

/** A shallow clone may lack it. */
async function demandCommit(): Promise<void> {
  try {
    await run("git", ["cat-file", "-e", `${previous.commit}^{commit}`], { cwd: root });
  } catch (error) {
    throw new Error(
      `This clone lacks commit ${previous.commit} of release ${previous.version}. ` +
        `Fetch it with \`git fetch origin ${previous.commit}\`, or all history with \`git fetch --unshallow\`.`,
      { cause: error },
    );
  }
}
