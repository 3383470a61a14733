/**
 * Work that is done later, by the first worker that claims it. A job is stored by the transaction that causes it, so it
 * exists if and only if that transaction committed. A worker can die halfway, so a job may run more than once and must be
 * idempotent.
 */
import { sql, type RawBuilder } from "kysely";
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
  /** A crontab schedule (`23 * * * *`) for a recurring job; its payload is an empty object. */
  schedule?: string;
  /** Jobs in the same queue run one after another, however many workers there are. */
  queue?(payload: Payload): string;
  /** A method, so that a list may hold jobs with different payloads; each payload is parsed by its own schema first. */
  run(ctx: Context, payload: Payload, attempt: Attempt): Promise<void>;
}

/** A job's declaration without its implementation, for code that stores it and must not import the implementation. */
export type JobName<Payload> = Omit<Job<Payload>, "run" | "schedule">;

/** With 12 attempts the last one is about two days after the first. */
const defaultMaxAttempts = 12;

export const job = <Payload>(declared: Omit<Job<Payload>, "maxAttempts"> & { maxAttempts?: number }): Job<Payload> => ({
  maxAttempts: defaultMaxAttempts,
  ...declared,
});

interface EnqueueOptions {
  /** Not before this time. */
  runAt?: Date;
  /** Replaces a waiting job with the same key. */
  key?: string;
}

export async function enqueue<Payload>(
  tx: Tx,
  { name, maxAttempts, queue }: JobName<Payload>,
  payload: Payload,
  { runAt, key }: EnqueueOptions = {},
): Promise<void> {
  await sql`
    select graphile_worker.add_job(${name}, payload => ${JSON.stringify(payload)}::json,
      queue_name => ${queue?.(payload) ?? null}::text, run_at => ${runAt ?? null}::timestamptz,
      job_key => ${key ?? null}::text,
      max_attempts => ${maxAttempts}::integer)`.execute(tx);
}

/** Stores many jobs in one statement. */
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

/** Removes the job with this key if it has not started. */
export async function cancelJob(tx: Tx, key: string): Promise<void> {
  await sql`select graphile_worker.remove_job(${key})`.execute(tx);
}

/** Whether a job with this key is stored: waiting, running, or given up. */
export async function isStored(tx: Tx, key: string): Promise<boolean> {
  const { rows } = await sql`select from graphile_worker.jobs where key = ${key}`.execute(tx);
  return rows.length > 0;
}

/** Whether a job with this key is running or will run again. */
export const hasPendingJob = (key: RawBuilder<string>): RawBuilder<boolean> => sql`exists (
  select from graphile_worker.jobs j
  where j.key = ${key} and (j.attempts < j.max_attempts or j.locked_at is not null))`;
