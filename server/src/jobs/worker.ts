/** Runs jobs and chores. Any number of workers may run; each claims jobs that no other has claimed. */
import { EventEmitter } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { Logger, parseCronItems, run, type CronItem, type Runner, type Task, type WorkerEvents } from "graphile-worker";
import type { Context } from "../context.ts";
import type { Chore } from "./chore.ts";
import type { Job } from "./job.ts";
import { forgetWorkers, sendHeartbeat, heartbeatSeconds, releaseLostJobs } from "./lost-workers.ts";

const lostWorkersMilliseconds = 10_000;
/** Workers are notified of new jobs; polling finds jobs whose notification was missed and scheduled jobs that are due. */
const pollMilliseconds = 1000;

export class Worker {
  readonly #ctx: Context;
  readonly #jobs: Job[];
  readonly #recurring: Chore[];
  readonly #ids = new Set<string>();
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();
  /** Whether jobs are being claimed. */
  isRunning = false;
  /** Chores that are running, by name: a heartbeat must not wait for a long chore. */
  readonly #recurringNow = new Map<string, Promise<void>>();

  constructor(ctx: Context, jobs: Job[], recurring: Chore[] = []) {
    this.#ctx = ctx;
    this.#jobs = jobs;
    this.#recurring = recurring;
  }

  start(): void {
    this.#running = this.#work();
    this.#every(heartbeatSeconds * 1000, "sending a heartbeat", () => this.#sendHeartbeat());
    this.#every(lostWorkersMilliseconds, "looking for lost workers", () => this.#releaseLostJobs());
    for (const { name, everyMilliseconds, run: work } of this.#recurring)
      this.#every(everyMilliseconds, name, () => work(this.#ctx));
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const timer of this.#timers.splice(0)) clearInterval(timer);
    await this.#running;
    await Promise.all(this.#recurringNow.values());
  }

  /** The job queue gives up when the database is down for long; then it is restarted. */
  async #work(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        const runner = await this.#begin();
        this.isRunning = true;
        const stopped = new Promise<void>((resolve) => {
          const stop = () => void inTime(runner.stop(), this.#ctx.config.shutdownSeconds * 1000).then(resolve);
          signal.addEventListener("abort", stop, { once: true });
          if (signal.aborted) stop();
        });
        await Promise.race([runner.promise, stopped]);
      } catch (error) {
        this.#ctx.logger.warn({ err: error }, "the job queue stopped; restarting it");
        this.isRunning = false;
        await wait(pollMilliseconds, undefined, { signal }).catch(() => undefined);
      }
    }
    if (this.#ids.size > 0) await this.#signOff([...this.#ids]);
  }

  /** An unavailable database does not keep the process from stopping: others notice the missing heartbeats. */
  async #signOff(ids: string[]): Promise<void> {
    try {
      await forgetWorkers(this.#ctx.db, ids);
    } catch (error) {
      this.#ctx.logger.warn({ err: error }, "this worker could not sign off; others will take over its jobs shortly");
    }
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
        // A failed job is logged below, with its error.
        const severity = message.startsWith("Failed task") ? "debug" : (levels[level] ?? "debug");
        logger[severity]({ source: "jobs" }, message);
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
          isLast ? "a job failed and is given up" : "a job failed; it will be retried",
        );
        throw error;
      }
    };
  }

  #every(milliseconds: number, name: string, work: () => Promise<void>): void {
    const attempt = async () => {
      const end = this.#ctx.metrics.chores.startTimer({ name });
      try {
        await work();
        end({ outcome: "done" });
      } catch (error) {
        end({ outcome: "failed" });
        this.#ctx.logger.warn({ err: error }, `${name} failed; will retry`);
      }
    };
    this.#timers.push(
      setInterval(() => {
        // Runs that come due while an earlier one is still running are skipped.
        if (this.#recurringNow.has(name)) return;
        const running = attempt().finally(() => this.#recurringNow.delete(name));
        this.#recurringNow.set(name, running);
      }, milliseconds),
    );
  }

  async #sendHeartbeat(): Promise<void> {
    if (this.#ids.size > 0) await sendHeartbeat(this.#ctx.db, [...this.#ids]);
  }

  async #releaseLostJobs(): Promise<void> {
    const { db, logger } = this.#ctx;
    const lost = await releaseLostJobs(db);
    if (lost > 0) logger.warn({ workers: lost }, "workers stopped responding; their jobs were released to others");
  }
}

/** Does not wait for a job that takes too long: once its worker is gone, another worker runs it again. */
const inTime = (stopping: Promise<void>, milliseconds: number): Promise<void> =>
  Promise.race([stopping.catch(() => undefined), wait(milliseconds, undefined, { ref: false })]);

/** The workers coordinate who stores a recurring job, and a late run replaces the next one. */
function scheduled(declared: Job): CronItem[] {
  const { name, schedule, maxAttempts } = declared;
  if (schedule === undefined) return [];
  const queueName = declared.queue?.({});
  const options = { jobKey: name, maxAttempts, ...(queueName === undefined ? {} : { queueName }) };
  return [{ task: name, match: schedule, identifier: name, options }];
}

/** The job queue logs a lot; its info is our debug. */
const levels: Record<string, "error" | "warn" | "debug"> = {
  error: "error",
  warning: "warn",
  info: "debug",
  debug: "debug",
};
