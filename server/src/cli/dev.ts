/**
 * Starts everything on this machine with one command: engines, organization, owner, nodes. Each node is a separate
 * process, as in production. Without --dir all data is deleted at the end.
 */
import { fork, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { connect } from "../platform/db/connect.ts";
import { migrate } from "../platform/db/migrate.ts";
import { startEngines, stopEngines } from "../platform/engines/engines.ts";
import { freePort, isFree } from "../platform/engines/free-port.ts";
import { whenOrphaned } from "../platform/orphaned.ts";
import { command, print, UsageError } from "./command.ts";
import { makeOwner, type Owner } from "./development-owner.ts";

export const dev = command({
  options: {
    port: {
      type: "number",
      value: "PORT",
      default: 9991,
      description: "Port of the first node; 0 chooses a free port.",
    },
    dir: {
      type: "string",
      value: "DIR",
      description: "Keep all data in this folder and reuse it next time. Without it, all data is deleted at the end.",
    },
    nodes: {
      type: "number",
      value: "N",
      default: 1,
      description: "Number of api processes, each on its own port.",
    },
    "rate-limits": { type: "boolean", description: "Apply the same rate limits as in production." },
    demo: { type: "boolean", description: "Create a demo team with two weeks of conversations." },
    "demo-now": {
      type: "string",
      value: "TIME",
      description: "With --demo: when the two weeks end, such as 2026-05-04T09:00Z. Default: now.",
    },
  },
  run: async ({ options, json }) => {
    if (!Number.isInteger(options.nodes) || options.nodes < 1) throw new Error("--nodes must be 1 or more");
    const demoNow = new Date(options["demo-now"] ?? Date.now());
    if (Number.isNaN(demoNow.getTime()))
      throw new UsageError(`--demo-now must be a date and time such as 2026-05-04T09:00Z, not ${options["demo-now"]}`);
    const ports = await choosePorts(options.port, options.nodes);
    const stopRequested = untilStopRequested();
    const dir = options.dir ?? (await temporaryFolder());
    const say = (line: string) => !json && print(line);
    const children: ChildProcess[] = [];
    try {
      await buildClient(say);
      say("Starting PostgreSQL and NATS …");
      const engines = await startEngines(dir);
      say("Preparing the database …");
      await migrate(engines.postgresUrl);
      const owner = await findOrMakeOwner(engines.postgresUrl, join(dir, "owner.json"));
      const secret = await findOrMakeSecret(join(dir, "secret"));
      const environment = {
        ...process.env,
        SKEIN_DATABASE_URL: engines.postgresUrl,
        SKEIN_NATS_URL: engines.natsUrl,
        SKEIN_FILES_DIR: join(dir, "files"),
        SKEIN_PORT: String(ports[0]),
        SKEIN_DEVELOPMENT: process.env["SKEIN_DEVELOPMENT"] ?? String(isLoopbackOnly()),
        SKEIN_RATE_LIMITS: String(options["rate-limits"]),
        SKEIN_DRAIN_DELAY_SECONDS: process.env["SKEIN_DRAIN_DELAY_SECONDS"] ?? "0",
        SKEIN_LOG_LEVEL: process.env["SKEIN_LOG_LEVEL"] ?? "warn",
        SKEIN_SMTP_URL: process.env["SKEIN_SMTP_URL"] ?? pathToFileURL(mailFolder(dir)).href,
        SKEIN_SECRET: process.env["SKEIN_SECRET"] ?? secret,
        SKEIN_OUTBOUND_ALLOW: process.env["SKEIN_OUTBOUND_ALLOW"] ?? "localhost,127.0.0.0/8,::1",
      };
      if (options.demo) await fillWithDemo(environment, demoNow, say);
      say(`Starting ${options.nodes === 1 ? "the server" : `${options.nodes} nodes`} …`);
      for (const [index, port] of ports.entries())
        children.push(startNode({ ...environment, SKEIN_PORT: String(port), SKEIN_NODE_NAME: `node-${index + 1}` }));
      const nodes = ports.map((port) => `http://127.0.0.1:${port}`);
      const failed = Promise.race(children.map(untilExit));
      const isUp = await Promise.race([
        Promise.all(nodes.map(untilReady)).then(() => true),
        failed,
        stopRequested.then(() => false),
      ]);
      if (!isUp) return;
      const reached = { url: nodes[0] ?? "", nodes, owner, mail: mailFolder(dir), database: engines.postgresUrl };
      const others = options.demo
        ? "maya@example.com and the rest of the demo team, with the same password"
        : undefined;
      // A caller that started this through npx only knows npx's process id.
      print(json ? JSON.stringify({ ...reached, pid: process.pid }) : describe({ ...reached, others }, options.dir));
      await Promise.race([stopRequested, failed]);
      say("\nStopping …");
    } finally {
      await Promise.all(children.map(stopNode));
      await stopEngines(dir);
      if (options.dir === undefined) await rm(dir, { recursive: true, force: true });
    }
  },
});

/** Rebuilds the web client if its sources changed since the last build. */
async function buildClient(say: (line: string) => unknown): Promise<void> {
  // Imported lazily: installations that ship a built client have no bundler.
  const { isStale, buildWebClient } = await import("../../../web/build.ts");
  if (!(await isStale())) return;
  say("Building the web client …");
  await buildWebClient();
}

/** Runs the server in this process without any role, so that it serves no requests. */
async function fillWithDemo(environment: NodeJS.ProcessEnv, now: Date, say: (line: string) => unknown): Promise<void> {
  const [{ startApp }, { readConfig }, demo] = await Promise.all([
    import("../app.ts"),
    import("../config.ts"),
    import("./demo/fill.ts"),
  ]);
  const app = await startApp({ ...readConfig(environment), roles: [] });
  try {
    const { id } = await app.ctx.db.selectFrom("realms").select("id").executeTakeFirstOrThrow();
    await demo.fillWithDemo(app.ctx, id, { now, say });
  } finally {
    await app.stop();
  }
}

/** Development endpoints give out API keys without a password, so they are on only if no other machine can connect. */
const isLoopbackOnly = (): boolean => ["", "localhost", "127.0.0.1", "::1"].includes(process.env["SKEIN_HOST"] ?? "");

async function choosePorts(first: number, count: number): Promise<number[]> {
  const ports: number[] = [];
  for (let index = 0; index < count; index++) {
    const port = first === 0 ? await freePort() : first + index;
    if (first !== 0 && !(await isFree(port)))
      throw new Error(`Port ${port} is in use. Choose another with --port, or --port 0 for a free one.`);
    ports.push(port);
  }
  return ports;
}

async function temporaryFolder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "skein-dev-"));
  await chmod(dir, 0o711); // PostgreSQL may run as another user, which needs to traverse this folder
  return dir;
}

