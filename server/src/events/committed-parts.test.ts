import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import { startOwnServer } from "../../test/own-server.ts";
import { CommittedParts } from "./committed-parts.ts";

const limit = 1024 ** 2;
const partLength = 128 * 1024;

test("a large backlog is delivered completely and in order, in bounded memory", async () => {
  const { ctx } = await startOwnServer();
  const slot = `backlog_${randomBytes(4).toString("hex")}`;
  await sql`select pg_create_logical_replication_slot(${slot}, 'pgoutput')`.execute(ctx.db);
  const total = 80; // ten times the limit
  for (let n = 0; n < total; n++)
    await sql`select pg_logical_emit_message(true, 'skein', '0' || chr(10) || '{"r":0,"q":["' || ${n}::int || repeat('x', ${partLength}) || '"]}')`.execute(
      ctx.db,
    );

  const parts = new CommittedParts({ databaseUrl: ctx.config.databaseUrl, name: "test" }, { maxWaitingBytes: limit });
  onTestFinished(() => parts.close());
  await parts.start(slot);
  parts.skip({ lsn: 0n, parts: 0 }, 0n);
  await expect.poll(() => parts.waitingBytes).toBeGreaterThan(limit);
  await new Promise((resume) => setTimeout(resume, 300)); // time for it to read more, which it must not do

  expect(parts.waitingBytes).toBeLessThan(2 * limit);
  const numbers: number[] = [];
  while (numbers.length < total) {
    await parts.arrival(1000);
    expect(parts.waitingBytes).toBeLessThan(2 * limit);
    for (const { json } of parts.take(limit / 4)) {
      const text = Buffer.from(json).toString();
      if (!text.includes("xxx")) continue; // the relay records its progress in the same log
      numbers.push(Number(text.slice(text.indexOf("[") + 2, text.indexOf("x"))));
    }
  }
  expect(numbers).toEqual(Array.from({ length: total }, (_, n) => n));
});
