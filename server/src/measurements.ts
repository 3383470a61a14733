/**
 * What /metrics measures when it is requested. What concerns the whole server, such as waiting jobs, is measured by relays
 * and workers only: there are few of them, and every api node would report the same.
 */
import { sql } from "kysely";
import type { Gauge } from "prom-client";
import type { Context } from "./context.ts";
import { lifeSecondsSql } from "./events/queue-store.ts";
import { readSlot } from "./events/slot.ts";
import { logNames } from "./events/stream.ts";
import type { Health } from "./http/health.ts";
import { poolStates, type Db, type PoolName } from "./platform/db/connect.ts";

/** Whoever scrapes more often gets the same values of the whole server again. */
const validMilliseconds = 5000;

export class Measurements {
  readonly #ctx: Context;
  readonly #health: Health;
  readonly #jobsDb: Db | undefined;
  readonly #jobNames: string[];
  #measuredAt = -Infinity;
  #measuring: Promise<void> | undefined;

  constructor(ctx: Context, health: Health, jobs: { db: Db | undefined; names: string[] }) {
    this.#ctx = ctx;
    this.#health = health;
    this.#jobsDb = jobs.db;
    this.#jobNames = jobs.names;
    // A gauge without labels is 0 until it is set.
    for (const gauge of [...this.#ofServer, ...this.#ofNode]) gauge.remove();
  }

  /** Gauges without labels that concern the whole server. */
  get #ofServer(): Gauge[] {
    const { auditLag, relayLagBytes, slotRetainedBytes, slotSafeBytes, queuesOldest } = this.#ctx.metrics;
    return [auditLag, relayLagBytes, slotRetainedBytes, slotSafeBytes, queuesOldest];
  }

  /** Those of an api node. */
  get #ofNode(): Gauge[] {
    const { tailLag, tailSilence, logEpoch, logPosition } = this.#ctx.metrics;
    return [tailLag, tailSilence, logEpoch, logPosition];
  }

  /** Sets the gauges. The other metrics are useful even while PostgreSQL is down, so it never throws. */
  async measure(): Promise<void> {
    this.#measurePools();
    this.#measureLog();
    await Promise.all([this.#measureHealth(), this.#measureClock(), this.#measureServer()]);
  }

  #measurePools(): void {
    const { db, metrics, memory } = this.#ctx;
    const states = [
      ...poolStates(db).map((state) => ({ ...state, pool: requestPools[state.pool] })),
      ...(this.#jobsDb ? poolStates(this.#jobsDb) : []).map((state) => ({ ...state, pool: jobPools[state.pool] })),
    ];
    for (const { pool, busy, idle, waiting, limit } of states) {
      metrics.poolConnections.set({ pool, state: "busy" }, busy);
      metrics.poolConnections.set({ pool, state: "idle" }, idle);
      metrics.poolWaiting.set({ pool }, waiting);
      metrics.poolLimit.set({ pool }, limit);
    }
    metrics.registrationsWaiting.set(memory.registrationDesk.waiting);
  }

  #measureLog(): void {
    const { config, events, metrics } = this.#ctx;
    if (!config.roles.includes("api")) return;
    const { entries, silenceSeconds } = events.lag;
    metrics.tailLag.set(entries);
    metrics.tailSilence.set(silenceSeconds);
    metrics.logEpoch.set(events.epoch);
  }

  async #measureHealth(): Promise<void> {
    const { failed, checks } = await this.#health.check();
    for (const check of Object.keys(checks)) this.#ctx.metrics.health.set({ check }, failed.includes(check) ? 0 : 1);
  }

