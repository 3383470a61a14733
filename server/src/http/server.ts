/** The HTTP server with its limits and its routes for endpoints and pages. Only this folder uses Fastify. */
import type { Surface } from "@skein/api/endpoint.ts";
import { getEventSocket } from "@skein/api/registration.ts";
import fastify, { LogController, type FastifyReply } from "fastify";
import type { Context } from "../context.ts";
import { forLibrary } from "../platform/log.ts";
import { sendError } from "./send-error.ts";
import { maxBodyBytes, readBodies } from "./bodies.ts";
import type { BoundEndpoint } from "./handle.ts";
import type { Page } from "./page.ts";
import { BucketLimiter, perMinute, RateLimiter } from "./rate-limit.ts";
import { roots, routesByUrl } from "./routes.ts";
import { onRequestOf, serveEndpoint, type Limiters } from "./serve-endpoint.ts";
import { onPageRequestOf, servePage } from "./serve-page.ts";
import { serveUpgrades } from "./upgrades.ts";

/** The parameters of a GET are in its URL, long lists of ids among them. */
const maxHeaderBytes = 128 * 1024;
const surfaces: Surface[] = ["keys", "browsers"];
const socketUrls = new Set(surfaces.map((surface) => roots[surface] + getEventSocket.path));

declare module "fastify" {
  interface FastifyRequest {
    /** The request has been counted against its sender's limit. */
    isCounted: boolean;
  }
}

const noQuery = {};

export type HttpServer = ReturnType<typeof createServer>;

export function createServer(ctx: Context, bound: BoundEndpoint[], pages: Page[]) {
  const app = fastify({
    bodyLimit: maxBodyBytes,
    http: {
      maxHeaderSize: maxHeaderBytes,
      // Requests elsewhere that ask for an upgrade are served without one.
      shouldUpgradeCallback: ({ url = "" }) => socketUrls.has(url.split("?", 1)[0] ?? ""),
      headersTimeout: ctx.config.requestTimeoutSeconds * 1000,
      connectionsCheckingInterval: ctx.config.requestTimeoutSeconds * 200,
    },
    // A body may take long as long as it makes progress: see SlowBodies.
    requestTimeout: 0,
    trustProxy: ctx.config.trustProxy,
    loggerInstance: forLibrary(ctx.logger),
    logController: new LogController({ disableRequestLogging: true }),
    requestIdHeader: false,
    genReqId: requestIds(ctx.config.nodeName),
    // A logger per request would cost more than handling the request; log lines include the request id instead.
    childLoggerFactory: (logger) => logger,
    // We parse query strings together with the other parameters.
    routerOptions: { maxParamLength: 1000, querystringParser: () => noQuery },
    return503OnClosing: false,
    // Requests in flight are finished when the process stops: in-flight.ts.
    forceCloseConnections: "idle",
    // A URL with an invalid encoding matches no route.
    // (The option is typed for a route's response, and there is no route.)
    frameworkErrors: (_error, _request, reply) => void (reply as unknown as FastifyReply).code(404).send(pageNotFound),
  });
  serveUpgrades(app.server);
  app.addHook("onRequest", (request, reply, done) => {
    reply.header("X-Request-Id", request.id);
    done();
  });
  app.decorateRequest("isCounted", false);
  readBodies(app);

  app.setErrorHandler((error, request, reply) => sendError(ctx, request, reply, error));
  app.setNotFoundHandler((_request, reply: FastifyReply) => {
    reply.code(404).send(pageNotFound);
  });

  const { requestsPerMinute, eventReadsPerMinute, addressRequestsPerMinute } = ctx.config;
  const limiters: Limiters = {
    byUser: new RateLimiter(perMinute(requestsPerMinute)),
    eventReads: new BucketLimiter(perMinute(eventReadsPerMinute)),
    byAddress: new RateLimiter(perMinute(addressRequestsPerMinute)),
  };
  for (const [url, methods, surface] of surfaces.flatMap((each) => routesByUrl(bound, each))) {
    const all = [...methods.values()].map(({ endpoint }) => endpoint);
    const takesFile = all.some(({ file }) => file !== undefined);
    const streamsFile = all.some((endpoint) => endpoint.streamsFile);
    const admitted = { ctx, surface, limiters, url, takesAccount: all.some(({ auth }) => auth === "user") };
    const config = { takesFile, streamsFile, takesJson: true };
    app.all(url, { config, onRequest: onRequestOf(admitted) }, async (request, reply) => {
      await serveEndpoint(ctx, surface, methods, limiters, request, reply);
      return reply;
    });
  }
  for (const page of pages) {
    app.route({
      method: page.method ?? ["GET", "HEAD"],
      exposeHeadRoute: false,
      url: page.path,
      config: {
        streamsBytes: page.streams !== undefined,
        keepsBody: page.keepsBody === true,
        errorBody: page.errorBody,
      },
      onRequest: onPageRequestOf(ctx, page),
      handler: (request, reply) => servePage(ctx, page, request, reply),
    });
  }
  return app;
}

const pageNotFound = { result: "error", msg: "Page not found", code: "BAD_REQUEST" };

/** Unique over all nodes, and cheap: node name, start time of the process, counter. */
function requestIds(node: string): () => string {
  const start = `${node}-${Date.now().toString(36)}-`;
  let number = 0;
  return () => start + (++number).toString(36);
}
