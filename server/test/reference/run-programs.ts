/** Runs TypeScript programs of the reference one after the other, unchanged, as users of the package would. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { buildPackageWhenStale } from "../../../api/bin/build.ts";
import { copyExampleFiles } from "./example-files.ts";
import type { Account, Answer } from "./perform.ts";

/** Imports each program, and prints what it has logged or thrown. */
const runner = `
import { readdirSync } from "node:fs";
const results = {};
const { log } = console;
for (const file of readdirSync(".").filter((name) => name.endsWith(".ts")).toSorted()) {
  const operation = file.slice(4, -3);
  console.log = (value) => { results[operation] = { status: typeof value.status === "number" ? value.status : 200, body: value }; };
  try {
    await import("./" + file);
  } catch (error) {
    results[operation] = error.code === undefined || error.status === undefined
      ? { status: 0, body: { thrown: String(error), cause: String(error.cause) } }
      : { status: error.status, body: { result: "error", msg: error.message, code: error.code, ...error.data } };
  }
}
log(JSON.stringify(results));
process.exit();
`;

/** A folder in which programs find the package, and the files that they upload. */
export async function programFolder(programs: ReadonlyMap<string, string>): Promise<string> {
  await buildPackageWhenStale();
  const folder = await mkdtemp(join(tmpdir(), "skein-programs-"));
  await copyExampleFiles(folder);
  await mkdir(join(folder, "node_modules/@skein"), { recursive: true });
  await symlink(join(import.meta.dirname, "../../../api"), join(folder, "node_modules/@skein/api"));
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  await writeFile(join(folder, "runner.js"), runner);
  let number = 100;
  for (const [operation, program] of programs) await writeFile(join(folder, `${number++}-${operation}.ts`), program);
  return folder;
}

const environmentOf = (owner: Account): NodeJS.ProcessEnv => ({
  PATH: process.env["PATH"],
  SKEIN_EMAIL: owner.email,
  SKEIN_API_KEY: owner.key,
});

/** Runs one program by itself. Returns what it prints; of one that runs forever, what it prints first. */
export async function runProgram(
  program: string,
  { owner }: { owner: Account },
  { runsForever = false } = {},
): Promise<string> {
  const folder = await programFolder(new Map([["program", program]]));
  try {
    const child = spawn(process.execPath, ["100-program.ts"], { cwd: folder, env: environmentOf(owner) });
    const ended = once(child, "exit");
    let printed = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (data: Buffer) => {
        printed += data.toString();
        if (runsForever) child.kill();
      });
    await ended;
    return printed;
  } finally {
    await rm(folder, { recursive: true });
  }
}

export async function runPrograms(
  programs: ReadonlyMap<string, string>,
  { owner }: { owner: Account },
): Promise<Record<string, Answer>> {
  const folder = await programFolder(programs);
  try {
    const { stdout } = await promisify(execFile)(process.execPath, ["runner.js"], {
      cwd: folder,
      env: environmentOf(owner),
      maxBuffer: 1e8,
    });
    return JSON.parse(stdout) as Record<string, Answer>; // what the runner prints
  } finally {
    await rm(folder, { recursive: true });
  }
}
