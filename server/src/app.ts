/** The one place where the parts are put together. */
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { anyEvent } from "@skein/api/events.ts";
import { z } from "zod";
import type { Config } from "./config.ts";
import { applicationName, checkConnections, planConnections } from "./connections.ts";
import type { Context } from "./context.ts";
import { chores, consequences, endpoints, eventShapes, jobs, pages, stateParts } from "./areas.ts";
import { messageReach } from "./domain/messages/live-access.ts";
import { Consequences } from "./domain/messages/send/consequence.ts";
import { Presences } from "./domain/people/presence/presences.ts";
import { commit } from "./domain/organization/releases/commit.ts";
import { release } from "./platform/release.ts";
import { announceOwnRelease } from "./domain/organization/releases/announce.ts";
import { createSetupToken, setupPath } from "./domain/joining/setup/token.ts";
import { SharedAssets } from "./domain/organization/web-releases/shared-assets.ts";
import { checkEmittedEvents } from "./events/emit.ts";
import { eventEndpoints } from "./events/endpoints.ts";
import { EventLog } from "./events/event-log.ts";
import type { EventShapes } from "./events/queue.ts";
import { Relay } from "./events/relay.ts";
import { docsPages } from "./http/docs.ts";
import { Health, healthPages, type ProcessState } from "./http/health.ts";
import { listen, type Listening } from "./http/listen.ts";
import { startHealthServer } from "./http/health-server.ts";
import { InFlight } from "./http/in-flight.ts";
import { Maintenance } from "./http/maintenance.ts";
import type { Page } from "./http/page.ts";
import { createServer, type HttpServer } from "./http/server.ts";
import { SlowBodies } from "./http/slow-bodies.ts";
import { builtClient, webClient } from "./http/web-client.ts";
import { Sessions } from "./identity/sessions.ts";
import { backfill, startBackfills } from "./jobs/backfill.ts";
import { Worker } from "./jobs/worker.ts";
import { jobPools, Measurements, requestPools } from "./measurements.ts";
import { connect, type PoolName } from "./platform/db/connect.ts";
import { openFileStore } from "./platform/open-file-store.ts";
import { observeTransactions } from "./platform/db/transaction.ts";
import { createMemory, forgetRows } from "./memory.ts";
import { createLogger } from "./platform/log.ts";
import { Mailer } from "./platform/mailer.ts";
import { createMetrics } from "./platform/metrics.ts";
import { Outbound } from "./platform/outbound.ts";
import { SecretBox } from "./platform/secret-box.ts";
import { openTracing } from "./platform/tracing.ts";
import { removeExpiredQueues } from "./events/queue-store.ts";

export interface App {
  ctx: Context;
  /** URL of the HTTP server; undefined without the api role. */
  url: string | undefined;
  /** URL of the separate server for health and metrics, if there is one. */
  healthUrl: string | undefined;
  /** URL for creating the first organization while there is none; a secret. */
  setupUrl: string | undefined;
  /** Finishes requests in flight. The delay before that gives load balancers time to stop sending requests. */
  stop: (options?: { delayMilliseconds?: number }) => Promise<void>;
}

