/** Runs commands of the reference in a shell, as a reader would paste them. */
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { copyExampleFiles } from "./example-files.ts";
import type { Account, Answer } from "./perform.ts";

/** What the last command prints. curl prints no status: an error is one by its body. */
export async function runCurl(commands: string, { owner }: { owner: Account }): Promise<Answer> {
  const folder = await mkdtemp(join(tmpdir(), "skein-example-"));
  try {
    await copyExampleFiles(folder);
    const environment = { PATH: process.env["PATH"], SKEIN_EMAIL: owner.email, SKEIN_API_KEY: owner.key };
    const { stdout } = await promisify(execFile)("bash", ["-eu", "-c", commands], { cwd: folder, env: environment });
    const body = JSON.parse(stdout) as Answer["body"];
    return { status: statusOf(body), body };
  } finally {
    await rm(folder, { recursive: true });
  }
}

function statusOf({ result, code, status }: Answer["body"]): number {
  if (typeof status === "number") return status;
  return result === "success" ? 200 : code === "UNAUTHORIZED" ? 401 : 400;
}
