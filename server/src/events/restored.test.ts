/**
 * A database or a log is restored to an earlier state, or replaced. Each queue either continues and misses nothing, or
 * expires so that its client registers again. No message that does not exist is delivered, and no new one is withheld.
 */
import { join } from "node:path";
import { getMessage, sendMessage } from "@skein/api/messages.ts";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { ClientProgram } from "../../test/clients/wire.ts";
import { copySlot, makeStandby, promote, runPostgresProgram, writableFolder } from "../../test/clusters.ts";
import { engineFolder, Ledger, OwnEngines } from "../../test/own-engines.ts";
import { success, type TestUser } from "../../test/realm.ts";
import { connect, type Db } from "../platform/db/connect.ts";
import { freePort } from "../platform/engines/free-port.ts";
import { startPostgres, stopPostgres } from "../platform/engines/postgres.ts";
import { connectToLog, logNames } from "./stream.ts";

const slotName = "skein_relay";

async function openLedger() {
  const engines = await OwnEngines.start();
  const ledger = await Ledger.open(await engines.startNode());
  return { engines, ledger };
}

async function inDatabase<T>(url: string, work: (db: Db) => Promise<T>): Promise<T> {
  const db = connect({ url, connections: 1, name: "test" });
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}

test("after an older data directory was put back, queues expire and new messages are delivered", async () => {
  const { engines, ledger } = await openLedger();
  await ledger.send("kept");
  await engines.stopPostgres();
  await engines.keepCopy("postgres");
  await engines.startPostgres();
  const old = await ledger.follow();
  const lost = await ledger.send("lost 1", "lost 2", "lost 3");
  await ledger.verify(old);
  const epoch = await engines.epoch();

  await engines.stopPostgres();
  await engines.putBackCopy("postgres");
  await engines.startPostgres();

  await ledger.expectExpired(old);
  expect(await engines.epoch()).toBe(epoch + 1);
  ledger.forgetLost(...lost);
  const fresh = await ledger.follow();
  const [again] = await ledger.send("after the restore");
  expect(again).toBe(lost[0]);
  await ledger.verify(fresh);
});

test("after an older data directory is restored, ids that it assigns again do not reach their former conversations", async () => {
  const { engines, ledger } = await openLedger();
  const { admin, ctx } = ledger.realm;
  const [iago, zoe] = [await ledger.realm.user("Iago"), await ledger.realm.user("Zoe")];
  const write = async (to: TestUser, content: string) => {
    const { id } = success(await admin.call(sendMessage, { type: "direct", to: [to.id], content }));
    const { message } = success(await to.call(getMessage, { message_id: id, apply_markdown: false }));
    return message.content;
  };
  const conversations = ctx.db.selectFrom("conversations").select(["id", "direct_key"]).orderBy("id", "desc");
  const old = await ledger.follow();
  await engines.stopPostgres();
  await engines.keepCopy("postgres");
  await engines.startPostgres();
  await write(iago, "lost");
  await old.queue.nextOf("message");
  const lost = await conversations.executeTakeFirstOrThrow();

  await engines.stopPostgres();
  await engines.putBackCopy("postgres");
  await engines.startPostgres();
  await ledger.expectExpired(old);

  expect(await write(zoe, "for Zoe")).toBe("for Zoe");
  const reused = await conversations.executeTakeFirstOrThrow();
  expect(reused).toEqual({ id: lost.id, direct_key: expect.not.stringMatching(`^${lost.direct_key}$`) });
  expect(await write(iago, "for Iago")).toBe("for Iago");
});

test("rows of transactions that were lost before they reached the log are forgotten", async () => {
  const { engines, ledger } = await openLedger();
  const { admin } = ledger.realm;
  const sendFrom = async (client: string) => {
    const program = new ClientProgram(admin, `${client}/1.0`);
    const form = { type: "direct", to: `[${admin.id}]`, content: "hello" };
    const { id } = await program.answer(program.post("/messages", form));
    return success(await admin.call(getMessage, { message_id: Number(id) })).message.client;
  };
  const epoch = await engines.epoch();
  await engines.stopPostgres();
  await engines.keepCopy("postgres");
  await engines.stopNats();
  await engines.startPostgres();
  expect(await sendFrom("Lost")).toBe("Lost");

  await engines.stopPostgres();
  await engines.putBackCopy("postgres");
  await engines.startPostgres();
  await engines.startNats();

  expect(await sendFrom("Other")).toBe("Other");
  expect(await sendFrom("Lost")).toBe("Lost");
  const queue = await ledger.follow();
  await ledger.send("after the restore");
  await ledger.verify(queue);
  expect(await engines.epoch()).toBe(epoch);
});

