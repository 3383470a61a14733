/** PostgreSQL's own load generator, inserting one message per transaction. */
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { findPostgres } from "../server/src/platform/engines/binaries.ts";
import type { Engines } from "../server/src/platform/engines/engines.ts";
import { messageText } from "./request.ts";

const run = promisify(execFile);

const script = `
\\set sender random(1, 100)
\\set place random(1, 10)
insert into messages (realm_id, conversation_id, topic_id, sender_id, client_id, content, rendered_content,
  is_me_message, read_by_sender)
values (1, :place, :place, :sender, 1, '${messageText}', '<p>${messageText}</p>', false, false);
`;

/** Inserts per second with this many clients. */
export async function pgbench({ dir, postgresUrl }: Engines, clients: number, seconds: number): Promise<number> {
  const { bin } = await findPostgres();
  const file = join(dir, "insert.sql");
  await writeFile(file, script);
  const args = ["-n", "-M", "prepared", "-c", clients, "-j", Math.min(2, clients), "-T", seconds, "-f", file];
  const { stdout } = await run(join(bin, "pgbench"), [...args.map(String), postgresUrl]);
  const rate = /^tps = ([\d.]+)/m.exec(stdout)?.[1];
  if (rate === undefined) throw new Error(`pgbench reported no rate:\n${stdout}`);
  return Number(rate);
}

/** The number of clients with which it is fastest on this machine. */
export async function bestClients(engines: Engines, counts: readonly number[], seconds: number): Promise<number> {
  let best = { clients: 1, rate: 0 };
  for (const clients of counts) {
    const rate = await pgbench(engines, clients, seconds);
    if (rate > best.rate) best = { clients, rate };
  }
  return best.clients;
}
