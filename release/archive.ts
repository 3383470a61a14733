/** Folders as archives, with the same bytes for the same files: sorted, all of one time, owned by root. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { chmod, readdir } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";

/** Gives all files the modes they need, whatever the modes of their sources and the umask are. */
export async function normalizeModes(folder: string, isProgram: (path: string) => boolean): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) await chmod(path, 0o755);
    else if (entry.isFile()) await chmod(path, isProgram(path.slice(folder.length + 1)) ? 0o755 : 0o644);
    else throw new Error(`${path} is neither a file nor a folder`);
  }
}

/** For tools that take the times from the files. */
export function stampTimes(folder: string, time: number): void {
  execFileSync("find", [folder, "-exec", "touch", "--no-dereference", `--date=@${time}`, "{}", "+"]);
}

const sameEverywhere = (time: number): string[] => [
  "--format=gnu",
  "--sort=name",
  `--mtime=@${time}`,
  "--numeric-owner",
  "--owner=0",
  "--group=0",
];

/** Packs a folder in `parent`, compressed by Node, whose version is pinned, rather than by the system's gzip. */
export async function packFolder(parent: string, folder: string, file: string, time: number): Promise<void> {
  const tar = spawn("tar", [...sameEverywhere(time), "--create", "--directory", parent, folder], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exit = once(tar, "exit");
  await pipeline(tar.stdout, createGzip(), createWriteStream(file));
  const [code] = (await exit) as [number | null]; // as documented for "exit"
  if (code !== 0) throw new Error(`tar failed with exit code ${code}`);
}

/** A folder of an archive that does not belong to root. */
interface Owned {
  path: string;
  owner: number;
}

/** Packs what is in a folder, uncompressed. */
export function packContents(folder: string, file: string, time: number, owned?: Owned): void {
  const options = [...sameEverywhere(time), "--file", file, "--directory", folder];
  if (owned === undefined) {
    execFileSync("tar", ["--create", ...options, "."]);
    return;
  }
  const { owner, path } = owned;
  execFileSync("tar", ["--create", ...options, `--exclude=${path}`, "."]);
  execFileSync("tar", ["--append", ...options, `--owner=${owner}`, `--group=${owner}`, path]);
}
