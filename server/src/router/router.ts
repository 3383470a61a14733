/**
 * The router: a thin process in front of several cells. It finds the cell of each request by its host name, and forwards
 * the request there. It has no state but its copy of the directory, so any number of routers can run side by side.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { listen, type Listening } from "../http/listen.ts";
import type { Config } from "../config.ts";
import { UnusedConnections } from "../http/unused-connections.ts";
import { serveUpgrades } from "../http/upgrades.ts";
import { createLogger, type Logger } from "../platform/log.ts";
import { createMetrics, type Metrics } from "../platform/metrics.ts";
import { Proxy } from "./proxy.ts";
import { Routes } from "./routes.ts";

/** As on a node. */
const maxHeaderBytes = 128 * 1024;
/** Every request to a cell that is down fails, so it is logged only so often. */
const logMilliseconds = 5000;

export interface Router {
  url: string;
  /** If health and metrics have a separate port. */
  healthUrl: string | undefined;
  logger: Logger;
  routes: Routes;
  metrics: Metrics;
  stop: (options?: { delayMilliseconds?: number }) => Promise<void>;
}

export async function startRouter(config: Config): Promise<Router> {
  const logger = createLogger({ level: config.logLevel, node: config.nodeName });
  const metrics = createMetrics(config.nodeName);
  const routes = new Routes({ ...config, logger });
  await routes.start();
  const state = { isDraining: false };
  const health = healthPages(routes, metrics, state);
  const proxy = new Proxy({
    find: (host) => routes.find(host),
    trustProxy: config.trustProxy,
    maxHeaderBytes,
    onOutcome: (outcome) => metrics.routedRequests.inc({ outcome }),
    onUnavailable: logSometimes(logger),
  });

  const server = createServer({
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: config.requestTimeoutSeconds * 1000,
    connectionsCheckingInterval: config.requestTimeoutSeconds * 200,
    // Nodes decide how slowly a body may arrive.
    requestTimeout: 0,
    keepAliveTimeout: 72_000,
  });
  server.timeout = 0;
  const unused = new UnusedConnections(server);
  serveUpgrades(server);
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    metrics.routedOpen.inc();
    response.once("close", () => metrics.routedOpen.dec());
    const path = (request.url ?? "").split("?", 1)[0] ?? "";
    const page = path === "/metrics" && config.healthPort !== undefined ? undefined : health.get(path);
    if (page) void page(response);
    else proxy.serve(request, response);
  });
  const listening = await listen(server, config);
  const separate =
    config.healthPort === undefined ? undefined : await startHealth(health, config.host, config.healthPort);
  const url = urlOf(server, config.host);
  logger.info({ url, health: separate && urlOf(separate, config.host), roles: ["router"] }, "started");

  return {
    url,
    healthUrl: separate && urlOf(separate, config.host),
    logger,
    routes,
    metrics,
    stop: async ({ delayMilliseconds = 0 } = {}) => {
      logger.info("stopping");
      state.isDraining = true;
      await new Promise((resume) => setTimeout(resume, delayMilliseconds));
      const closed = close(server, listening, config.shutdownSeconds * 1000);
      unused.closeSoon();
      await closed;
      proxy.close();
      separate?.close();
      separate?.closeAllConnections();
      await routes.stop();
      logger.info("stopped");
    },
  };
}

const json = { "Content-Type": "application/json; charset=utf-8" };

type HealthPages = Map<string, (response: ServerResponse) => Promise<void> | void>;

/** The same paths and formats as a node has. */
function healthPages(routes: Routes, metrics: Metrics, state: { isDraining: boolean }): HealthPages {
  const send = (response: ServerResponse, status: number, body: object) =>
    void response.writeHead(status, json).end(JSON.stringify(body));
  return new Map([
    ["/health/live", (response) => send(response, 200, { status: "ok" })],
    [
      "/health",
      (response) =>
        state.isDraining
          ? send(response, 500, { result: "error", msg: "The server is not ready", code: "SERVER_NOT_READY" })
          : send(response, 200, { result: "success", msg: "" }),
    ],
    [
      "/health/ready",
      (response) => {
        const isCurrent = routes.problem === undefined;
        const directory = isCurrent ? "ok" : "the directory does not respond; routing by the last copy of it";
        const process = state.isDraining ? { process: "the process is stopping" } : {};
        const status = state.isDraining ? "not ready" : isCurrent ? "ok" : "degraded";
        send(response, state.isDraining ? 503 : 200, { status, checks: { directory, ...process } });
      },
    ],
    [
      "/metrics",
      async (response) => {
        metrics.routedHosts.set(routes.size);
        metrics.directoryOk.set(routes.problem === undefined ? 1 : 0);
        const text = await metrics.registry.metrics();
        response.writeHead(200, { "Content-Type": metrics.registry.contentType }).end(text);
      },
    ],
  ]);
}

async function startHealth(health: HealthPages, host: string, port: number): Promise<Server> {
  const server = createServer((request, response) => {
    const page = health.get((request.url ?? "").split("?", 1)[0] ?? "");
    if (page) void page(response);
    else response.writeHead(404).end();
  });
  await once(server.listen(port, host), "listening");
  return server;
}

function logSometimes(logger: Logger) {
  let [nextAt, requests] = [0, 0];
  return ({ name }: { name: string }, err: unknown): void => {
    requests++;
    if (Date.now() < nextAt) return;
    logger.error({ cell: name, requests, err }, "no node of the cell can be reached");
    nextAt = Date.now() + logMilliseconds;
    requests = 0;
  };
}

function urlOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo; // it listens on a port
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Requests in flight may take so long to finish. */
async function close(server: Server, listening: Listening, milliseconds: number): Promise<void> {
  const closed = Promise.all([new Promise((resolve) => server.close(resolve)), listening.close()]);
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), milliseconds);
  await closed;
  clearTimeout(timer);
}
