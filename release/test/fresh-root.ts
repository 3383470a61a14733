/** Runs programs in another root, as a fresh machine that shares the network with this one. Needs root. */
import { execFileSync } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { readFileSync } from "node:fs";
import { run, type Words } from "./commands.ts";

/** A Debian with its essential packages and those given: unpacked from an archive, if there is one, or bootstrapped. */
export async function makeDebianRoot(root: string, packages: string[], archive?: string): Promise<void> {
  if (archive !== undefined) {
    await mkdir(root);
    await run(["tar", "--extract", "--file", archive, "--directory", root]);
    return;
  }
  const [, suite = "stable"] = /^VERSION_CODENAME=(\w+)$/m.exec(readFileSync("/etc/os-release", "utf8")) ?? [];
  // Takes half the time, and the root is thrown away.
  const options = ["--quiet", "--variant=essential", "--dpkgopt=force-unsafe-io", `--include=${packages.join(",")}`];
  await run(["mmdebstrap", ...options, suite, root, ...mirrorOf(suite)]);
}

/** The address from which this machine's apt gets the suite, which may be a mirror; mmdebstrap's own if there is none. */
function mirrorOf(suite: string): string[] {
  const args = ["indextargets", "--format", "$(REPO_URI)", "Created-By: Packages", `Codename: ${suite}`];
  const [uri = ""] = execFileSync("apt-get", args, { encoding: "utf8" }).split("\n");
  return uri === "" ? [] : [uri];
}

/** Mounts vanish with the process, because its mount namespace is its own. */
const enter = `mount -t proc proc "$0/proc" && mount --bind /dev "$0/dev" && mount -t tmpfs tmpfs "$0/dev/shm" &&
  exec /usr/sbin/chroot "$@"`;
const enterReadOnly = `mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" &&
  mount -t tmpfs tmpfs "$0/tmp" && mount -t tmpfs -o "mode=1777" tmpfs "$0/var/lib/skein" && ${enter}`;

interface InRoot {
  /** A user and a group; root if left out. */
  user?: string;
  isReadOnly?: boolean;
}

/** The program and its arguments, to be run in the root. */
export function inRoot(root: string, words: Words, { user, isReadOnly = false }: InRoot = {}): Words {
  const as = user === undefined ? [] : [`--userspec=${user}`];
  return ["unshare", "--mount", "sh", "-c", isReadOnly ? enterReadOnly : enter, root, ...as, root, ...words];
}