  async #measureClock(): Promise<void> {
    const { db, metrics } = this.#ctx;
    const begun = Date.now();
    try {
      const { rows } = await sql<{ now: number }>`
        select extract(epoch from clock_timestamp())::float8 as now`.execute(db);
      const here = (begun + Date.now()) / 2000;
      metrics.clockOffset.set(here - (rows[0]?.now ?? here));
    } catch {
      metrics.clockOffset.remove();
    }
  }

  #measureServer(): Promise<void> {
    const isOurs = this.#ctx.config.roles.some((role) => role !== "api");
    if (!isOurs || performance.now() - this.#measuredAt < validMilliseconds) return Promise.resolve();
    return (this.#measuring ??= this.#queryServer().finally(() => {
      this.#measuredAt = performance.now();
      this.#measuring = undefined;
    }));
  }

  /** Values that cannot be measured are absent rather than stale. */
  async #queryServer(): Promise<void> {
    const { config, db, metrics } = this.#ctx;
    try {
      const [slot, jobs, queues, auditLag] = await Promise.all([
        readSlot(db, logNames(config.logName).slot),
        this.#countJobs(),
        this.#countQueues(),
        this.#findAuditLag(),
      ]);
      for (const gauge of this.#ofServer) gauge.remove();
      if (slot) {
        metrics.relayLagBytes.set(slot.lagBytes);
        metrics.slotRetainedBytes.set(slot.retainedBytes);
        if (slot.safeBytes !== undefined) metrics.slotSafeBytes.set(slot.safeBytes);
      }
      for (const name of this.#jobNames) {
        const found = jobs.find((job) => job.name === name);
        metrics.jobsWaiting.set({ name }, found?.waiting ?? 0);
        metrics.jobsOldest.set({ name }, found?.oldest ?? 0);
        metrics.jobsGivenUp.set({ name }, found?.given_up ?? 0);
      }
      for (const [unread_for, count] of Object.entries(queues.counts)) metrics.queues.set({ unread_for }, count);
      metrics.queuesOldest.set(queues.oldest);
      metrics.auditLag.set(auditLag);
    } catch {
      for (const gauge of this.#ofServer) gauge.remove();
      for (const gauge of [metrics.jobsWaiting, metrics.jobsOldest, metrics.jobsGivenUp, metrics.queues]) gauge.reset();
    }
  }

  async #countJobs(): Promise<{ name: string; waiting: number; oldest: number; given_up: number }[]> {
    const { rows } = await sql<{ name: string; waiting: number; oldest: number; given_up: number }>`
      select task_identifier as name,
        count(*) filter (where attempts < max_attempts and locked_at is null and run_at <= now()) as waiting,
        coalesce(extract(epoch from now() - min(run_at)
          filter (where attempts < max_attempts and locked_at is null and run_at <= now())), 0)::float8 as oldest,
        count(*) filter (where attempts >= max_attempts and locked_at is null) as given_up
      from graphile_worker.jobs group by 1`.execute(this.#ctx.db);
    return rows;
  }

  /** Entries are numbered without gaps. */
  async #findAuditLag(): Promise<number> {
    const { rows } = await sql<{ age: number }>`
      select coalesce(extract(epoch from now() - min(l.at)), 0)::float8 as age
      from audit_destinations d join audit_log l on l.realm_id = d.realm_id and l.id = d.delivered_id + 1
      where d.is_enabled`.execute(this.#ctx.db);
    return rows[0]?.age ?? 0;
  }

  async #countQueues(): Promise<{ counts: Record<string, number>; oldest: number }> {
    const { rows } = await sql<{ unread_for: string; count: number; oldest: number }>`
      with queue as (
        select greatest(extract(epoch from now() - expires_at) + ${lifeSecondsSql}, 0)::float8 as age from event_queues)
      select case when age <= 60 then '1m' when age <= 600 then '10m' when age <= 3600 then '1h'
          when age <= 86400 then '1d' else 'more' end as unread_for, count(*) as count, max(age) as oldest
      from queue group by 1`.execute(this.#ctx.db);
    const counts: Record<string, number> = { "1m": 0, "10m": 0, "1h": 0, "1d": 0, more: 0 };
    for (const { unread_for, count } of rows) counts[unread_for] = count;
    return { counts, oldest: Math.max(0, ...rows.map((row) => row.oldest)) };
  }
}

/** Pools as the labels of metrics name them. */
export const requestPools: Record<PoolName, string> = {
  usual: "requests",
  pages: "pages",
  registrations: "registrations",
};
export const jobPools: Record<PoolName, string> = {
  usual: "jobs",
  pages: "job pages",
  registrations: "job registrations",
};
