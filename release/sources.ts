/** The sources of a release: where they are, which commit they are of, and when that was made. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

export const root = join(import.meta.dirname, "..");

/** What git prints about the sources. */
export const git = (...args: string[]): string => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();

export interface Source {
  version: string;
  commit: string;
  /** Seconds since 1970. All files of a release have this time. */
  time: number;
}

/** SOURCE_DATE_EPOCH wins over the commit's time, as in other programs. Changes that are not committed are marked. */
export function findSource(): Source {
  const { version } = JSON.parse(readFileSync(join(root, "server/package.json"), "utf8")) as { version: string };
  const isChanged = git("status", "--porcelain") !== "";
  const commit = git("rev-parse", "HEAD");
  const time = Number(process.env["SOURCE_DATE_EPOCH"] ?? git("log", "-1", "--format=%ct"));
  return { version, commit: isChanged ? `${commit}-changed` : commit, time };
}
