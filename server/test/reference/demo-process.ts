/** Runs `skein dev --demo` beside a program. */
import type { spawn as spawnProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Account } from "./perform.ts";

/** When the demo's two weeks end, in everything that is recorded. */
export const demoNow = "2026-05-04T09:00Z";

export interface Demo extends AsyncDisposable {
  url: string;
  /** The URL of its database. */
  database: string;
  owner: { email: string; password: string; api_key: string };
}

export const ownerOf = ({ owner }: Demo): Account => ({ email: owner.email, key: owner.api_key });

export async function startDemo(spawn: typeof spawnProcess, now: string): Promise<Demo> {
  const program = join(import.meta.dirname, "../../src/cli/main.ts");
  const args = [program, "dev", "--demo", "--demo-now", now, "--port", "0", "--json"];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const [line] = (await Promise.race([
    once(createInterface({ input: child.stdout }), "line"),
    ended.then((): never => {
      throw new Error("the demo organization did not start; see its log above");
    }),
  ])) as [string]; // what `skein dev --json` prints
  return {
    ...(JSON.parse(line) as Pick<Demo, "url" | "database" | "owner">),
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
