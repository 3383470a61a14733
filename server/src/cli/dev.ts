/**
 * Everything on this machine with one command: engines, organization, owner, nodes. The nodes are processes of their
 * own, as they would be elsewhere. Without --dir nothing stays behind.
 */
import { fork, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { greetLater } from "../domain/accounts/jobs.ts";
import { createApiKey } from "../domain/auth/api-keys.ts";
import { hashPassword } from "../domain/auth/passwords.ts";
import { createRealm } from "../domain/realm/create.ts";
import { enqueue } from "../jobs/job.ts";
import { connect } from "../platform/db/connect.ts";
import { migrate } from "../platform/db/migrate.ts";
import { transaction } from "../platform/db/transaction.ts";
import { startEngines, stopEngines } from "../platform/engines/engines.ts";
import { freePort, isFree } from "../platform/engines/free-port.ts";
import { command, print, UsageError } from "./command.ts";

interface Owner {
  email: string;
  password: string;
  api_key: string;
}

export const dev = command({
  options: {
    port: { type: "number", value: "PORT", default: 9991, description: "Port of the first node; 0 takes a free one." },
    dir: {
      type: "string",
      value: "DIR",
      description: "Keep all data in this folder and find it again next time. Without it everything is thrown away.",
    },
    nodes: {
      type: "number",
      value: "N",
      default: 1,
      description: "How many api processes, each on a port of its own.",
    },
    "rate-limits": { type: "boolean", description: "Limit requests as in production." },
    demo: { type: "boolean", description: "Begin with a team that has talked for a fortnight, to look around." },
    "demo-now": {
      type: "string",
      value: "TIME",
      description: "With --demo: when the fortnight ends, such as 2026-05-04T09:00Z, in place of now.",
    },
  },
  run: async ({ options, json }) => {
    if (!Number.isInteger(options.nodes) || options.nodes < 1) throw new Error("--nodes must be 1 or more");
    const demoNow = new Date(options["demo-now"] ?? Date.now());
    if (Number.isNaN(demoNow.getTime())) throw new UsageError(`${options["demo-now"]} is no time`);
    const ports = await choosePorts(options.port, options.nodes);
    const told = untilTold();
    const dir = options.dir ?? (await throwAwayFolder());
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
        SKEIN_DEVELOPMENT: process.env["SKEIN_DEVELOPMENT"] ?? String(isReachedFromHereOnly()),
        SKEIN_RATE_LIMITS: String(options["rate-limits"]),
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
        told.then(() => false),
      ]);
      if (!isUp) return;
      const reached = { url: nodes[0] ?? "", nodes, owner, mail: mailFolder(dir), database: engines.postgresUrl };
      const others = options.demo
        ? "maya@example.com and everybody else of the team, with the same password"
        : undefined;
      // Whoever started this through npx has npx's id, and ending that one ends nothing here.
      print(json ? JSON.stringify({ ...reached, pid: process.pid }) : describe({ ...reached, others }, options.dir));
      await Promise.race([told, failed]);
      say("\nStopping …");
    } finally {
      await Promise.all(children.map(stopNode));
      await stopEngines(dir);
      if (options.dir === undefined) await rm(dir, { recursive: true, force: true });
    }
  },
});

/** The web client is served as it was built; while one works on it, that is seldom what it is now. */
async function buildClient(say: (line: string) => unknown): Promise<void> {
  // Not imported above: where the client comes built, there is no bundler.
  const { isStale, buildWebClient } = await import("../../../web/build.ts");
  if (!(await isStale())) return;
  say("Building the web client …");
  await buildWebClient();
}

/** By a process of the server that answers nobody. */
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

/** Where others could reach it, nobody gets a key without a password. */
const isReachedFromHereOnly = (): boolean =>
  ["", "localhost", "127.0.0.1", "::1"].includes(process.env["SKEIN_HOST"] ?? "");

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

async function throwAwayFolder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "skein-dev-"));
  await chmod(dir, 0o711); // PostgreSQL may run under another account, which has to pass through
  return dir;
}

/** The owner's secrets are kept beside the data, for the next start: only hashes of them are in the database. */
async function findOrMakeOwner(databaseUrl: string, file: string): Promise<Owner> {
  try {
    return JSON.parse(await readFile(file, "utf8")) as Owner; // written below
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  const db = connect({ url: databaseUrl, connections: 2, name: "skein dev" });
  try {
    const password = randomBytes(12).toString("base64url");
    const passwordHash = await hashPassword(password);
    const email = "owner@example.com";
    const owner = await transaction(db, "make the organization", async (tx) => {
      const realm = await createRealm(tx, { string_id: "", name: "Skein development" });
      const { id } = await tx
        .insertInto("users")
        .values({
          realm_id: realm.id,
          delivery_email: email,
          full_name: "Olive Owner",
          role: 100,
          password_hash: passwordHash,
          can_create_users: true,
          can_change_user_emails: true,
        })
        .returning("id")
        .executeTakeFirstOrThrow();
      await enqueue(tx, greetLater, { userId: id });
      return { email, password, api_key: await createApiKey(tx, { id, realm_id: realm.id }, "skein dev") };
    });
    await writeFile(file, `${JSON.stringify(owner)}\n`, { mode: 0o600 });
    return owner;
  } finally {
    await db.destroy();
  }
}

/** Kept beside the data it seals. */
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
  // A group of its own: Ctrl-C in the terminal reaches this process, which stops the nodes in order. Its log goes to
  // standard error, so that standard output holds nothing but what was asked for.
  return fork(program, ["serve"], { env: environment, detached: true, stdio: ["ignore", 2, 2, "ipc"] });
}

async function untilReady(url: string): Promise<void> {
  for (;;) {
    const answer = await fetch(`${url}/health/ready`).catch(() => undefined); // not listening yet
    if (answer?.ok) return;
    await new Promise((resume) => setTimeout(resume, 50));
  }
}

async function untilExit(child: ChildProcess): Promise<never> {
  const [code, signal] = (await once(child, "exit")) as [number | null, string | null]; // as documented for "exit"
  throw new Error(`A node ended by itself (${signal ?? `exit code ${code}`}); its log is above.`);
}

async function stopNode(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGTERM");
  await once(child, "exit");
}

const untilTold = () =>
  new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => resolve());
  });

const mailFolder = (dir: string) => join(dir, "mail");

interface Reached {
  url: string;
  nodes: string[];
  owner: Owner;
  /** Whom one can sign in as, too. */
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
    `  mail       ${mail}  (each mail a file, unless SKEIN_SMTP_URL is set)`,
    `  database   ${database}  (SKEIN_DATABASE_URL for other commands)`,
    "",
    "Try it:",
    "",
    `  curl -sS ${url}/api/v1/messages -u ${owner.email}:${owner.api_key} \\`,
    `    -d type=direct -d 'to=["${owner.email}"]' -d 'content=Hello, Skein!'`,
    "",
    dir === undefined ? "Everything is thrown away at the end. Ctrl-C stops it." : "Ctrl-C stops it; the data stays.",
  ].join("\n");
}
