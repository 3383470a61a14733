import { sql } from "kysely";
import { expect, test } from "vitest";
import { CommandLine } from "../../../test/command-line.ts";
import { Ledger, OwnEngines } from "../../../test/own-engines.ts";
import { readLogStatus, type LogStatus } from "../../events/log-status.ts";

test("the log's state is shown with what is wrong; after a new epoch or a lost slot clients register again and miss nothing", async () => {
  const engines = await OwnEngines.start();
  const ledger = await Ledger.open(await engines.startNode());
  const first = await ledger.follow();
  await ledger.send("before");
  await ledger.verify(first);
  const { ctx } = engines.node;
  const commandLine = new CommandLine({ SKEIN_DATABASE_URL: engines.postgresUrl, SKEIN_NATS_URL: engines.natsUrl });

  const healthy = (await commandLine.json("log", "status")) as LogStatus;
  expect(healthy).toMatchObject({
    database: { epoch: 1, generation: expect.any(String), timeline: 1, is_standby: false },
    stream: { epoch: 1, generation: healthy.database.generation, replicas: 1, first: { sequence: 1 } },
    slot: { name: "skein_relay", wal_status: "reserved", safe_bytes: expect.any(Number) },
    relay: { name: expect.stringMatching(/ relay$/) },
    lag: { bytes: expect.any(Number) },
    queues: 1,
    problems: [],
  });
  expect(healthy.lag.seconds).toBeLessThan(5);

  // A new epoch needs to be confirmed.
  const unconfirmed = await commandLine.run(["log", "new-epoch"]);
  expect(unconfirmed).toMatchObject({ status: 1, stdout: "" });
  expect(unconfirmed.stderr).toMatch(/^A new epoch .* would begin\. 1 event queues expire\.[^]*add --yes\.$/m);
  expect(await engines.epoch()).toBe(1);

  expect(await commandLine.json("log", "new-epoch", "--yes")).toEqual({
    epoch: 2,
    epoch_before: 1,
    queues_expired: 1,
    is_publishing: true,
  });
  await ledger.expectExpired(first);
  const second = await ledger.follow();
  await ledger.send("in the second epoch");
  await ledger.verify(second);
  expect(await engines.epoch()).toBe(2);

  // While NATS is down, PostgreSQL discards what the relay has not read.
  await engines.stopNats();
  expect((await readLogStatus(ctx)).problems[0]).toMatchObject({
    problem: expect.stringMatching(/^NATS does not respond/),
    remedy: expect.stringMatching(/^Start nats-server/),
  });
  await sql`alter system set max_slot_wal_keep_size = '1MB'`.execute(ctx.db);
  await sql`select pg_reload_conf()`.execute(ctx.db);
  await ledger.send("unpublished");
  const walStatus = async () => {
    await sql`select pg_logical_emit_message(true, 'other', 'x'), pg_switch_wal()`.execute(ctx.db);
    await sql`checkpoint`.execute(ctx.db);
    return (await readLogStatus(ctx)).slot?.wal_status;
  };
  await expect.poll(walStatus).toBe("lost");
  const lost = await commandLine.run(["log", "status"]);
  expect(lost.status).toBe(1);
  expect(lost.stdout).toMatch(/^ {2}epoch +2, generation/m);
  expect(lost.stdout).toMatch(
    /^- The replication slot is lost: .*max_slot_wal_keep_size \(1MB\).*\n {2}Start a relay\./m,
  );
  await engines.startNats();

  await expect.poll(() => engines.epoch()).toBe(3);
  await ledger.expectExpired(second);
  const third = await ledger.follow();
  await ledger.send("in the third epoch");
  await ledger.verify(third);
  const { values } = await ctx.metrics.newEpochs.get();
  expect(values).toMatchObject([{ value: 1, labels: { cause: "slot lost" } }]);

  await engines.stopNode();
  const withoutRelay = await commandLine.run(["log", "status"]);
  expect(withoutRelay.stdout).toMatch(/^- No relay holds the replication slot\.\n {2}Start a process/m);
});
