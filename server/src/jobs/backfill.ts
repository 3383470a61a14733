/** Runs backfills (platform/db/backfills.ts) as jobs: a few seconds of small batches each, with pauses in between. */
import { setTimeout as wait } from "node:timers/promises";
import { sql } from "kysely";
import { z } from "zod";
import { listUnfinished, noteProblem, runBatch } from "../platform/db/backfills.ts";
import { transaction } from "../platform/db/transaction.ts";
import type { Chore } from "./chore.ts";
import { enqueue, hasPendingJob, job } from "./job.ts";

const lookMilliseconds = 5000;
/** A worker that is told to stop waits for its jobs, so they are short. */
const jobMilliseconds = 5000;
/** A batch locks its rows; requests that change them wait. */
const batchMilliseconds = 100;
const [minRows, maxRows] = [50, 10_000];
const keyOf = (name: string): string => `backfill-${name}`;

export const backfill = job({
  name: "backfill",
  payload: z.object({ name: z.string() }),
  /** One after the other, so that two upgrades' worth of work does not load the database at once. */
  queue: () => "backfills",
  run: async ({ db, logger }, { name }) => {
    const until = performance.now() + jobMilliseconds;
    let rows = 500;
    try {
      for (;;) {
        const begun = performance.now();
        const outcome = await transaction(db, "backfill", (tx) => runBatch(tx, name, rows));
        if (outcome === "finished") logger.info({ backfill: name }, "a backfill is complete");
        if (outcome !== "more") return;
        const took = performance.now() - begun;
        rows = Math.round(Math.min(maxRows, Math.max(minRows, (rows * batchMilliseconds) / Math.max(took, 10))));
        if (performance.now() > until) break;
        // At most half of the time.
        await wait(took);
      }
    } catch (error) {
      await transaction(db, "backfill problem", (tx) => noteProblem(tx, name, (error as Error).message));
      throw error;
    }
    await transaction(db, "continue a backfill", (tx) => enqueue(tx, backfill, { name }, { key: keyOf(name) }));
  },
});

/** Enqueues backfills that migrations have stored, and those whose job was lost or given up. */
export const startBackfills: Chore = {
  name: "looking for backfills",
  everyMilliseconds: lookMilliseconds,
  run: async ({ db }) => {
    await transaction(db, "look for backfills", async (tx) => {
      for (const name of await listUnfinished(tx)) {
        const { rows } = await sql<{ pending: boolean }>`
          select ${hasPendingJob(sql`${keyOf(name)}`)} as pending`.execute(tx);
        if (!rows[0]?.pending) await enqueue(tx, backfill, { name }, { key: keyOf(name) });
      }
    });
  },
};
