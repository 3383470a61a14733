/**
 * Packs the client package, installs the tarball without network into a project outside of this one, and uses it there: in
 * plain JavaScript with the pinned Node and with the machine's own, and in TypeScript.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

const root = join(import.meta.dirname, "..");
const project = mkdtempSync(join(tmpdir(), "skein-api-package-"));
try {
  install();
  const nodes = new Set([process.execPath, ...nodesOnPath()]);
  for (const node of nodes) runPrograms(node);
  for (const resolution of ["node16", "bundler"]) compile(resolution);
} finally {
  rmSync(project, { recursive: true });
}

function run(command: string, args: string[], cwd = project): string {
  return execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
}

function pack(folder: string, ...options: string[]): { filename: string; files: string[] } {
  // With `--json`, npm prints the output of the package's scripts to standard error.
  const printed = run("npm", ["pack", "--json", "--loglevel=error", "--pack-destination", project, ...options], folder);
  const packed = JSON.parse(printed) as PackedPackage[] | Record<string, PackedPackage>; // a list before npm 12
  const [{ filename, files } = assert.fail("nothing was packed")] = Object.values(packed);
  return { filename: join(project, filename), files: files.map(({ path }) => path) };
}

interface PackedPackage {
  filename: string;
  files: { path: string }[];
}

function install(): void {
  const api = pack(join(root, "api"));
  const unexpected = api.files.filter((path) => !/^dist\/[\w/-]+\.(js|d\.ts)$/.test(path));
  assert.deepEqual(unexpected.toSorted(), ["LICENSE", "README.md", "package.json"]);
  // Its only dependency is packed from here, because there may be no registry.
  const zod = pack(join(root, "node_modules/zod"), "--ignore-scripts");
  const dependencies = { "@skein/api": `file:${api.filename}`, zod: `file:${zod.filename}` };
  writeFileSync(join(project, "package.json"), JSON.stringify({ private: true, type: "module", dependencies }));
  // Nothing comes from earlier installations either.
  const options = ["--offline", "--cache", join(project, "npm-cache"), "--ignore-scripts", "--no-audit", "--no-fund"];
  run("npm", ["install", "--loglevel=error", ...options]);
  cpSync(join(root, "api/test/package"), project, { recursive: true });
}

/** The versions of Node that a user's `node` may be, beside the pinned one. */
function nodesOnPath(): string[] {
  return (process.env["PATH"] ?? "").split(delimiter).flatMap((folder) => {
    if (folder.includes("node_modules")) return [];
    try {
      return [realpathSync(join(folder, "node"))];
    } catch {
      return []; // no Node in this folder
    }
  });
}

function runPrograms(node: string): void {
  const version = run(node, ["--version"]).trim();
  const seen = JSON.parse(run(node, ["program.mjs"])) as Record<string, unknown>;
  const retries = seen["retries"] as unknown[]; // as the program prints it
  assert.deepEqual(
    { ...seen, retries: [...new Set(retries)] },
    {
      node: /\d+/.exec(version)?.[0],
      me: "Echo",
      events: ["message 1", "message 3"],
      gaps: [false, true],
      retries: ["none", 429, 503],
      sent: [
        { type: "stream", to: '"lobby"', topic: "hello", content: "Here I am!" },
        { type: "direct", to: "[7]", content: "" },
      ],
      position: { queue_id: "queue 2", last_event_id: 3 },
      refused: "BAD_REQUEST",
    },
  );
  assert.equal(run(node, ["program.cjs"]), "function /messages\n");
  console.log(`JavaScript: works with Node ${version}`);
}

function compile(moduleResolution: string): void {
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    target: "es2023",
    lib: ["es2023", "dom", "dom.asynciterable"],
    types: [],
    module: moduleResolution === "bundler" ? "esnext" : moduleResolution,
    moduleResolution,
    skipLibCheck: false,
  };
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["program.ts"] }));
  run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", "."]);
  console.log(`TypeScript: compiles with moduleResolution ${moduleResolution}`);
}
