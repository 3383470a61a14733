/** Builds the same commit again: in another folder, at another time, with another umask and time zone. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "../sources.ts";
import { run } from "./commands.ts";

export async function testReproducible(out: string, scratch: string): Promise<void> {
  const clone = join(scratch, "clone");
  const again = join(scratch, "again");
  await run(["git", "clone", "--quiet", "--shared", root, clone], { env: process.env });
  await run(["cp", "--archive", "--link", join(root, "node_modules"), clone]);
  const script = 'umask 077 && exec "$0" release/main.ts --out "$1"';
  const env = { ...process.env, TZ: "Pacific/Auckland" };
  await run(["sh", "-c", script, process.execPath, again], { cwd: clone, env });
  const sums = (folder: string) => readFile(join(folder, "SHA256SUMS"), "utf8");
  assert.equal(await sums(again), await sums(out), "the same commit gives the same bytes");
}
