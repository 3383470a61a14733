/**
 * Health checks for load balancers and alerts. Live: the process responds. Ready: whether it should receive requests, and
 * if not, why. Without PostgreSQL it can serve nothing. Without the event log it can still store messages and handle most
 * requests, and every other node is in the same situation, so it stays in service and reports itself as degraded.
 */
import type { Context } from "../context.ts";
import { DatabaseProbe } from "../platform/db/probe.ts";
import type { Page, PageResponse } from "./page.ts";

const json = "application/json; charset=utf-8";
/** How long a node that has just started may wait for the event log before it reports itself as ready anyway. */
const startMilliseconds = 5000;

export interface ProcessState {
  /** Undefined if the process does not have this role. */
  relay: { isActive: boolean; problem: string | undefined } | undefined;
  worker: { isRunning: boolean } | undefined;
  /** The process is shutting down. */
  isDraining: boolean;
}

/** From best to worst; with the last two the node should not receive requests. */
const statuses = ["ok", "degraded", "starting", "not ready"] as const;
type Status = (typeof statuses)[number];

interface Check {
  status: Status;
  /** Description for the operator. */
  text: string;
}
type Checks = Record<string, Check>;

export interface HealthReport {
  status: Status;
  /** The description of each check. */
  checks: Record<string, string>;
  /** The names of those that are not ok. */
  failed: string[];
  isReady: boolean;
}

const ok: Check = { status: "ok", text: "ok" };

export class Health {
  readonly #ctx: Context;
  readonly #state: ProcessState;
  readonly #database: DatabaseProbe;
  readonly #startedAt = performance.now();
  #hasSeenLog = false;

  constructor(ctx: Context, state: ProcessState) {
    this.#ctx = ctx;
    this.#state = state;
    this.#database = new DatabaseProbe(ctx.db, ctx.config.databaseUrl);
  }

  async check(): Promise<HealthReport> {
    const { relay, worker, isDraining } = this.#state;
    const checks: Checks = {
      postgresql: await this.#checkDatabase(),
      ...(this.#ctx.config.roles.includes("api") && { event_log: this.#checkLog() }),
      ...(relay && { relay: checkRelay(relay) }),
      ...(worker && { worker: checkWorker(worker) }),
      ...(isDraining && { process: { status: "not ready", text: "the process is stopping" } }),
    };
    const worst = Math.max(...Object.values(checks).map(({ status }) => statuses.indexOf(status)));
    return {
      status: statuses[worst] ?? "not ready",
      isReady: worst < statuses.indexOf("starting"),
      checks: Object.fromEntries(Object.entries(checks).map(([name, { text }]) => [name, text])),
      failed: Object.keys(checks).filter((name) => checks[name]?.status !== "ok"),
    };
  }

  async #checkDatabase(): Promise<Check> {
    const state = await this.#database.check();
    if (state === "down") return { status: "not ready", text: "PostgreSQL does not respond" };
    if (state === "busy") return { status: "degraded", text: "all connections of this process are busy" };
    return ok;
  }

  #checkLog(): Check {
    const { problem, needsNewerRelease } = this.#ctx.events;
    if (needsNewerRelease !== undefined) return { status: "not ready", text: needsNewerRelease };
    this.#hasSeenLog ||= problem === undefined;
    if (problem === undefined) return ok;
    const isStarting = !this.#hasSeenLog && performance.now() - this.#startedAt < startMilliseconds;
    return { status: isStarting ? "starting" : "degraded", text: problem };
  }
}

function checkRelay({ isActive, problem }: NonNullable<ProcessState["relay"]>): Check {
  // The error itself may contain host and account names, so it is only logged.
  if (problem !== undefined) return { status: "degraded", text: "interrupted, retrying; see the log" };
  return { status: "ok", text: isActive ? "active" : "standby" };
}

const checkWorker = ({ isRunning }: NonNullable<ProcessState["worker"]>): Check =>
  isRunning
    ? { status: "ok", text: "running" }
    : { status: "degraded", text: "the job queue is not running; see the log" };

/** `measure` prepares the metrics. */
export function healthPages(ctx: Context, health: Health, measure: () => Promise<void>): Page[] {
  return [
    { path: "/health/live", serve: async () => ({ status: 200, type: json, body: '{"status":"ok"}' }) },
    {
      // The path and format of the protocol.
      path: "/health",
      serve: async () => {
        const { isReady } = await health.check();
        const body = isReady
          ? { result: "success", msg: "" }
          : { result: "error", msg: "The server is not ready", code: "SERVER_NOT_READY" };
        return { status: isReady ? 200 : 500, type: json, body: JSON.stringify(body) };
      },
    },
    {
      path: "/health/ready",
      serve: async () => {
        const { status, checks, isReady } = await health.check();
        return { status: isReady ? 200 : 503, type: json, body: JSON.stringify({ status, checks }) };
      },
    },
    // With a separate health port, metrics are served only there.
    ...(ctx.config.healthPort === undefined ? [metricsPage(ctx, measure)] : []),
  ];
}

export const metricsPage = ({ metrics }: Context, measure: () => Promise<void>): Page => ({
  path: "/metrics",
  serve: async (): Promise<PageResponse> => {
    await measure();
    return { status: 200, type: metrics.registry.contentType, body: await metrics.registry.metrics() };
  },
});