test("a restored database is detected even if its write-ahead log has passed the stream's position", async () => {
  const { engines, ledger } = await openLedger();
  await ledger.send("kept");
  await engines.stopNode();
  await engines.stopPostgres();
  await engines.keepCopy("postgres");
  await engines.startPostgres();
  ledger.on(await engines.startNode());
  const old = await ledger.follow();
  const lost = await ledger.send("lost");
  await ledger.verify(old);
  const epoch = await engines.epoch();
  await engines.stopNode();
  await engines.stopPostgres();

  await engines.putBackCopy("postgres");
  await engines.startPostgres();
  await inDatabase(engines.postgresUrl, async (db) => {
    for (let segments = 0; segments < 3; segments++)
      await sql`select pg_logical_emit_message(true, 'other', 'x'), pg_switch_wal()`.execute(db);
  });
  ledger.on(await engines.startNode());

  await expect.poll(() => engines.epoch()).toBe(epoch + 1);
  await ledger.expectExpired(old);
  ledger.forgetLost(...lost);
  const fresh = await ledger.follow();
  await ledger.send("after the restore");
  await ledger.verify(fresh);
});

test("a dump restored into a new cluster begins a new epoch, even if a slot of the same name exists", async () => {
  const { engines, ledger } = await openLedger();
  await ledger.send("kept");
  const dump = join(writableFolder(engines.dir), "dump");
  await runPostgresProgram("pg_dump", ["--format=custom", `--file=${dump}`, engines.postgresUrl]);
  const old = await ledger.follow();
  const lost = await ledger.send("lost");
  await ledger.verify(old);
  const epoch = await engines.epoch();

  const other = await engineFolder();
  const { url } = await startPostgres(other, { port: await freePort(), fsync: false });
  await runPostgresProgram("pg_restore", ["--exit-on-error", `--dbname=${url}`, dump]);
  await inDatabase(url, (db) => sql`select pg_create_logical_replication_slot(${slotName}, 'pgoutput')`.execute(db));
  await stopPostgres(other);
  await engines.stopPostgres();
  await engines.startPostgres(other);

  await ledger.expectExpired(old);
  expect(await engines.epoch()).toBe(epoch + 1);
  ledger.forgetLost(...lost);
  const fresh = await ledger.follow();
  await ledger.send("after the restore");
  await ledger.verify(fresh);
});

/** A standby that streams from the engines' PostgreSQL. */
async function startStandby(engines: OwnEngines) {
  const dir = await engineFolder();
  await makeStandby(engines, dir);
  const port = await freePort();
  const { url } = await startPostgres(dir, { port, fsync: false });
  const { db } = engines.node.ctx;
  /** Whether the slot no longer needs write-ahead log from before the standby. */
  const isSlotYoung = async () => {
    await sql`checkpoint`.execute(db);
    const { rows } = await sql<{ young: boolean }>`
      select restart_lsn > ${startedAt}::pg_lsn as young from pg_replication_slots where slot_name = ${slotName}`.execute(
      db,
    );
    return rows[0]?.young;
  };
  const startedAt = await inDatabase(url, async (standby) => {
    const { rows } = await sql<{ lsn: string }>`select pg_last_wal_replay_lsn()::text as lsn`.execute(standby);
    return rows[0]?.lsn;
  });
  await expect.poll(isSlotYoung, { interval: 500 }).toBe(true);
  const hasAll = async () => {
    const { rows } = await sql<{ all: boolean }>`
      select coalesce(bool_and(replay_lsn >= pg_current_wal_lsn()), false) as all from pg_stat_replication
      where application_name = 'walreceiver'`.execute(db);
    return rows[0]?.all;
  };
  const untilCaughtUp = async () => {
    await expect.poll(hasAll).toBe(true);
  };
  return { dir, untilCaughtUp, stop: () => stopPostgres(dir) };
}

/** Promotes the standby, with a copy of the primary's slot as replication managers make it. */
async function failOver(engines: OwnEngines, standbyDir: string): Promise<void> {
  await copySlot(slotName, engines.dir, standbyDir);
  await engines.startPostgres(standbyDir);
  await promote(standbyDir);
}

test("after a failover to a standby that has everything, the log and all queues continue", async () => {
  const { engines, ledger } = await openLedger();
  const standby = await startStandby(engines);
  const queue = await ledger.follow();
  await ledger.send("before");
  const epoch = await engines.epoch();

  await engines.stopPostgres(); // a clean stop sends everything to the standby
  await standby.stop();
  await failOver(engines, standby.dir);

  const isWritable = async () => ledger.send("after").catch(() => undefined);
  await expect.poll(isWritable).toBeDefined();
  await ledger.verify(queue);
  expect(await engines.epoch()).toBe(epoch);
  const { rows } = await sql<{ timeline: number }>`select timeline from event_log`.execute(engines.node.ctx.db);
  expect(rows).toEqual([{ timeline: 2 }]);
});

