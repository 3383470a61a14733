/**
 * Work that is done later, by whichever worker takes it first. A job is stored by the transaction that causes it: it
 * exists if and only if its cause committed. A worker can die half-way, so a job may run more than once, and each is
 * written so that this does no harm.
 */
import { sql } from "kysely";
import type { z } from "zod";
import type { Context } from "../context.ts";
import type { Tx } from "../platform/db/transaction.ts";

export interface Attempt {
  /** From 1. */
  attempt: number;
  maxAttempts: number;
}

export interface Job<Payload = unknown> {
  name: string;
  payload: z.ZodType<Payload>;
  maxAttempts: number;
  /** When it is to be done by itself, as in a crontab (`23 * * * *`); its payload is then an empty object. */
  schedule?: string;
  /** Jobs whose queue has the same name are done one after another, however many workers there are. */
  queue?(payload: Payload): string;
  /** A method, so that a list may hold jobs of different payloads; each payload is read by its own schema first. */
  run(ctx: Context, payload: Payload, attempt: Attempt): Promise<void>;
}

/** All of a job but its doing; for who has to store it and must not know how it is done. */
export type JobName<Payload> = Omit<Job<Payload>, "run" | "schedule">;

/** With 12 attempts the last comes about two days after the first. */
const usualAttempts = 12;

export const job = <Payload>(declared: Omit<Job<Payload>, "maxAttempts"> & { maxAttempts?: number }): Job<Payload> => ({
  maxAttempts: usualAttempts,
  ...declared,
});

interface When {
  /** Not before this time. */
  runAt?: Date;
  /** A job that waits under the same key is replaced by this one. */
  key?: string;
}

export async function enqueue<Payload>(
  tx: Tx,
  { name, maxAttempts, queue }: JobName<Payload>,
  payload: Payload,
  { runAt, key }: When = {},
): Promise<void> {
  await sql`
    select graphile_worker.add_job(${name}, payload => ${JSON.stringify(payload)}::json,
      queue_name => ${queue?.(payload) ?? null}::text, run_at => ${runAt ?? null}::timestamptz,
      job_key => ${key ?? null}::text,
      max_attempts => ${maxAttempts}::integer)`.execute(tx);
}

/** Many at once, in one statement. */
export async function enqueueAll<Payload>(
  tx: Tx,
  { name, maxAttempts, queue }: JobName<Payload>,
  payloads: readonly Payload[],
): Promise<void> {
  if (payloads.length === 0) return;
  const items = payloads.map((payload) => ({ payload, queue: queue?.(payload) ?? null }));
  await sql`
    select graphile_worker.add_job(${name}, payload => item->'payload', queue_name => item->>'queue',
      max_attempts => ${maxAttempts}::integer)
    from json_array_elements(${JSON.stringify(items)}::json) as item`.execute(tx);
}

/** Takes back the job that waits under this key, if it has not begun. */
export async function withdraw(tx: Tx, key: string): Promise<void> {
  await sql`select graphile_worker.remove_job(${key})`.execute(tx);
}
