/**
 * Lists pinned versions, of all workspaces and of the Node runtime, that have newer releases: patches first, which should be
 * installed at once. Uses npm's configured registry; lists known advisories if it offers them.
 *
 *   npm run outdated:security
 *
 * Exits with status 1 when there are newer patches or advisories. Not part of CI: what others release must not fail it.
 */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const root = join(import.meta.dirname, "..");
const run = promisify(execFile);

interface Manifest {
  workspaces?: string[];
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  overrides?: Record<string, unknown>;
}

const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as Manifest; // npm's own format

/** Parses the version of a release; undefined for prereleases. */
function parseVersion(version: string): [number, number, number] | undefined {
  const [, major, minor, patch] = /^(\d+)\.(\d+)\.(\d+)$/.exec(version) ?? [];
  return major === undefined ? undefined : [Number(major), Number(minor), Number(patch)];
}

/** Every pinned version, and which workspaces pin it. */
function listPinned(): Map<string, { version: string; by: string[] }[]> {
  const pinned = new Map<string, { version: string; by: string[] }[]>();
  for (const folder of [".", ...(readManifest(".").workspaces ?? [])]) {
    const { dependencies, devDependencies, overrides } = readManifest(folder);
    for (const [name, version] of Object.entries({ ...overrides, ...devDependencies, ...dependencies })) {
      if (typeof version !== "string" || !parseVersion(version) || name.startsWith("@skein/")) continue;
      const known = pinned.get(name) ?? [];
      const same = known.find((one) => one.version === version);
      if (same) same.by.push(folder);
      else known.push({ version, by: [folder] });
      pinned.set(name, known);
    }
  }
  return pinned;
}

/** npm's JSON output, even if it exits with an error. */
async function npm(...args: string[]): Promise<unknown> {
  try {
    const { stdout } = await run("npm", [...args, "--json"], { cwd: root, maxBuffer: 64 * 1024 ** 2 });
    return JSON.parse(stdout);
  } catch (error) {
    const { stdout = "" } = error as { stdout?: string }; // as execFile rejects
    try {
      return JSON.parse(stdout);
    } catch {
      return undefined;
    }
  }
}

async function releasesOf(name: string): Promise<string[] | undefined> {
  const answer = await npm("view", name, "versions");
  const versions: unknown[] | undefined = Array.isArray(answer)
    ? answer
    : typeof answer === "string"
      ? [answer]
      : undefined;
  return versions?.filter((version) => typeof version === "string");
}

/** The newest patch of the same minor version, and the newest minor version of the same major one, if newer. */
function newerThan(pinned: string, releases: readonly string[]): { patch?: string; minor?: string } {
  const [major, minor, patch] = parseVersion(pinned) ?? [0, 0, 0];
  let [newestPatch, newestMinor] = [patch, minor];
  let patchOfMinor = 0;
  for (const release of releases) {
    const parsed = parseVersion(release);
    if (parsed?.[0] !== major) continue;
    if (parsed[1] === minor) newestPatch = Math.max(newestPatch, parsed[2]);
    if (parsed[1] === newestMinor) patchOfMinor = Math.max(patchOfMinor, parsed[2]);
    if (parsed[1] > newestMinor) [newestMinor, patchOfMinor] = [parsed[1], parsed[2]];
  }
  return {
    ...(newestPatch > patch ? { patch: `${major}.${minor}.${newestPatch}` } : {}),
    ...(newestMinor > minor ? { minor: `${major}.${newestMinor}.${patchOfMinor}` } : {}),
  };
}

interface Advisories {
  vulnerabilities?: Record<string, { severity: string; via: (string | { title: string; url?: string })[] }>;
}

async function listAdvisories(): Promise<string[] | undefined> {
  const answer = (await npm("audit")) as Advisories | undefined; // npm's own format
  return (
    answer?.vulnerabilities &&
    Object.entries(answer.vulnerabilities).flatMap(([name, { severity, via }]) =>
      via.flatMap((cause) => (typeof cause === "string" ? [] : [`${name}: ${severity}: ${cause.title}`])),
    )
  );
}

const found = { patch: [] as string[], minor: [] as string[], unknown: [] as string[] };
const pinned = [...listPinned()];
const atOnce = 8;
for (let first = 0; first < pinned.length; first += atOnce) {
  const answers = pinned.slice(first, first + atOnce).map(async ([name, versions]) => {
    const releases = await releasesOf(name);
    for (const { version, by } of versions) {
      const { patch, minor } = releases ? newerThan(version, releases) : {};
      const where = `(${by.map((folder) => (folder === "." ? "root" : folder)).join(", ")})`;
      const label = name === "node" ? "node, the runtime," : name;
      if (!releases) found.unknown.push(`${label} ${version} ${where}`);
      if (patch !== undefined) found.patch.push(`${label} ${version} → ${patch} ${where}`);
      if (minor !== undefined) found.minor.push(`${label} ${version} → ${minor} ${where}`);
    }
  });
  await Promise.all(answers);
}
const advisories = await listAdvisories();

const list = (title: string, lines: readonly string[]): void =>
  console.log(
    `${title}: ${
      lines.length === 0
        ? "none"
        : `\n${lines
            .toSorted()
            .map((line) => `  ${line}`)
            .join("\n")}`
    }`,
  );
list("Newer patch releases", found.patch);
list("Newer minor releases", found.minor);
if (found.unknown.length > 0) list("The registry does not know", found.unknown);
if (advisories) list("Advisories", advisories);
else console.log("Advisories: the registry does not offer them");
process.exitCode = found.patch.length + (advisories?.length ?? 0) > 0 ? 1 : 0;
