/** The server under test: two nodes in this process, on the run's PostgreSQL and NATS, with runtime checks enabled. */
import { join } from "node:path";
import { inject } from "vitest";
import { startApp, type App } from "../src/app.ts";
import { readConfig } from "../src/config.ts";
import { migrate } from "../src/platform/db/migrate.ts";
import { atEndOfFile } from "./end-of-file.ts";

export interface NodeOptions {
  /** Additional environment variables. */
  environment?: Record<string, string>;
  /** If false, returns before the node is ready. */
  isAwaited?: boolean;
}

const started: App[] = [];

async function stopAll(): Promise<void> {
  pair = undefined;
  await Promise.all(started.splice(0).map((app) => app.stop()));
}

export async function startNode({ environment = {}, isAwaited = true }: NodeOptions = {}): Promise<
  App & { url: string }
> {
  const ownDatabase = environment["SKEIN_DATABASE_URL"];
  if (ownDatabase !== undefined) await migrate(ownDatabase); // the shared database is already migrated
  const app = await startApp(
    readConfig({
      SKEIN_DATABASE_URL: inject("postgresUrl"),
      SKEIN_NATS_URL: inject("natsUrl"),
      SKEIN_FILES_DIR: join(inject("scratchFolder"), "files"),
      SKEIN_SMTP_URL: inject("smtpUrl"),
      SKEIN_PORT: "0",
      SKEIN_TRUST_PROXY: "true",
      SKEIN_NODE_NAME: `test-${process.pid}-${started.length}`,
      SKEIN_ROLES: "api,relay,worker",
      SKEIN_RATE_LIMITS: "false",
      // As long as possible: on a busy machine a test's request may wait longer than a user would.
      SKEIN_STATEMENT_TIMEOUT_SECONDS: "120",
      SKEIN_LOCK_TIMEOUT_SECONDS: "120",
      SKEIN_REGISTRATION_WAIT_SECONDS: "60",
      // Do not wait for requests that a test left in flight.
      SKEIN_SHUTDOWN_SECONDS: "1",
      SKEIN_LOG_LEVEL: process.env["TEST_LOG_LEVEL"] ?? "silent",
      SKEIN_CHECK_RESPONSES: "true",
      SKEIN_WEB_PUBLIC_CHANNELS: "true",
      SKEIN_SECRET: "a secret of the test nodes, long enough",
      // Allow only the usual loopback addresses: tests use the others as forbidden targets.
      SKEIN_OUTBOUND_ALLOW: "127.0.0.1,::1",
      ...environment,
    }),
  );
  if (started.length === 0) atEndOfFile(stopAll);
  started.push(app);
  const { url } = app;
  if (url === undefined) throw new Error("a test node needs the api role");
  if (isAwaited) await untilReady(url);
  return { ...app, url };
}

/** Stops a node before the end of the file's tests, for tests that clean up after it. */
export async function stopNode({ ctx }: App): Promise<void> {
  const at = started.findIndex((app) => app.ctx === ctx);
  await Promise.all(started.splice(at, 1).map((app) => app.stop()));
}

async function untilReady(url: string): Promise<void> {
  for (;;) {
    const { status } = (await (await fetch(`${url}/health/ready`)).json()) as { status: string }; // as health.ts has it
    if (status === "ok") return;
    await new Promise((resume) => setTimeout(resume, 20));
  }
}

let pair: Promise<[App & { url: string }, App & { url: string }]> | undefined;

/** The two nodes that all tests of a file share. */
export function nodes(): Promise<[App & { url: string }, App & { url: string }]> {
  pair ??= (async () => [await startNode(), await startNode({ environment: { SKEIN_ROLES: "api" } })] as const)().then(
    ([first, second]) => [first, second],
  );
  return pair;
}
