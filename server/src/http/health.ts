/**
 * For load balancers and alerts. Live: the process answers. Ready: it can serve, which needs PostgreSQL and the event
 * log; a relay that falls behind is told of, but does not take the node out of service.
 */
import { sql } from "kysely";
import type { Context } from "../context.ts";
import type { Page } from "./router.ts";

const json = "application/json; charset=utf-8";

interface RelayState {
  isActive: boolean;
  problem: string | undefined;
}

export function healthPages(ctx: Context, relay: RelayState | undefined): Page[] {
  return [
    { path: "/health/live", serve: async () => ({ status: 200, type: json, body: '{"status":"ok"}' }) },
    {
      // By the name and in the form that the protocol has.
      path: "/health",
      serve: async () => {
        const { isReady } = await check(ctx, relay);
        const body = isReady
          ? { result: "success", msg: "" }
          : { result: "error", msg: "The server is not ready", code: "SERVER_NOT_READY" };
        return { status: isReady ? 200 : 500, type: json, body: JSON.stringify(body) };
      },
    },
    {
      path: "/health/ready",
      serve: async () => {
        const { checks, isReady } = await check(ctx, relay);
        const body = JSON.stringify({ status: isReady ? "ok" : "not ready", checks });
        return { status: isReady ? 200 : 503, type: json, body };
      },
    },
    {
      path: "/metrics",
      serve: async () => {
        await measureLag(ctx);
        return { status: 200, type: ctx.metrics.registry.contentType, body: await ctx.metrics.registry.metrics() };
      },
    },
  ];
}

async function check(ctx: Context, relay: RelayState | undefined) {
  const checks = {
    postgresql: await checkDatabase(ctx),
    event_log: ctx.events.isReady ? "ok" : "the event log's stream is not there yet; is a relay running?",
    relay: relayState(relay),
  };
  return { checks, isReady: checks.postgresql === "ok" && checks.event_log === "ok" };
}

async function checkDatabase(ctx: Context): Promise<string> {
  try {
    await sql`select`.execute(ctx.db);
    return "ok";
  } catch {
    return "PostgreSQL does not answer";
  }
}

function relayState(relay: RelayState | undefined): string {
  if (!relay) return "not a role of this process";
  if (relay.problem !== undefined) return "trying to start, see the log";
  return relay.isActive ? "active" : "standing by";
}

async function measureLag(ctx: Context): Promise<void> {
  try {
    const { rows } = await sql<{ lag: number }>`
      select pg_wal_lsn_diff(pg_current_wal_lsn(), confirmed_flush_lsn)::bigint as lag
      from pg_replication_slots where slot_name = ${`${ctx.config.logName}_relay`}`.execute(ctx.db);
    if (rows[0]) ctx.metrics.relayLagBytes.set(rows[0].lag);
  } catch {
    // Metrics are still worth having when PostgreSQL is not there; readiness says that it is not.
  }
}
