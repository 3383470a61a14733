/** The machine and the versions used. */
import { execFile } from "node:child_process";
import { cpus, loadavg, release, totalmem } from "node:os";
import { promisify } from "node:util";
import { findNats, findPostgres } from "../server/src/platform/engines/binaries.ts";

const run = promisify(execFile);

export async function describeMachine(): Promise<string> {
  const [first] = cpus();
  const memory = Math.round(totalmem() / 1024 ** 3);
  return `${first?.model.trim() ?? "unknown CPU"}, ${cpus().length} cores, ${memory} GB, Linux ${release()}`;
}

export async function describeVersions(): Promise<string> {
  const { bin } = await findPostgres();
  const postgres = await run(`${bin}/postgres`, ["--version"]);
  const nats = await run(await findNats(), ["--version"]);
  const number = (text: string) => /\d+(\.\d+)+/.exec(text)?.[0] ?? text.trim();
  return `Node ${process.versions.node}, PostgreSQL ${number(postgres.stdout)}, nats-server ${number(nats.stdout)}`;
}

/** The machine's load of the last minute. */
export const currentLoad = (): string => (loadavg()[0] ?? 0).toFixed(2);
