/** The one place where the parts are put together. */
import { anyEvent } from "@skein/api/events.ts";
import { z } from "zod";
import type { Config } from "./config.ts";
import type { Context } from "./context.ts";
import { endpoints, eventShapes, stateParts } from "./areas.ts";
import { emojiPages } from "./domain/emoji/pages.ts";
import { checkEmittedEvents } from "./events/emit.ts";
import { eventEndpoints } from "./events/endpoints.ts";
import { EventLog } from "./events/event-log.ts";
import type { EventShapes } from "./events/queue.ts";
import { Relay } from "./events/relay.ts";
import { docsPages } from "./http/docs.ts";
import { healthPages } from "./http/health.ts";
import { createServer, type HttpServer } from "./http/router.ts";
import { Sessions } from "./http/sessions.ts";
import { Worker } from "./jobs/worker.ts";
import { connect } from "./platform/db/connect.ts";
import { observeTransactions } from "./platform/db/transaction.ts";
import { createLogger } from "./platform/log.ts";
import { createMetrics } from "./platform/metrics.ts";

export interface App {
  ctx: Context;
  /** Where the HTTP server listens; undefined without the api role. */
  url: string | undefined;
  stop: () => Promise<void>;
}

export async function startApp(config: Config): Promise<App> {
  const logger = createLogger({ level: config.logLevel, node: config.nodeName });
  const metrics = createMetrics(config.nodeName);
  observeTransactions((name, milliseconds) => metrics.transactions.observe({ name }, milliseconds / 1000));
  const db = connect({
    url: config.databaseUrl,
    connections: config.databaseConnections,
    name: `skein ${config.nodeName}`,
    onStatement: () => metrics.statements.inc(),
    onIdleError: (error) => logger.warn({ err: error }, "a connection to PostgreSQL broke"),
  });
  const sessions = new Sessions(db);
  if (config.checkResponses) checkEmittedEvents(refuseUndeclared);
  const events = new EventLog(
    { config, db, logger, metrics, sessions },
    config.checkResponses ? checked(eventShapes) : eventShapes,
  );
  const ctx: Context = { config, db, events, logger, metrics, sessions };

  const relay = config.roles.includes("relay") ? new Relay({ config, db, logger, metrics }) : undefined;
  const worker = config.roles.includes("worker") ? new Worker(ctx) : undefined;
  relay?.start();
  worker?.start();
  let server: HttpServer | undefined;
  if (config.roles.includes("api")) {
    await events.start();
    const bound = [...endpoints, ...eventEndpoints(stateParts)];
    server = createServer(ctx, bound, [...docsPages, ...emojiPages, ...healthPages(ctx, relay)]);
    await server.listen({ host: config.host, port: config.port });
  }
  const address = server?.server.address();
  const url = typeof address === "object" && address ? `http://${config.host}:${address.port}` : undefined;
  logger.info({ url, roles: config.roles }, "started");

  return {
    ctx,
    url,
    async stop() {
      logger.info("stopping");
      if (server) {
        // Waiting reads are answered first, or the server would wait for them.
        const closed = server.close();
        await events.stop();
        await closed;
      }
      await worker?.stop();
      await relay?.stop();
      await db.destroy();
      logger.info("stopped");
    },
  };
}

/** Events with shapes of their own are checked when they are shaped; all others must be as declared already. */
function refuseUndeclared(event: { type: string }): void {
  if (!eventShapes.has(event.type)) demandDeclared(event.type, event);
}

const checked = (shapes: EventShapes): EventShapes =>
  new Map(
    [...shapes].map(([type, { variant, shape }]) => [
      type,
      {
        variant,
        shape: (event, queue) => {
          const shaped = shape(event, queue);
          if (shaped) demandDeclared(type, shaped);
          return shaped;
        },
      },
    ]),
  );

function demandDeclared(type: string, event: object): void {
  const result = anyEvent.safeParse(event);
  if (!result.success) throw new Error(`an event of type ${type} is not as declared: ${z.prettifyError(result.error)}`);
}
