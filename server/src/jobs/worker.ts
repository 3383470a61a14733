/** Work that no request waits for. Any number of workers may run; each task takes what no other has taken. */
import { EventEmitter } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { Logger, parseCronItems, run, type CronItem, type Runner, type Task, type WorkerEvents } from "graphile-worker";
import { sql } from "kysely";
import type { Context } from "../context.ts";
import { removeExpiredQueues } from "../events/queue-store.ts";
import type { Chore } from "./chore.ts";
import type { Job } from "./job.ts";
import { forgetWorkers, giveSignOfLife, signOfLifeSeconds, takeFromLostWorkers } from "./lost-workers.ts";

const cleanUpMilliseconds = 10_000;
/** Jobs are announced; this finds those whose announcement was missed, and those put off that have become due. */
const pollMilliseconds = 1000;
const stopMilliseconds = 10_000;

export class Worker {
  readonly #ctx: Context;
  readonly #jobs: Job[];
  readonly #recurring: Chore[];
  readonly #ids = new Set<string>();
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();
  /** What recurs, each in a line of its own: a sign of life must not wait for a long piece of work. */
  readonly #lines = new Map<string, Promise<void>>();

  constructor(ctx: Context, jobs: Job[], recurring: Chore[] = []) {
    this.#ctx = ctx;
    this.#jobs = jobs;
    this.#recurring = recurring;
  }

  start(): void {
    this.#running = this.#work();
    this.#every(signOfLifeSeconds * 1000, "giving a sign of life", () => this.#signOfLife());
    this.#every(cleanUpMilliseconds, "cleaning up", () => this.#cleanUp());
    for (const { name, everyMilliseconds, run: work } of this.#recurring)
      this.#every(everyMilliseconds, name, () => work(this.#ctx));
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const timer of this.#timers.splice(0)) clearInterval(timer);
    await this.#running;
    await Promise.all(this.#lines.values());
  }

  /** The job queue gives up when the database is away for long; then it is begun anew. */
  async #work(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        const runner = await this.#begin();
        const stopped = new Promise<void>((resolve) => {
          const stop = () => void inTime(runner.stop()).then(resolve);
          signal.addEventListener("abort", stop, { once: true });
          if (signal.aborted) stop();
        });
        await Promise.race([runner.promise, stopped]);
      } catch (error) {
        this.#ctx.logger.warn({ err: error }, "the job queue stopped; beginning anew");
        await wait(pollMilliseconds, undefined, { signal }).catch(() => undefined);
      }
    }
    if (this.#ids.size > 0) await forgetWorkers(this.#ctx.db, [...this.#ids]);
  }

  #begin(): Promise<Runner> {
    const { config, logger } = this.#ctx;
    const events: WorkerEvents = new EventEmitter();
    events.on("worker:create", ({ worker }) => this.#ids.add(worker.workerId));
    events.on("worker:stop", ({ worker }) => this.#ids.delete(worker.workerId));
    return run({
      connectionString: config.databaseUrl,
      concurrency: config.jobConcurrency,
      maxPoolSize: config.jobConcurrency + 2,
      pollInterval: pollMilliseconds,
      noHandleSignals: true,
      events,
      logger: new Logger(() => (level, message) => {
        // A failed job is told of below, with its error.
        const severity = message.startsWith("Failed task") ? "debug" : (levels[level] ?? "debug");
        logger[severity]({ from: "jobs" }, message);
      }),
      taskList: Object.fromEntries(this.#jobs.map((declared) => [declared.name, this.#task(declared)])),
      parsedCronItems: parseCronItems(this.#jobs.flatMap(scheduled)),
    });
  }

  #task(declared: Job): Task {
    const { name } = declared;
    return async (payload, { job: { attempts, max_attempts } }) => {
      const end = this.#ctx.metrics.jobs.startTimer({ name });
      try {
        const given = declared.payload.parse(payload);
        await declared.run(this.#ctx, given, { attempt: attempts, maxAttempts: max_attempts });
        end({ outcome: "done" });
      } catch (error) {
        const isLast = attempts >= max_attempts;
        end({ outcome: isLast ? "given up" : "failed" });
        this.#ctx.logger[isLast ? "error" : "warn"](
          { err: error, job: name, attempt: attempts, of: max_attempts },
          isLast ? "a job failed for the last time" : "a job failed; it will be tried again",
        );
        throw error;
      }
    };
  }

  #every(milliseconds: number, name: string, work: () => Promise<void>): void {
    const attempt = async () => {
      try {
        await work();
      } catch (error) {
        this.#ctx.logger.warn({ err: error }, `${name} failed; trying again later`);
      }
    };
    this.#timers.push(
      setInterval(() => {
        this.#lines.set(name, (this.#lines.get(name) ?? Promise.resolve()).then(attempt));
      }, milliseconds),
    );
  }

  async #signOfLife(): Promise<void> {
    if (this.#ids.size > 0) await giveSignOfLife(this.#ctx.db, [...this.#ids]);
  }

  async #cleanUp(): Promise<void> {
    const { db, logger } = this.#ctx;
    const removed = await removeExpiredQueues(db);
    if (removed > 0) logger.debug({ removed }, "removed expired event queues");
    await sql`delete from login_failures where at < now() - interval '1 day'`.execute(db);
    // Whoever opens a link that is long over is told that it is not known.
    await sql`delete from confirmations where expires_at < now() - interval '60 days'`.execute(db);
    await sql`delete from browser_sessions where expires_at < now() - interval '1 day'`.execute(db);
    const lost = await takeFromLostWorkers(db);
    if (lost > 0) logger.warn({ workers: lost }, "workers fell silent; their jobs are done by others");
  }
}

/** A job that does not end is not waited for: when its worker is gone, another does it again. */
const inTime = (stopping: Promise<void>): Promise<void> =>
  Promise.race([stopping.catch(() => undefined), wait(stopMilliseconds, undefined, { ref: false })]);

/** The workers agree on who stores a recurring job, and a run that is late takes the place of the next. */
function scheduled(declared: Job): CronItem[] {
  const { name, schedule, maxAttempts } = declared;
  if (schedule === undefined) return [];
  const queueName = declared.queue?.({});
  const options = { jobKey: name, maxAttempts, ...(queueName === undefined ? {} : { queueName }) };
  return [{ task: name, match: schedule, identifier: name, options }];
}

/** The job queue is talkative; its own information is our debugging. */
const levels: Record<string, "error" | "warn" | "debug"> = {
  error: "error",
  warning: "warn",
  info: "debug",
  debug: "debug",
};
