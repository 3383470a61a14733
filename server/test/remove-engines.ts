/** Waits for the end of its standard input, then stops all engines below the given folder and removes it. */
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { stopEngines } from "../src/platform/engines/engines.ts";

const [scratchFolder] = process.argv.slice(2);
if (scratchFolder === undefined) throw new Error("The folder is missing");
await finished(process.stdin.resume());
const folders = await readdir(scratchFolder);
await Promise.all(folders.map((name) => stopEngines(join(scratchFolder, name))));
await rm(scratchFolder, { recursive: true, force: true });
