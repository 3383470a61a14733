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

/** What the last command prints. curl prints no status: an error is one by its body. */
export async function runCurl(commands: string, { owner }: { owner: Account }): Promise<Answer> {
  const stdout = await runShell(commands, { SKEIN_EMAIL: owner.email, SKEIN_API_KEY: owner.key });
  const body = JSON.parse(stdout) as Answer["body"];
  return { status: statusOf(body), body };
}

/** What the commands print, with this input. */
export async function runShell(commands: string, environment: Record<string, string>, input = ""): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "skein-example-"));
  try {
    await copyExampleFiles(folder);
    // From a file: with a pipe, commands that read nothing may end before it is written.
    await writeFile(join(folder, ".input"), input);
    await using file = await open(join(folder, ".input"));
    const child = spawn("bash", ["-eu", "-c", commands], {
      cwd: folder,
      env: { PATH: process.env["PATH"], ...environment },
      stdio: [file.fd, "pipe", "pipe"],
    }) as ChildProcessByStdio<null, Readable, Readable>; // by its stdio
    const ended = once(child, "exit") as Promise<[number | null]>; // as documented
    const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    if (code !== 0) throw new Error(`the commands failed with ${code}: ${stderr}`);
    return stdout;
  } finally {
    await rm(folder, { recursive: true });
  }
}

function statusOf({ result, code, status }: Answer["body"]): number {
  if (typeof status === "number") return status;
  return result === "success" ? 200 : code === "UNAUTHORIZED" ? 401 : 400;
}
