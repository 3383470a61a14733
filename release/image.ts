/** The container image: the release and the few Debian packages that its Node needs. There is no shell in it. */
import { execFileSync } from "node:child_process";
import { cp, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { debianArchitecture } from "./architecture.ts";
import { packContents } from "./archive.ts";
import { writeImage } from "./oci.ts";
import { runtimeFlags } from "./runtime.ts";
import type { Source } from "./sources.ts";

/** The libraries that Node links to, and time zones. Certificates of authorities are in Node. */
const packages = ["base-files", "libc6", "libgcc-s1", "libstdc++6", "netbase", "tzdata"];

/** A number, because Kubernetes cannot tell whether a name is root's. */
const user = 10001;
const program = ["/usr/lib/skein/runtime/node", ...runtimeFlags, "/usr/lib/skein/lib/main.js"];

const config = {
  User: `${user}:${user}`,
  Env: ["PATH=/usr/lib/skein/bin:/usr/bin:/bin", "SKEIN_HOST=0.0.0.0", "SKEIN_FILES_DIR=/var/lib/skein/files"],
  Entrypoint: program,
  Cmd: ["serve"],
  ExposedPorts: { "9991/tcp": {} },
  Volumes: { "/var/lib/skein": {} },
  WorkingDir: "/var/lib/skein",
  StopSignal: "SIGTERM",
  // Docker and Podman read it here, although the specification does not mention it. Times are nanoseconds.
  Healthcheck: { Test: ["CMD", ...program, "health"], Interval: 15e9, Timeout: 10e9, StartPeriod: 30e9, Retries: 3 },
};

export async function makeImage(tree: string, out: string, { version, commit, time }: Source): Promise<void> {
  const root = `${tree}.image-root`;
  await makeRoot(root, tree);
  const layer = `${tree}.layer`;
  packContents(root, layer, time, { path: "./var/lib/skein", owner: user });
  await rm(root, { recursive: true });

  const labels = {
    "org.opencontainers.image.title": "Skein",
    "org.opencontainers.image.description": "Threaded team chat that you run yourself",
    "org.opencontainers.image.version": version,
    "org.opencontainers.image.revision": commit,
    "org.opencontainers.image.licenses": "Apache-2.0",
  };
  const image = { name: `skein:${version}`, architecture: debianArchitecture(), time, labels, config };
  const file = join(out, `skein-${version}-${process.platform}-${process.arch}.oci.tar`);
  await writeImage(image, layer, `${tree}.image`, file);
  await rm(layer);
}

async function makeRoot(root: string, tree: string): Promise<void> {
  const known = join(root, "var/lib/dpkg/status.d");
  await mkdir(known, { recursive: true });
  for (const deb of await findDebs()) {
    execFileSync("dpkg-deb", ["--extract", deb, root]);
    // Here scanners find the packages of images without dpkg.
    await writeFile(join(known, field(deb, "Package")), execFileSync("dpkg-deb", ["--field", deb]));
  }
  await removeDocuments(join(root, "usr/share"));
  const accounts = { root: 0, skein: user };
  const lines = (line: (name: string, id: number) => string) =>
    Object.entries(accounts)
      .map(([name, id]) => `${line(name, id)}\n`)
      .join("");
  await writeFile(
    join(root, "etc/passwd"),
    lines((name, id) => `${name}:x:${id}:${id}::/var/lib/skein:/usr/sbin/nologin`),
  );
  await writeFile(
    join(root, "etc/group"),
    lines((name, id) => `${name}:x:${id}:`),
  );
  // The files for containers are for those who run it, and a registry knows the checksums.
  const isLeftOut = (path: string) => ["share", "SHA256SUMS"].some((name) => path === join(tree, name));
  await cp(tree, join(root, "usr/lib/skein"), { recursive: true, filter: (path) => !isLeftOut(path) });
  await mkdir(join(root, "var/lib/skein/files"), { recursive: true });
}

/** Keeps licenses. */
async function removeDocuments(share: string): Promise<void> {
  for (const folder of ["man", "lintian", "locale", "bug"])
    await rm(join(share, folder), { recursive: true, force: true });
  for (const entry of await readdir(join(share, "doc"), { recursive: true, withFileTypes: true }))
    if (entry.isFile() && entry.name !== "copyright") await rm(join(entry.parentPath, entry.name));
}

/**
 * The Debian packages, in the folder $SKEIN_RELEASE_DEBS. Those that are missing are downloaded into it with apt, in the
 * version that this machine's apt offers. The same folder gives the same image, without network.
 */
async function findDebs(): Promise<string[]> {
  const folder = process.env["SKEIN_RELEASE_DEBS"] ?? join(homedir(), ".cache/skein-release");
  await mkdir(folder, { recursive: true });
  const find = async (name: string): Promise<string> => {
    const files = await readdir(folder);
    const [file, second] = files.filter((each) => each.startsWith(`${name}_`) && each.endsWith(".deb"));
    if (second !== undefined) throw new Error(`${folder} has several versions of ${name}: keep one`);
    if (file !== undefined) return join(folder, file);
    execFileSync("apt-get", ["download", name], { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
    return find(name);
  };
  const debs: string[] = [];
  for (const name of packages) debs.push(await find(name));
  // The libraries' licenses are in a package whose name has a version in it.
  const [compiler] = /gcc-\d+-base/.exec(field(await find("libgcc-s1"), "Depends")) ?? [];
  return compiler === undefined ? debs : [...debs, await find(compiler)];
}

const field = (deb: string, name: string): string =>
  execFileSync("dpkg-deb", ["--field", deb, name], { encoding: "utf8" }).trim();
