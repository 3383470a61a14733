/** Operating the event log's engines: changed settings, a full disk, and '*' in synchronous_standby_names. */
import { execFile } from "node:child_process";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { sql } from "kysely";
import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { engineFolder, Ledger, OwnEngines } from "../../test/own-engines.ts";
import type { Config } from "../config.ts";
import { connect } from "../platform/db/connect.ts";
import { engineAccount, makePrivateFolder } from "../platform/engines/account.ts";
import { findNats } from "../platform/engines/binaries.ts";
import { freePort } from "../platform/engines/free-port.ts";
import { stopNats } from "../platform/engines/nats.ts";
import { eventually, isAlive, launch, signal } from "../platform/engines/processes.ts";
import { Relay } from "./relay.ts";
import { connectToLog, logNames } from "./stream.ts";

const run = promisify(execFile);

/** Engines, and a node without a relay. */
async function startEngines(prepare?: (dir: string) => Promise<void>) {
  const engines = await OwnEngines.start(prepare);
  const node = await engines.startNode({ SKEIN_ROLES: "api" }, { isAwaited: false });
  return { engines, node };
}

interface Line {
  level: string;
  msg: string;
}

/** A relay whose log can be read. */
function startRelay({ node }: OwnEngines, settings: Partial<Config> = {}) {
  const lines: Line[] = [];
  const logger = pino(
    { level: "debug", formatters: { level: (level) => ({ level }) } },
    { write: (line: string) => lines.push(JSON.parse(line) as Line) },
  );
  const relay = new Relay({ ...node.ctx, logger, config: { ...node.ctx.config, ...settings } });
  relay.start();
  onTestFinished(() => relay.stop());
  return { relay, logged: (level: string) => lines.filter((line) => line.level === level).map(({ msg }) => msg) };
}

async function streamSettings({ node }: OwnEngines) {
  const { manager, nats } = await connectToLog(node.ctx.config, { name: "test", reconnect: false });
  const { config } = await manager.streams.info(logNames(node.ctx.config.logName).stream);
  await nats.close();
  return { maxBytes: config.max_bytes, replicas: config.num_replicas };
}

test("a changed SKEIN_LOG_MAX_BYTES is applied to the stream, a change that NATS refuses is logged, and the log continues", async () => {
  const { engines, node } = await startEngines();
  const first = startRelay(engines, { logMaxBytes: 64_000_000 });
  const ledger = await Ledger.open(node);
  const queue = await ledger.follow();
  await ledger.send("before");
  expect(await streamSettings(engines)).toEqual({ maxBytes: 64_000_000, replicas: 1 });
  const epoch = await engines.epoch();
  await first.relay.stop();

  const second = startRelay(engines, { logMaxBytes: 32_000_000 });
  await expect.poll(() => streamSettings(engines)).toEqual({ maxBytes: 32_000_000, replicas: 1 });
  await expect
    .poll(() => second.logged("info"))
    .toContain("applied SKEIN_LOG_MAX_BYTES and SKEIN_LOG_REPLICAS to the event log's stream");
  await ledger.send("smaller");
  await second.relay.stop();

  // One NATS server cannot keep three copies.
  const third = startRelay(engines, { logMaxBytes: 32_000_000, logReplicas: 3 });
  await ledger.send("refused");
  await ledger.verify(queue);
  expect(third.logged("warn")).toEqual([
    expect.stringMatching(/NATS refused .* SKEIN_LOG_REPLICAS=3 .* stays at 32000000 bytes and 1 replicas/),
  ]);
  expect(await streamSettings(engines)).toEqual({ maxBytes: 32_000_000, replicas: 1 });
  expect(await engines.epoch()).toBe(epoch);
});

/** Three servers of one NATS cluster; their addresses. */
async function startNatsCluster(): Promise<string> {
  const dir = await engineFolder();
  const account = await engineAccount();
  const servers = await Promise.all(
    [1, 2, 3].map(async (number) => ({ name: `nats-${number}`, port: await freePort(), routes: await freePort() })),
  );
  const routes = servers.map((server) => `"nats-route://127.0.0.1:${server.routes}"`).join(", ");
  for (const server of servers) {
    const store = join(dir, server.name);
    await makePrivateFolder(store, account);
    const config = join(dir, `${server.name}.conf`);
    await writeFile(
      config,
      `server_name: ${server.name}
listen: "127.0.0.1:${server.port}"
max_payload: 8MB
jetstream: { store_dir: "${store}", max_file_store: 1TB }
cluster: { name: test, listen: "127.0.0.1:${server.routes}", routes: [${routes}] }
`,
    );
    const pid = await launch({
      name: server.name,
      program: await findNats(),
      args: ["-c", config],
      log: join(dir, `${server.name}.log`),
      account,
      isReady: () => Promise.resolve(true),
    });
    onTestFinished(async () => {
      signal(pid, "SIGKILL");
      await eventually(async () => !(await isAlive(pid)), 10_000);
    });
  }
  return servers.map(({ port }) => `nats://127.0.0.1:${port}`).join(",");
}

test("a raised SKEIN_LOG_REPLICAS is applied to the stream, and queues keep working", async () => {
  const SKEIN_NATS_URL = await startNatsCluster();
  const engines = await OwnEngines.start();
  const node = await engines.startNode({ SKEIN_ROLES: "api", SKEIN_NATS_URL }, { isAwaited: false });
  const first = startRelay(engines);
  const ledger = await Ledger.open(node);
  const queue = await ledger.follow();
  await ledger.send("before");
  expect(await streamSettings(engines)).toMatchObject({ replicas: 1 });
  const epoch = await engines.epoch();
  await first.relay.stop();

  startRelay(engines, { logReplicas: 3 });
  await expect.poll(() => streamSettings(engines).catch(() => undefined)).toMatchObject({ replicas: 3 });
  await ledger.send("after");
  await ledger.verify(queue);
  expect(await engines.epoch()).toBe(epoch);
});

