/** Runs commands of the reference in a shell, as a reader would paste them. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { copyExampleFiles } from "./example-files.ts";
import type { Account, Answer } from "./perform.ts";

const statusLine = /^status (\d+)$/gm;

/** What the last command prints, and the status of its response. */
export async function runCurl(commands: string, { owner }: { owner: Account }): Promise<Answer> {
  const environment = { SKEIN_EMAIL: owner.email, SKEIN_API_KEY: owner.key };
  const { stdout, stderr } = await run(commands, environment);
  const body = JSON.parse(stdout) as Answer["body"];
  // A command that prints the status itself does not print ours.
  const status = typeof body["status"] === "number" ? body["status"] : [...stderr.matchAll(statusLine)].at(-1)?.[1];
  return { status: Number(status), body };
}

/** What the commands print, with this input. */
export const runShell = async (
  commands: string,
  environment: Record<string, string>,
  input?: string,
): Promise<string> => (await run(commands, environment, input)).stdout;

async function run(
  commands: string,
  environment: Record<string, string>,
  input = "",
): Promise<{ stdout: string; stderr: string }> {
  const folder = await mkdtemp(join(tmpdir(), "skein-example-"));
  try {
    await copyExampleFiles(folder);
    // From a file: with a pipe, commands that read nothing may end before it is written.
    await writeFile(join(folder, ".input"), input);
    await writeFile(join(folder, ".curlrc"), String.raw`write-out = "%{stderr}\nstatus %{http_code}\n"`);
    await using file = await open(join(folder, ".input"));
    const child = spawn("bash", ["-eu", "-c", commands], {
      cwd: folder,
      env: { PATH: process.env["PATH"], HOME: folder, ...environment },
      stdio: [file.fd, "pipe", "pipe"],
    }) as ChildProcessByStdio<null, Readable, Readable>; // by its stdio
    const ended = once(child, "exit") as Promise<[number | null]>; // as documented
    const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    if (code !== 0) throw new Error(`the commands failed with ${code}: ${stderr}`);
    return { stdout, stderr };
  } finally {
    await rm(folder, { recursive: true });
  }
}
