/** The office of the relay: taken by one, given back whenever its node stops. */
import { sql } from "kysely";
import { expect, test } from "vitest";
import { startOwnServer } from "../../test/own-server.ts";
import { logNames } from "./stream.ts";
import { Relay } from "./relay.ts";

test("a relay that is stopped while it takes office does not stay in it", { timeout: 60_000 }, async () => {
  const { ctx } = await startOwnServer();
  const config = { ...ctx.config, logName: `${ctx.config.logName}_other` };
  const relay = new Relay({ ...ctx, config });

  relay.start();
  await relay.stop();

  expect(relay.isActive).toBe(false);
  const { slot } = logNames(config.logName);
  const held = sql`select from pg_replication_slots where slot_name = ${slot} and active`;
  await expect.poll(async () => (await held.execute(ctx.db)).rows).toEqual([]); // when PostgreSQL has noticed
});
