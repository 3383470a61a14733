/** The server under test: two nodes of it in this process, on the run's PostgreSQL and NATS, with checks switched on. */
import { join } from "node:path";
import { afterAll, inject } from "vitest";
import { startApp, type App } from "../src/app.ts";
import { readConfig } from "../src/config.ts";
import { migrate } from "../src/platform/db/migrate.ts";

export interface NodeOptions {
  /** Variables beside those every test node has. */
  environment?: Record<string, string>;
  /** False: the node is handed out though it may not be ready to serve. */
  isAwaited?: boolean;
}

const started: App[] = [];
afterAll(async () => {
  await Promise.all(started.splice(0).map((app) => app.stop()));
});

export async function startNode({ environment = {}, isAwaited = true }: NodeOptions = {}): Promise<
  App & { url: string }
> {
  const ownDatabase = environment["SKEIN_DATABASE_URL"];
  if (ownDatabase !== undefined) await migrate(ownDatabase); // the one all share was migrated when it was made
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
      SKEIN_LOG_LEVEL: process.env["TEST_LOG_LEVEL"] ?? "silent",
      SKEIN_CHECK_RESPONSES: "true",
      SKEIN_WEB_PUBLIC_CHANNELS: "true",
      SKEIN_SECRET: "a secret of the test nodes, long enough",
      // Of the addresses of this machine just the usual ones: the others stand for those a request must not reach.
      SKEIN_OUTBOUND_ALLOW: "127.0.0.1,::1",
      ...environment,
    }),
  );
  started.push(app);
  const { url } = app;
  if (url === undefined) throw new Error("a test node needs the api role");
  if (isAwaited) await untilReady(url);
  return { ...app, url };
}

/** Before the file's tests are over, for who has to clean up after it. */
export async function stopNode({ ctx }: App): Promise<void> {
  const at = started.findIndex((app) => app.ctx === ctx);
  await Promise.all(started.splice(at, 1).map((app) => app.stop()));
}

async function untilReady(url: string): Promise<void> {
  for (;;) {
    if ((await fetch(`${url}/health/ready`)).ok) return;
    await new Promise((resume) => setTimeout(resume, 20));
  }
}

let pair: Promise<[App & { url: string }, App & { url: string }]> | undefined;

/** The two nodes all tests of a file share. */
export function nodes(): Promise<[App & { url: string }, App & { url: string }]> {
  pair ??= (async () => [await startNode(), await startNode({ environment: { SKEIN_ROLES: "api" } })] as const)().then(
    ([first, second]) => [first, second],
  );
  return pair;
}
