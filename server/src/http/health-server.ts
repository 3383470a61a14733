/**
 * Serves health and metrics on a separate port: for processes without the api role, and when SKEIN_HEALTH_PORT is set. It
 * stays open until the process ends.
 */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { defaultHealthPort } from "../config.ts";
import type { Context } from "../context.ts";
import { healthPages, metricsPage, type Health } from "./health.ts";
import type { PageRequest } from "./page.ts";

export interface HealthServer {
  url: string;
  close: () => void;
}

/** Undefined if another process uses the default port; that must not keep this process from starting. */
export async function startHealthServer(
  ctx: Context,
  health: Health,
  measure: () => Promise<void>,
): Promise<HealthServer | undefined> {
  const { host, healthPort } = ctx.config;
  const pages = new Map(
    [...healthPages(ctx, health, measure), metricsPage(ctx, measure)].map((page) => [page.path, page]),
  );
  const server = createServer((request, response) => {
    const page = pages.get((request.url ?? "").split("?", 1)[0] ?? "");
    if (!page) {
      response.writeHead(404).end();
      return;
    }
    // None of these pages uses the request.
    page.serve({} as PageRequest).then(
      ({ status, type, body }) => response.writeHead(status, { "Content-Type": type }).end(body),
      (error: unknown) => {
        ctx.logger.error({ err: error, path: page.path }, "request failed");
        response.writeHead(500).end();
      },
    );
  });
  try {
    await listen(server, host, healthPort ?? defaultHealthPort);
  } catch (error) {
    if (healthPort !== undefined || (error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    ctx.logger.warn(
      `port ${defaultHealthPort} is in use, so this process serves neither health nor metrics: set a different SKEIN_HEALTH_PORT for each process`,
    );
    return undefined;
  }
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    url: `http://${host}:${port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

const listen = (server: Server, host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => server.once("error", reject).listen(port, host, resolve));
