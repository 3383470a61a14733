import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { Client } from "pg";
import { expect, inject, onTestFinished, test } from "vitest";
import { findNats, findPostgres } from "./binaries.ts";
import { engineStatus, startEngines, stopEngines } from "./engines.ts";
import { freePort } from "./free-port.ts";
import { withLock } from "./lock.ts";
import { killNats, startNats } from "./nats.ts";
import { killPostgres, startPostgres } from "./postgres.ts";

async function newFolder(): Promise<string> {
  const dir = await mkdtemp(join(inject("scratchFolder"), "own-"));
  onTestFinished(async () => {
    await stopEngines(dir);
    await rm(dir, { recursive: true });
  });
  return dir;
}

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new Client(url);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

test("a pair starts on given ports, is found again, stops, and comes back on the same ports", async () => {
  const dir = await newFolder();
  const ports = { postgresPort: await freePort(), natsPort: await freePort() };

  const first = await startEngines(dir, { ...ports, fsync: false });
  const again = await startEngines(dir);
  const status = await engineStatus(dir);
  await stopEngines(dir);
  const stopped = await engineStatus(dir);
  await stopEngines(dir);
  const second = await startEngines(dir, { fsync: false });

  expect(first).toMatchObject({
    postgresUrl: `postgres://skein@127.0.0.1:${ports.postgresPort}/skein`,
    natsUrl: `nats://127.0.0.1:${ports.natsPort}`,
  });
  expect(again).toEqual(first);
  expect(status).toMatchObject({ postgres: first.postgres, nats: first.nats });
  expect(stopped).toMatchObject({ postgres: undefined, nats: undefined });
  expect(second).toMatchObject({ postgresUrl: first.postgresUrl, natsUrl: first.natsUrl });
  expect(second.postgres.pid).not.toBe(first.postgres.pid);
});

test("two concurrent starts yield one pair", async () => {
  const dir = await newFolder();

  const [one, other] = await Promise.all([startEngines(dir, { fsync: false }), startEngines(dir, { fsync: false })]);

  expect(other).toEqual(one);
});

test("a running engine is not moved to another port", async () => {
  const dir = await newFolder();
  const { nats } = await startEngines(dir, { fsync: false });

  const moved = startEngines(dir, { natsPort: nats.port + 1 });

  await expect(moved).rejects.toThrow(`nats-server is already running on port ${nats.port}; stop it first`);
});

test("when one of the two cannot start, neither is left running", async () => {
  const dir = await newFolder();
  const other = await newFolder();
  const { nats } = await startEngines(other, { fsync: false });

  const start = startEngines(dir, { natsPort: nats.port, fsync: false });

  await expect(start).rejects.toThrow(/nats-server exited with code 1[^]*address already in use/);
  expect(await engineStatus(dir)).toMatchObject({ postgres: undefined, nats: undefined });
});

test("PostgreSQL keeps what was committed before it was killed, and logs what the relay needs", async () => {
  const dir = await newFolder();
  const { postgres } = await startEngines(dir);
  await query(postgres.url, "create table kept (id int); insert into kept values (7)");
  const bystander = new Client(postgres.url);
  bystander.on("error", () => undefined); // it loses its connection, which is the point
  await bystander.connect();

  await killPostgres(dir);
  const gone = await engineStatus(dir);
  const restarted = await startPostgres(dir, { port: postgres.port });

  expect(gone.postgres).toBeUndefined();
  expect(restarted.url).toBe(postgres.url);
  expect(await query(postgres.url, "select id from kept")).toEqual([{ id: 7 }]);
  expect(
    await query(postgres.url, "select current_setting('wal_level') as wal, current_setting('fsync') as fsync"),
  ).toEqual([{ wal: "logical", fsync: "on" }]);
});

test("NATS keeps what a stream acknowledged before it was killed", async () => {
  const dir = await newFolder();
  const { nats } = await startEngines(dir, { fsync: false });
  const before = await connect({ servers: nats.url, reconnect: false });
  await (await jetstreamManager(before)).streams.add({ name: "KEPT", subjects: ["kept"] });
  await jetstream(before).publish("kept", "seven");

  await killNats(dir);
  const gone = await engineStatus(dir);
  await startNats(dir, { port: nats.port });
  const after = await connect({ servers: nats.url });
  const stream = await (await jetstreamManager(after)).streams.info("KEPT");
  const greeting = after.info;
  await after.close();

  expect(gone.nats).toBeUndefined();
  expect(stream.state.messages).toBe(1);
  expect(greeting?.max_payload).toBe(8 * 1024 * 1024);
});

test("when many find the lock of a process that is gone, they acquire it one at a time", async () => {
  const dir = await newFolder();
  const path = join(dir, "lock");
  const noProcess = 2 ** 22 + 1; // beyond the largest possible pid
  await writeFile(path, String(noProcess));

  let inside = 0;
  let most = 0;
  const work = async () => {
    most = Math.max(most, ++inside);
    await readFile(path);
    inside--;
  };
  await Promise.all(Array.from({ length: 20 }, () => withLock(path, work)));

  expect(most).toBe(1);
});

test("the error for a missing program includes the commands that install it", async () => {
  const dir = await newFolder();

  await expect(findPostgres(undefined, { SKEIN_POSTGRES_BIN: dir })).rejects.toThrow(
    /^PostgreSQL 15 or newer is not installed \(none found\)[^]*apt-get install postgresql [^]*brew install postgresql@17/,
  );
  await expect(findPostgres(9, { SKEIN_POSTGRES_BIN: dir })).rejects.toThrow(/^PostgreSQL 9 is not installed/);
  await expect(findNats({ SKEIN_NATS_SERVER: join(dir, "nats-server") })).rejects.toThrow(
    /^nats-server 2.12.3 or newer is not installed \(none found\)[^]*scripts\/install-engines[^]*brew install nats-server/,
  );
});

async function natsOfVersion(version: string): Promise<string> {
  const program = join(await newFolder(), "nats-server");
  await writeFile(program, `#!/bin/sh\necho nats-server: v${version}\n`);
  await chmod(program, 0o755);
  return program;
}

test.for(["2.9.10", "2.12.2", "1.15.0"])("nats-server %s is too old", async (version) => {
  const program = await natsOfVersion(version);

  await expect(findNats({ SKEIN_NATS_SERVER: program })).rejects.toThrow(`found: ${version} at ${program}`);
});

test.for(["2.12.3", "2.13.0", "3.0.0"])("nats-server %s is new enough", async (version) => {
  const program = await natsOfVersion(version);

  expect(await findNats({ SKEIN_NATS_SERVER: program })).toBe(program);
});
