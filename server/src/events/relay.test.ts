/** The office of the relay: taken by one, given back whenever its node stops. */
import { sql } from "kysely";
import { pino } from "pino";
import { beforeAll, expect, test } from "vitest";
import type { Config } from "../config.ts";
import { startOwnServer, type OwnServer } from "../../test/own-server.ts";
import { logNames } from "./stream.ts";
import { Relay, type RelayDependencies } from "./relay.ts";

/** For a log that nobody else writes: its slot is still to be made. */
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

test("a relay that is stopped before or while it takes office does not stay in it", async () => {
  const { db } = server.ctx;

  const atOnce = newRelay(server.ctx, "at_once");
  atOnce.relay.start();
  await atOnce.relay.stop();
  expect(atOnce.relay.isActive).toBe(false);
  await expect.poll(atOnce.held).toEqual([]); // when PostgreSQL has noticed

  // A slot is not made while a transaction that has written is open; whoever stops does not wait for that.
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

test("a log for which NATS has no room is said with what to do, and not at every try", async () => {
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

test("an event that does not fit the log is passed over by a new epoch, and the log goes on", async () => {
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
