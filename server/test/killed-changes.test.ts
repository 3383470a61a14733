/** A short run of `npm run faults -- --audit`: the api process is killed at random moments of administrative changes. */
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { Administrators, judgeLedger } from "../../faults/audit-ledger.ts";
import { Random } from "../../faults/random.ts";
import { startOwnServer } from "./own-server.ts";
import { newRealm } from "./realm.ts";
import { startProcess } from "./server-process.ts";

const kills = 3;

test("a change and its entry survive kill -9 together, or neither does", { timeout: 120_000 }, async () => {
  const server = await startOwnServer();
  const { admin, ctx, id } = await newRealm([server]);
  const people = [await admin.realm.user("hamlet"), await admin.realm.user("ophelia")].map((user) => user.id);
  const seed = Date.now() % 1_000_000;
  const random = new Random(seed);
  const acknowledged: Administrators["acknowledged"] = [];
  let unknown = 0;

  for (let kill = 0; kill < kills; kill++) {
    const { child, url, ended } = await startProcess(server);
    const client = admin.realm.client({ ...server, url }, admin);
    const administrators = new Administrators({ clients: [client], people }, random.fork(), {
      atOnce: 6,
      prefix: `k${kill}-`,
    });
    administrators.start();
    await expect.poll(() => new Set(administrators.acknowledged.map(({ kind: each }) => each)).size).toBe(4);
    await delay(random.between(0, 150));
    child.kill("SIGKILL");
    await ended;
    await administrators.stop();
    acknowledged.push(...administrators.acknowledged);
    unknown += administrators.unknown;
  }

  const { problems, entries } = await judgeLedger(ctx.db, id, acknowledged);
  expect(problems, `seed ${seed}`).toEqual([]);
  expect(unknown).toBeGreaterThan(0);
  expect(entries).toBeGreaterThan(3 * kills);

  // The comparison notices a change without its entry, and an entry without its change.
  await ctx.db.updateTable("realms").set({ description: "by hand" }).where("id", "=", id).execute();
  await ctx.db.deleteFrom("realm_domains").where("realm_id", "=", id).execute();
  const rules = new Set((await judgeLedger(ctx.db, id, acknowledged)).problems.map(({ about }) => about));
  expect(rules).toEqual(new Set(["realm.update", "realm_domain.create"]));
});
