/** The one place where the parts are put together. */
import { anyEvent } from "@skein/api/events.ts";
import { z } from "zod";
import type { Config } from "./config.ts";
import type { Context } from "./context.ts";
import { chores, endpoints, eventShapes, jobs, stateParts } from "./areas.ts";
import { accountPages } from "./domain/accounts/pages.ts";
import { avatarPages } from "./domain/avatars/pages.ts";
import { emojiPages } from "./domain/emoji/pages.ts";
import { exportPages } from "./domain/exports/pages.ts";
import { incomingWebhookPages } from "./domain/incoming-webhooks/pages.ts";
import { openIdPages } from "./domain/openid-connect/pages.ts";
import { Presences } from "./domain/presence/presences.ts";
import { unsubscribePages } from "./domain/missed-messages/pages.ts";
import { previewPages } from "./domain/previews/pages.ts";
import { realmIconPages } from "./domain/realm-icon/pages.ts";
import { announceOwnRelease } from "./domain/releases/announce.ts";
import { settingPages } from "./domain/settings/pages.ts";
import { newOrganizationPages } from "./domain/setup/new-organization-pages.ts";
import { setupPages } from "./domain/setup/pages.ts";
import { offerSetup, setupPath } from "./domain/setup/token.ts";
import { loginPages } from "./domain/sign-in/login-pages.ts";
import { resetPages } from "./domain/sign-in/reset-pages.ts";
import { oldThumbnailPages } from "./domain/uploads/old-thumbnails.ts";
import { uploadPages } from "./domain/uploads/pages.ts";
import { resumablePages } from "./domain/uploads/resumable/pages.ts";
import { checkEmittedEvents } from "./events/emit.ts";
import { eventEndpoints } from "./events/endpoints.ts";
import { EventLog } from "./events/event-log.ts";
import type { EventShapes } from "./events/queue.ts";
import { Relay } from "./events/relay.ts";
import { docsPages } from "./http/docs.ts";
import { healthPages } from "./http/health.ts";
import { createServer, type HttpServer } from "./http/router.ts";
import { webClientPages } from "./http/web-client.ts";
import { Sessions } from "./http/sessions.ts";
import { Worker } from "./jobs/worker.ts";
import { connect } from "./platform/db/connect.ts";
import { FolderStore, type FileStore } from "./platform/file-store.ts";
import { S3Store } from "./platform/file-store-s3.ts";
import { observeTransactions } from "./platform/db/transaction.ts";
import { createLogger } from "./platform/log.ts";
import { Mailer } from "./platform/mailer.ts";
import { createMetrics } from "./platform/metrics.ts";
import { Outbound } from "./platform/outbound.ts";
import { SecretBox } from "./platform/secret-box.ts";

export interface App {
  ctx: Context;
  /** Where the HTTP server listens; undefined without the api role. */
  url: string | undefined;
  /** Where the first organization is made, while there is none; a secret. */
  setupUrl: string | undefined;
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
  const secretBox = new SecretBox(config.secret);
  const shapes = eventShapes(secretBox);
  if (config.checkResponses) checkEmittedEvents((event) => refuseUndeclared(shapes, event));
  const events = new EventLog(
    { config, db, logger, metrics, sessions },
    config.checkResponses ? checked(shapes) : shapes,
  );
  const presences = new Presences({ config, db, events, logger });
  const files = openFileStore(config);
  const mailer = new Mailer(config);
  const outbound = new Outbound(config.outboundAllow);
  const ctx: Context = { config, db, events, files, logger, mailer, metrics, outbound, presences, secretBox, sessions };

  const relay = config.roles.includes("relay") ? new Relay({ config, db, logger, metrics }) : undefined;
  const worker = config.roles.includes("worker") ? new Worker(ctx, jobs, chores) : undefined;
  relay?.start();
  worker?.start();
  await announceOwnRelease(db, config.development);
  let server: HttpServer | undefined;
  if (config.roles.includes("api")) {
    await events.start();
    const bound = [...endpoints, ...eventEndpoints(stateParts)];
    server = createServer(ctx, bound, [
      ...docsPages,
      ...accountPages(ctx),
      ...avatarPages(ctx),
      ...emojiPages(ctx),
      ...exportPages(ctx),
      ...incomingWebhookPages(ctx),
      ...previewPages(ctx),
      ...unsubscribePages(ctx),
      ...realmIconPages(ctx),
      ...settingPages(ctx),
      ...loginPages(ctx),
      ...openIdPages(ctx),
      ...setupPages(ctx),
      ...newOrganizationPages(ctx),
      ...resetPages(ctx),
      ...uploadPages(ctx),
      ...oldThumbnailPages,
      ...resumablePages(ctx),
      ...webClientPages(ctx),
      ...healthPages(ctx, relay),
    ]);
    await server.listen({ host: config.host, port: config.port });
  }
  const address = server?.server.address();
  const url = typeof address === "object" && address ? `http://${config.host}:${address.port}` : undefined;
  logger.info({ url, roles: config.roles }, "started");
  const setupToken = url === undefined ? undefined : await offerSetup(db);
  const setupUrl =
    setupToken && `${config.externalUrl === "" ? url : config.externalUrl}${setupPath}/?token=${setupToken}`;

  return {
    ctx,
    url,
    setupUrl,
    async stop() {
      logger.info("stopping");
      if (server) {
        // Waiting reads are answered first, or the server would wait for them.
        const closed = server.close();
        await presences.stop();
        await events.stop();
        await closed;
      }
      await worker?.stop();
      mailer.close();
      await relay?.stop();
      await db.destroy();
      logger.info("stopped");
    },
  };
}

const openFileStore = (config: Config): FileStore =>
  config.s3Bucket === ""
    ? new FolderStore(config.filesDir)
    : new S3Store({
        bucket: config.s3Bucket,
        region: config.s3Region,
        endpoint: config.s3Endpoint,
        accessKey: config.s3AccessKey,
        secretKey: config.s3SecretKey,
      });

/** Events with shapes of their own are checked when they are shaped; all others must be as declared already. */
function refuseUndeclared(shapes: EventShapes, event: { type: string }): void {
  if (!shapes.has(event.type)) demandDeclared(event.type, event);
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
