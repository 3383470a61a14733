/**
 * `npm run bench:leavers [-- --leavers 1000 --at-once 10]`: how long people who leave can go on. On two nodes, people send
 * requests while the directory deactivates their accounts over SCIM. Fails if a request that began after the response to a
 * deactivation succeeds.
 */
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startApp } from "../../server/src/app.ts";
import { readConfig } from "../../server/src/config.ts";
import { createRealm } from "../../server/src/domain/organization/realm/create.ts";
import { createToken } from "../../server/src/domain/administration/provisioning/tokens.ts";
import { createApiKey } from "../../server/src/domain/people/auth/api-keys.ts";
import { migrate } from "../../server/src/platform/db/migrate.ts";
import { transaction } from "../../server/src/platform/db/transaction.ts";
import { startEngines, stopEngines } from "../../server/src/platform/engines/engines.ts";
import { deactivateByScim, measureLeavers } from "../../server/test/leavers.ts";

const { values } = parseArgs({
  options: { leavers: { type: "string", default: "1000" }, "at-once": { type: "string", default: "10" } },
});
const host = "bench.example.com";
const headers = { "x-forwarded-host": host };
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const dir = await mkdtemp(join(tmpdir(), "skein-leavers-"));
await chmod(dir, 0o711);
const engines = await startEngines(dir);
await migrate(engines.postgresUrl);
const startNode = (name: string) =>
  startApp(
    readConfig({
      SKEIN_DATABASE_URL: engines.postgresUrl,
      SKEIN_NATS_URL: engines.natsUrl,
      SKEIN_FILES_DIR: join(dir, "files"),
      SKEIN_SECRET: "a secret that both nodes have, long enough",
      SKEIN_NODE_NAME: name,
      SKEIN_PORT: "0",
      SKEIN_RATE_LIMITS: "false",
      SKEIN_TRUST_PROXY: "1",
      SKEIN_LOG_LEVEL: "silent",
    }),
  );
const apps = [await startNode("one"), await startNode("two")];
try {
  const [{ ctx }] = apps as [(typeof apps)[number]];
  const [realmId, token] = await transaction(ctx.db, "create the organization", async (tx) => {
    const { id } = await createRealm(tx, { string_id: "bench", name: "Bench", host });
    return [id, (await createToken(tx, id, "bench")).token] as const;
  });
  const result = await measureLeavers({
    nodes: apps.map(({ url }) => url ?? ""),
    headers,
    leavers: Number(values.leavers),
    atOnce: Number(values["at-once"]),
    newLeaver: (number) =>
      transaction(ctx.db, "add a leaver", async (tx) => {
        const email = `leaver-${number}@${host}`;
        const { id } = await tx
          .insertInto("users")
          .values({ realm_id: realmId, delivery_email: email, full_name: `Leaver ${number}`, role: 400 })
          .returning("id")
          .executeTakeFirstOrThrow();
        return { id, email, apiKey: await createApiKey(tx, { id, realm_id: realmId }, "bench") };
      }),
    deactivate: (leaver, node) => deactivateByScim(node, headers, token, leaver.id),
  });
  const latest = (list: number[]): string => `${Math.max(...list).toFixed(1)} ms`;
  const taken = result.deactivations.toSorted((a, b) => a - b);
  const at = (share: number): string => `${(taken[Math.floor(share * (taken.length - 1))] ?? 0).toFixed(0)} ms`;
  say(`${result.leavers} people left, ${values["at-once"]} at a time, on ${apps.length} nodes.`);
  say(`A deactivation took ${at(0.5)} in the median, and ${at(1)} at most.`);
  say(`The people sent ${result.requests} requests, of which ${result.accepted} were accepted.`);
  say(`Accepted although they began after the response: ${result.acceptedAfter}`);
  say(`The last accepted request began ${latest(result.lastAccepted)} after the response (negative: before it).`);
  say(`Requests for events that waited ended at most ${latest(result.pollsEnded)} after the response.`);
  if (result.acceptedAfter > 0 || result.leavers < Number(values.leavers)) process.exitCode = 1;
} finally {
  await Promise.all(apps.map((app) => app.stop()));
  await stopEngines(dir);
  await rm(dir, { recursive: true, force: true });
}