test("a failover to a standby that lags behind begins a new epoch, even with a copy of the slot", async () => {
  const { engines, ledger } = await openLedger();
  const standby = await startStandby(engines);
  const old = await ledger.follow();
  await ledger.send("before");
  await standby.untilCaughtUp();
  await standby.stop();
  const lost = await ledger.send("lost 1", "lost 2");
  await ledger.verify(old);
  const epoch = await engines.epoch();

  await engines.stopPostgres();
  await failOver(engines, standby.dir);

  await ledger.expectExpired(old);
  expect(await engines.epoch()).toBe(epoch + 1);
  ledger.forgetLost(...lost);
  const fresh = await ledger.follow();
  await ledger.send("after");
  await ledger.verify(fresh);
});

test("a copied slot that is ahead of the log begins a new epoch", async () => {
  const { engines, ledger } = await openLedger();
  const old = await ledger.follow();
  await ledger.send("before");
  await ledger.verify(old);
  const epoch = await engines.epoch();
  await engines.stopNode();

  await inDatabase(engines.postgresUrl, async (db) => {
    await sql`select pg_logical_emit_message(true, 'skein', '0' || chr(10) || '{"r":0}')`.execute(db);
    await sql`select pg_create_logical_replication_slot('later', 'pgoutput')`.execute(db);
    await expect
      .poll(() => sql`select pg_drop_replication_slot(${slotName})`.execute(db).catch(() => undefined))
      .toBeDefined();
    await sql`select pg_copy_logical_replication_slot('later', ${slotName})`.execute(db);
    await sql`select pg_drop_replication_slot('later')`.execute(db);
  });
  ledger.on(await engines.startNode());

  await expect.poll(() => engines.epoch()).toBe(epoch + 1);
  await ledger.expectExpired(old);
  const fresh = await ledger.follow();
  await ledger.send("after");
  await ledger.verify(fresh);
});

test("a NATS server restored to an earlier state or epoch of the log is detected", async () => {
  const { engines, ledger } = await openLedger();
  await ledger.send("before");
  await engines.stopNats();
  await engines.keepCopy("nats");
  await engines.startNats();
  const old = await ledger.follow();
  await ledger.send("one", "two");
  await ledger.verify(old);
  const epoch = await engines.epoch();

  await engines.stopNats();
  await engines.putBackCopy("nats");
  await engines.startNats();

  await expect.poll(() => engines.epoch()).toBe(epoch + 1);
  await ledger.expectExpired(old);
  const second = await ledger.follow();
  await ledger.send("three");
  await ledger.verify(second);

  await engines.stopNats();
  await engines.putBackCopy("nats");
  await engines.startNats();

  await expect.poll(() => engines.epoch()).toBe(epoch + 2);
  await ledger.expectExpired(second);
  const third = await ledger.follow();
  await ledger.send("four");
  await ledger.verify(third);
});

test("the log of the previous release is adopted, and its queues continue", async () => {
  const { engines, ledger } = await openLedger();
  const queue = await ledger.follow();
  await ledger.send("before");
  const { config, db } = engines.node.ctx;
  const epoch = await engines.epoch();
  const names = logNames(config.logName);
  const { manager, nats } = await connectToLog(config, { name: "test", reconnect: true });
  await manager.streams.update(names.stream, { metadata: { epoch: String(epoch) } });
  await expect.poll(() => engines.node.ctx.events.generation).toBeUndefined(); // before the relay chooses another one
  await sql`update event_log set generation = null, system_identifier = null, timeline = null, confirmed_lsn = null,
    confirmed_lsn_sequence = null`.execute(db);

  const generation = async () => (await manager.streams.info(names.stream)).config.metadata?.["generation"];
  await expect.poll(generation).toBeDefined(); // the relay notices that its row has changed, and sets up the log again
  await ledger.send("after");

  await ledger.verify(queue);
  expect(await engines.epoch()).toBe(epoch);
  const row = await db.selectFrom("event_log").selectAll().executeTakeFirstOrThrow();
  expect(row).toMatchObject({ generation: await generation(), timeline: 1, system_identifier: expect.any(String) });
  await nats.close();
});

test("entries of another generation are skipped", async () => {
  const { engines, ledger } = await openLedger();
  const queue = await ledger.follow();
  const { config, metrics } = engines.node.ctx;
  const names = logNames(config.logName);
  const { client, nats } = await connectToLog(config, { name: "test", reconnect: true });
  const event = { type: "message", flags: [], message: { id: 1, content: "of another log" } };
  const part = JSON.stringify({ r: ledger.realm.id, e: [[{ everyone: true }, event]] });
  const head = JSON.stringify({ epoch: await engines.epoch(), generation: "another", events: [1] });

  await client.publish(names.transient, `${head}\n${part}`);
  await ledger.send("of this log");

  await ledger.verify(queue);
  expect((await metrics.logRefused.get()).values[0]?.value).toBe(1);
  await nats.close();
});
