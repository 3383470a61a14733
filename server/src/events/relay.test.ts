/** The active relay: how it acquires and releases its slot, and what it does when it cannot publish. */
import { register } from "@skein/api/registration.ts";
import { sql } from "kysely";
import { pino } from "pino";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import type { Config } from "../config.ts";
import { startOwnServer, type OwnServer } from "../../test/own-server.ts";
import { newRealm } from "../../test/realm.ts";
import { logNames } from "./stream.ts";
import { Relay, type RelayDependencies } from "./relay.ts";

/** A relay for a separate log, whose slot does not exist yet. */
function newRelay(ctx: RelayDependencies, name: string, settings: Partial<Config> = {}) {
  const config = { ...ctx.config, ...settings, logName: `${ctx.config.logName}_${name}` };
  const { slot } = logNames(config.logName);
  const held = async () => {
    const slots = sql`select from pg_replication_slots where slot_name = ${slot} and active`;
    return (await slots.execute(ctx.db)).rows;
  };
  return { relay: new Relay({ ...ctx, config }), slot, held };
}

let server: OwnServer;
beforeAll(async () => {
  server = await startOwnServer();
});

test("a relay that is stopped before or while it acquires the slot does not keep it", async () => {
  const { db } = server.ctx;

  const atOnce = newRelay(server.ctx, "at_once");
  atOnce.relay.start();
  await atOnce.relay.stop();
  expect(atOnce.relay.isActive).toBe(false);
  await expect.poll(atOnce.held).toEqual([]); // once PostgreSQL has noticed

  // PostgreSQL creates no slot while a transaction with writes is open; stopping must not wait for that.
  const waiting = newRelay(server.ctx, "waiting");
  await db.transaction().execute(async (writing) => {
    await sql`select pg_current_xact_id()`.execute(writing);
    waiting.relay.start();
    await expect.poll(waiting.held).toHaveLength(1);
    await waiting.relay.stop();
  });
  expect(waiting.relay.isActive).toBe(false);
  const left = sql`select from pg_replication_slots where slot_name = ${waiting.slot}`;
  expect((await left.execute(db)).rows).toEqual([]);
});

test("when NATS has no room for the log, the relay logs once what to do", async () => {
  const lines: { level: string; msg: string }[] = [];
  const logger = pino(
    { level: "debug", formatters: { level: (level) => ({ level }) } },
    { write: (line: string) => lines.push(JSON.parse(line)) },
  );
  const { relay } = newRelay({ ...server.ctx, logger }, "large", { logMaxBytes: Number.MAX_SAFE_INTEGER });
  relay.start();
  await expect.poll(() => lines.length).toBeGreaterThan(2);
  await relay.stop();

  const [first, ...later] = lines.map(({ level, msg }) => [level, msg.includes("lower SKEIN_LOG_MAX_BYTES")]);
  expect(first).toEqual(["warn", true]);
  for (const line of later) expect(line).toEqual(["debug", true]);
});

test("an event that is too large for the log is skipped by a new epoch, and the log continues", async () => {
  const { db, config } = server.ctx;
  const epoch = async () => (await db.selectFrom("event_log").select("epoch").executeTakeFirstOrThrow()).epoch;
  const before = await epoch();
  // Nothing in the server writes such a part.
  await sql`select pg_logical_emit_message(true, 'skein', '0' || chr(10) || '{"r":0,"q":["' || repeat('x', 9000000) || '"]}')`.execute(
    db,
  );
  await expect.poll(epoch).toBeGreaterThan(before);
  await expect.poll(async () => (await fetch(`${server.url}/health/ready`)).status).toBe(200);
  const slots = sql`select from pg_replication_slots where slot_name = ${logNames(config.logName).slot} and active`;
  await expect.poll(async () => (await slots.execute(db)).rows).toHaveLength(1);
});

test("registration is refused while the database is on another timeline than the relay has recorded", async () => {
  const { db } = server.ctx;
  const { admin } = await newRealm([server]);
  const { timeline } = await db.selectFrom("event_log").select("timeline").executeTakeFirstOrThrow();
  const record = (recorded: number | null) => db.updateTable("event_log").set({ timeline: recorded }).execute();
  onTestFinished(() => record(timeline).then(() => undefined));

  await record(99);
  expect(await admin.call(register, { event_types: ["message"] })).toMatchObject({
    result: "error",
    msg: "The event log is not ready yet, try again",
  });
  await record(timeline);
  expect(await admin.call(register, { event_types: ["message"] })).toMatchObject({ result: "success" });
});