/** Keeps the owner's credentials beside the data for the next start: the database holds only their hashes. */
async function findOrMakeOwner(databaseUrl: string, file: string): Promise<Owner> {
  try {
    return JSON.parse(await readFile(file, "utf8")) as Owner; // written below
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  const db = connect({ url: databaseUrl, connections: 2, name: "skein dev" });
  try {
    const owner = await makeOwner(db);
    await writeFile(file, `${JSON.stringify(owner)}\n`, { mode: 0o600 });
    return owner;
  } finally {
    await db.destroy();
  }
}

/** Stored beside the data that it encrypts. */
async function findOrMakeSecret(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  const secret = randomBytes(32).toString("hex");
  await writeFile(file, secret, { mode: 0o600 });
  return secret;
}

function startNode(environment: NodeJS.ProcessEnv): ChildProcess {
  const program = join(import.meta.dirname, "main.ts");
  // A separate process group: Ctrl-C in the terminal reaches only this process, which then stops the nodes in order. Logs
  // go to standard error, so that standard output holds only the result.
  return fork(program, ["serve"], { env: environment, detached: true, stdio: ["ignore", 2, 2, "ipc"] });
}

async function untilReady(url: string): Promise<void> {
  for (;;) {
    const answer = await fetch(`${url}/health/ready`).catch(() => undefined); // not listening yet
    if (((await answer?.json()) as { status: string } | undefined)?.status === "ok") return; // as health.ts has it
    await new Promise((resume) => setTimeout(resume, 50));
  }
}

async function untilExit(child: ChildProcess): Promise<never> {
  const [code, signal] = (await once(child, "exit")) as [number | null, string | null]; // as documented for "exit"
  throw new Error(`A node exited unexpectedly (${signal ?? `exit code ${code}`}). See its log above.`);
}

async function stopNode(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGTERM");
  await once(child, "exit");
}

const untilStopRequested = () =>
  new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => resolve());
    process.once("disconnect", () => resolve()); // the parent process is gone
    whenOrphaned(resolve);
    process.channel?.unref(); // the channel alone must not keep this process alive
  });

const mailFolder = (dir: string) => join(dir, "mail");

interface Reached {
  url: string;
  nodes: string[];
  owner: Owner;
  /** Other accounts to sign in with. */
  others: string | undefined;
  mail: string;
  database: string;
}

function describe({ url, nodes, owner, others, mail, database }: Reached, dir: string | undefined): string {
  return [
    "",
    "Skein is running.",
    "",
    `  address    ${nodes.join("\n             ")}`,
    `  sign in    ${url}/login/  (owner and password below)`,
    `  owner      ${owner.email}`,
    `  password   ${owner.password}`,
    ...(others === undefined ? [] : [`  others     ${others}`]),
    `  API key    ${owner.api_key}`,
    `  reference  ${url}/api/docs`,
    `  mail       ${mail}  (one file per mail, unless SKEIN_SMTP_URL is set)`,
    `  database   ${database}  (set it as SKEIN_DATABASE_URL for other commands)`,
    "",
    "Try it:",
    "",
    `  curl -sS ${url}/api/v1/messages -u ${owner.email}:${owner.api_key} \\`,
    `    -d type=direct -d 'to=["${owner.email}"]' -d 'content=Hello, Skein!'`,
    "",
    dir === undefined ? "Press Ctrl-C to stop. All data will be deleted." : "Press Ctrl-C to stop. The data is kept.",
  ].join("\n");
}