export async function startApp(config: Config): Promise<App> {
  const logger = createLogger({ level: config.logLevel, node: config.nodeName });
  const metrics = createMetrics(config.nodeName);
  const tracing = await openTracing(config, release, logger);
  observeTransactions((name, milliseconds) => metrics.transactions.observe({ name }, milliseconds / 1000));
  const memory = createMemory(config);
  memory.registrationDesk.onRefusal = (reason) => metrics.registrationRefusals.inc({ reason });
  const plan = planConnections(config);
  const database = {
    url: config.databaseUrl,
    name: applicationName(config.nodeName, plan),
    lockTimeoutSeconds: config.lockTimeoutSeconds,
    onStatement: () => metrics.statements.inc(),
    onLostConnection: (error: Error) => {
      logger.warn({ err: error }, "lost a connection to PostgreSQL");
      sessions.forgetAccounts();
      forgetRows(memory);
    },
  };
  const { statementTimeoutSeconds, jobStatementTimeoutSeconds } = config;
  const onWait = (names: typeof requestPools) => (pool: PoolName, seconds: number) =>
    metrics.poolWaits.observe({ pool: names[pool] }, seconds);
  const db = connect({
    ...database,
    connections: plan.usual,
    statementTimeoutSeconds,
    onWait: onWait(requestPools),
  });
  const sessions = new Sessions(db);
  await checkConnections(db, logger, database.name, plan);
  const secretBox = new SecretBox(config.secret, config.secondSecret);
  const shapes = eventShapes(secretBox);
  if (config.checkResponses) checkEmittedEvents((event) => refuseUndeclared(shapes, event));
  const events = new EventLog(
    { config, db, logger, metrics, sessions, tracing, forgetRows: () => forgetRows(memory) },
    config.checkResponses ? checked(shapes) : shapes,
    messageReach,
  );
  const presences = new Presences({ config, db, events, logger });
  const files = await openFileStore(config);
  const mailer = new Mailer(config, (outcome) => metrics.mails.inc({ outcome }));
  const outbound = new Outbound(config.outboundAllow);
  const ctx: Context = {
    config,
    consequences: new Consequences(consequences),
    db,
    events,
    files,
    logger,
    mailer,
    maintenance: new Maintenance({ db, events }),
    memory,
    metrics,
    outbound,
    presences,
    secretBox,
    sessions,
    tracing,
  };

  const relay = config.roles.includes("relay") ? new Relay({ config, db, logger, metrics, tracing }) : undefined;
  // Statements of jobs may take longer than a request can wait.
  const jobsDb = config.roles.includes("worker")
    ? connect({
        ...database,
        connections: plan.jobs,
        statementTimeoutSeconds: jobStatementTimeoutSeconds,
        onWait: onWait(jobPools),
      })
    : undefined;
  const worker =
    jobsDb && new Worker({ ...ctx, db: jobsDb }, [backfill, ...jobs], [removeExpiredQueues, startBackfills, ...chores]);
  const state: ProcessState = { relay, worker, isDraining: false };
  const health = new Health(ctx, state);
  const measurements = new Measurements(ctx, health, {
    db: jobsDb,
    names: [backfill, ...jobs].map(({ name }) => name),
  });
  const measure = () => measurements.measure();
  metrics.info.set({ version: release, commit: commit ?? "", roles: config.roles.join(",") }, 1);
  relay?.start();
  worker?.start();
  await announceOwnRelease(db, config.development);
  const webDir = config.webDir === "" ? builtClient : config.webDir;
  const assets = new SharedAssets(ctx, join(webDir, "assets"));
  let server: HttpServer | undefined;
  let listening: Listening | undefined;
  let inFlight: InFlight | undefined;
  let slowBodies: SlowBodies | undefined;
  if (config.roles.includes("api")) {
    await events.start();
    await ctx.maintenance.start();
    // The assets must be available before the first page refers to one.
    await assets.start();
    const bound = [...endpoints, ...eventEndpoints(stateParts)];
    server = createServer(ctx, bound, [
      ...docsPages(ctx),
      ...pages(ctx),
      ...unlimited(healthPages(ctx, health, measure)),
    ]);
    await server.register(webClient(ctx, webDir, assets));
    const requests = new InFlight(server.server, metrics);
    inFlight = requests;
    slowBodies = new SlowBodies(() => requests.incomplete(), config.requestTimeoutSeconds);
    const started = server;
    listening = await listen(started.server, config, (options) => started.listen(options));
  }
  const address = server?.server.address();
  const url = typeof address === "object" && address ? `http://${config.host}:${address.port}` : undefined;
  const needsHealthServer = config.healthPort !== undefined || (!server && config.roles.length > 0);
  const healthServer = needsHealthServer ? await startHealthServer(ctx, health, measure) : undefined;
  logger.info({ url, health: healthServer?.url, roles: config.roles }, "started");
  const setupToken = url === undefined ? undefined : await createSetupToken(db);
  const setupUrl =
    setupToken && `${config.externalUrl === "" ? url : config.externalUrl}${setupPath}/?token=${setupToken}`;

  return {
    ctx,
    url,
    healthUrl: healthServer?.url,
    setupUrl,
    async stop({ delayMilliseconds = 0 } = {}) {
      logger.info("stopping");
      state.isDraining = true;
      inFlight?.announce();
      const workerStopped = worker?.stop();
      if (server && inFlight) {
        await wait(delayMilliseconds);
        const close = () => {
          const closed = Promise.all([server.close(), listening?.close()]);
          events.endWaitingReads();
          return closed;
        };
        const cut = await inFlight.close(close, config.shutdownSeconds * 1000);
        if (cut > 0)
          logger.warn(
            { requests: cut },
            `aborted requests that were still in flight ${config.shutdownSeconds} s after shutdown began`,
          );
        slowBodies?.stop();
        assets.stop();
        ctx.maintenance.stop();
        // Not earlier, because requests in flight may be waiting for the log.
        await presences.stop();
        await sessions.keyUses.stop();
        await events.stop();
      }
      await workerStopped;
      mailer.close();
      await relay?.stop();
      healthServer?.close();
      await jobsDb?.destroy();
      await db.destroy();
      await tracing?.stop();
      logger.info("stopped");
    },
  };
}

/** Rate limits do not apply to static files, which browsers cache, and to health checks. */
const unlimited = (list: Page[]): Page[] => list.map((page) => ({ ...page, isUnlimited: true }));

/** Events that are shaped per queue are checked afterwards (`checked`); all others must match their declaration now. */
function refuseUndeclared(shapes: EventShapes, event: { type: string }): void {
  if (!shapes.has(event.type)) assertDeclared(event.type, event);
}

const checked = (shapes: EventShapes): EventShapes =>
  new Map(
    [...shapes].map(([type, { variant, shape }]) => [
      type,
      {
        variant,
        shape: (event, queue) => {
          const shaped = shape(event, queue);
          if (shaped) assertDeclared(type, shaped);
          return shaped;
        },
      },
    ]),
  );

function assertDeclared(type: string, event: object): void {
  const result = anyEvent.safeParse(event);
  if (!result.success)
    throw new Error(`an event of type ${type} does not match its declaration: ${z.prettifyError(result.error)}`);
}
