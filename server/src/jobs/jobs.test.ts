import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { transaction } from "../platform/db/transaction.ts";
import { nodes } from "../../test/nodes.ts";
import { enqueue, job, cancelJob, type Job } from "./job.ts";
import { sendHeartbeat, releaseLostJobs } from "./lost-workers.ts";
import { Worker } from "./worker.ts";

/** A job with a unique name, two workers that run it, and the payloads they received. */
async function workers(options: { run?: Job<{ n: number }>["run"]; maxAttempts?: number } = {}) {
  const [{ ctx }] = await nodes();
  const done: number[] = [];
  const waiting: (() => void)[] = [];
  const numbers = job({
    name: `test-${randomUUID()}`,
    payload: z.object({ n: z.number() }),
    maxAttempts: options.maxAttempts ?? 3,
    async run(own, payload, attempt) {
      await options.run?.(own, payload, attempt);
      done.push(payload.n);
      for (const wake of waiting.splice(0)) wake();
    },
  });
  const both = [new Worker(ctx, [numbers]), new Worker(ctx, [numbers])];
  for (const worker of both) worker.start();
  onTestFinished(async () => {
    await Promise.all(both.map((worker) => worker.stop()));
  });
  const until = async (count: number) => {
    while (done.length < count) await new Promise<void>((wake) => waiting.push(wake));
    return done;
  };
  return { db: ctx.db, numbers, until };
}

test("each job runs once, whichever of two workers claims it", async () => {
  const { db, numbers, until } = await workers();
  await transaction(db, "test", async (tx) => {
    for (let n = 0; n < 50; n++) await enqueue(tx, numbers, { n });
  });
  const done = await until(50);
  expect(done.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, n) => n));
});

test("a job exists only if its cause committed", async () => {
  const { db, numbers, until } = await workers();
  const broken = transaction(db, "test", async (tx) => {
    await enqueue(tx, numbers, { n: 1 });
    throw new Error("changed my mind");
  });
  await expect(broken).rejects.toThrow("changed my mind");
  await transaction(db, "test", (tx) => enqueue(tx, numbers, { n: 2 }));
  expect(await until(1)).toEqual([2]);
});

test("a job that fails is retried", async () => {
  let failures = 0;
  const { db, numbers, until } = await workers({
    run: async () => {
      if (failures++ === 0) throw new Error("the first time");
    },
  });
  await transaction(db, "test", (tx) => enqueue(tx, numbers, { n: 7 }));
  expect(await until(1)).toEqual([7]);
});

test("a job with a key is replaced by the next one, and can be canceled", async () => {
  const { db, numbers, until } = await workers();
  const [first, second] = [randomUUID(), randomUUID()];
  const later = new Date(Date.now() + 3_600_000);
  await transaction(db, "test", async (tx) => {
    await enqueue(tx, numbers, { n: 1 }, { key: first, runAt: later });
    await enqueue(tx, numbers, { n: 2 }, { key: first });
    await enqueue(tx, numbers, { n: 3 }, { key: second });
    await cancelJob(tx, second);
  });
  expect(await until(1)).toEqual([2]);
  await transaction(db, "test", (tx) => enqueue(tx, numbers, { n: 4 }));
  expect(await until(2)).toEqual([2, 4]);
});

test("the jobs of a worker without heartbeats are released to others; a live worker keeps its jobs", async () => {
  const { db, numbers, until } = await workers();
  const key = randomUUID();
  const [dead, living] = [`dead-${key}`, `living-${key}`];
  const later = new Date(Date.now() + 3_600_000);
  await transaction(db, "test", async (tx) => {
    await enqueue(tx, numbers, { n: 1 }, { key, runAt: later });
    await enqueue(tx, numbers, { n: 2 }, { key: `${key}-2`, runAt: later });
    const hold = (holder: string, jobKey: string) =>
      sql`
      update graphile_worker._private_jobs set locked_by = ${holder}, run_at = now(),
        locked_at = now() - interval '1 minute' where key = ${jobKey}`.execute(tx);
    await hold(dead, key);
    await hold(living, `${key}-2`);
  });
  await sendHeartbeat(db, [living]);
  // The workers of other tests look for lost ones too, so who finds it is open.
  await releaseLostJobs(db);
  expect(await until(1)).toEqual([1]);
});

test("a long-running chore is not repeated for the intervals it missed", async () => {
  const [{ ctx }] = await nodes();
  let [slow, quick] = [0, 0];
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  const reached: (() => void)[] = [];
  const quickRuns = async (count: number) => {
    while (quick < count) await new Promise<void>((wake) => reached.push(wake));
  };
  const worker = new Worker(
    ctx,
    [],
    [
      { name: "the slow one", everyMilliseconds: 5, run: () => (slow++, isReleased) },
      {
        name: "the quick one",
        everyMilliseconds: 5,
        run: async () => {
          quick++;
          for (const wake of reached.splice(0)) wake();
        },
      },
    ],
  );
  worker.start();
  onTestFinished(() => worker.stop());

  await quickRuns(40);
  expect(slow).toBe(1);
  release();
  await quickRuns(quick + 5);

  expect(slow).toBeLessThan(20);
});