const diskBytes = 24 * 1024 * 1024;

/** Gives NATS a small disk of its own, which a file can fill. */
async function mountDisk(dir: string): Promise<void> {
  const folder = join(dir, "nats");
  await mkdir(folder);
  await run("mount", ["-t", "tmpfs", "-o", `size=${diskBytes},mode=700`, "tmpfs", folder]);
  onTestFinished(async () => {
    await stopNats(dir);
    await run("umount", [folder]);
  });
}

const mayMount = process.platform === "linux" && process.getuid?.() === 0;

test.runIf(mayMount)(
  "a full disk of NATS is logged once, by one relay, and the log recovers when there is room",
  async () => {
    const { engines, node } = await startEngines(mountDisk);
    const relays = [startRelay(engines), startRelay(engines)];
    const logged = (level: string) => relays.flatMap((relay) => relay.logged(level));
    const ledger = await Ledger.open(node);
    const queue = await ledger.follow();
    await ledger.send("before");
    await ledger.verify(queue);
    const epoch = await engines.epoch();

    const filling = join(engines.dir, "nats", "filling");
    await expect(run("dd", ["if=/dev/zero", `of=${filling}`, "bs=4k"])).rejects.toThrow("No space left");
    await ledger.send("stored ".repeat(1000)); // more than the last page has room for
    await expect.poll(() => logged("warn")).toHaveLength(1);
    const asked = async () => (await readFile(join(engines.dir, "nats.log"), "utf8")).split("skein_trial").length;
    const before = await asked();
    await expect.poll(asked).toBeGreaterThan(before + 1); // it has tried again
    expect(logged("warn")).toEqual([
      expect.stringMatching(/stores nothing: its disk is probably full. Free disk space/),
    ]);
    expect(logged("info").filter((line) => line === "relay is active")).toHaveLength(1);
    expect(relays.map(({ relay }) => relay.problem !== undefined)).toEqual(relays.map(({ relay }) => relay.isActive));

    await rm(filling);
    await ledger.expectExpired(queue);
    expect(await engines.epoch()).toBe(epoch + 1);
    const fresh = await ledger.follow();
    await ledger.send("after");
    await ledger.verify(fresh);
    // The relay that had the problem forgets it when it retries and finds the other one active.
    await expect.poll(() => relays.map(({ relay }) => relay.problem)).toEqual([undefined, undefined]);
  },
);

async function setSynchronousStandbys({ postgresUrl }: OwnEngines, names: string): Promise<void> {
  const db = connect({ url: postgresUrl, connections: 1, name: "test" });
  await sql`alter system set synchronous_standby_names = ${sql.lit(names)}`.execute(db);
  await sql`select pg_reload_conf()`.execute(db);
  await db.destroy();
}

test("when synchronous_standby_names matches the relay, commits still finish and the relay logs what to change", async () => {
  const { engines, node } = await startEngines();
  const { db } = node.ctx;
  onTestFinished(() => setSynchronousStandbys(engines, "")); // otherwise a stopping node would wait as well
  await setSynchronousStandbys(engines, "*");
  const first = startRelay(engines);
  await expect.poll(() => first.relay.isActive).toBe(true); // the first epoch was recorded without a confirmation
  const ledger = await Ledger.open(node);
  const queue = await ledger.follow();
  await ledger.send("one", "two", "three");
  await ledger.verify(queue);
  expect(first.logged("error")).toEqual([expect.stringMatching(/names is '\*'.*'ANY 1 \(/)]);
  expect(first.relay.warning).toContain("synchronous_standby_names");
  await first.relay.stop();

  // PostgreSQL creates no slot while a commit waits for the relay that would read it.
  const waiting = ledger.send("waits");
  const synchronous = sql`select from pg_stat_activity where wait_event = 'SyncRep'`;
  await expect.poll(async () => (await synchronous.execute(db)).rows).not.toEqual([]);
  await expect
    .poll(() => sql`select pg_drop_replication_slot('skein_relay')`.execute(db).catch(() => undefined))
    .toBeDefined();
  const second = startRelay(engines);
  await expect.poll(() => second.logged("error")).toHaveLength(1);
  await setSynchronousStandbys(engines, ""); // as the log advises
  await waiting;
  await ledger.expectExpired(queue);
  const fresh = await ledger.follow();
  await ledger.send("after");
  await ledger.verify(fresh);
  expect(second.relay.warning).toBeUndefined();
});

test("a relay that becomes a synchronous standby while it records its progress does not wait for itself", async () => {
  const { engines, node } = await startEngines();
  const { db } = node.ctx;
  onTestFinished(() => setSynchronousStandbys(engines, ""));
  const { relay, logged } = startRelay(engines);
  const ledger = await Ledger.open(node);
  const queue = await ledger.follow();

  const waiting = sql`select from pg_stat_activity where wait_event_type = 'Lock' and query ~ 'update event_log'`;
  await db.connection().execute(async (holder) => {
    await sql`begin`.execute(holder);
    await sql`select from event_log for update`.execute(holder);
    await expect.poll(async () => (await waiting.execute(db)).rows).toHaveLength(1);
    await setSynchronousStandbys(engines, "*");
    const isSynchronous = sql`select from pg_stat_replication where sync_state = 'sync'`;
    await expect.poll(async () => (await isSynchronous.execute(db)).rows).toHaveLength(1);
    await sql`rollback`.execute(holder);
  });

  await ledger.send("after");
  await ledger.verify(queue);
  await expect.poll(() => relay.warning).toBeDefined();
  expect(logged("warn")).toEqual([]);
});
