/** A release as operators install it, for what has to be measured there. */
import { execFile } from "node:child_process";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Stage } from "./stage.ts";

const run = promisify(execFile);

/** Returns the folder of an unpacked release, built from this commit. */
export async function buildRelease({ dir, say }: Stage): Promise<string> {
  say("building a release");
  const out = join(dir, "release");
  await mkdir(out);
  const program = join(import.meta.dirname, "../release/main.ts");
  await run(process.execPath, [program, "--only", "tarball", "--out", out]);
  const archive = (await readdir(out)).find((name) => name.endsWith(".tar.gz")) ?? "";
  await run("tar", ["--extract", "--file", join(out, archive), "--directory", out]);
  return join(out, archive.replace(/\.tar\.gz$/, ""));
}
