/**
 * Sends hostile parameters to every operation of the contract, as users of several roles and unauthenticated, to a server
 * with its own engines.
 *
 *   npm run fuzz:parameters                      40,000 of them
 *   npm run fuzz:parameters -- 5000 --seed 7     fewer, and others
 *
 * The seed determines the requests, but not the order in which the server handles them. Findings are printed with their
 * requests, and the exit code is 1.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { connect } from "../../src/platform/db/connect.ts";
import { migrate } from "../../src/platform/db/migrate.ts";
import { startEngines, stopEngines } from "../../src/platform/engines/engines.ts";
import { startMailCatcher } from "../mail-catcher.ts";
import { fuzz, writeReport } from "./fuzz.ts";

const program = join(import.meta.dirname, "../../src/cli/main.ts");

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: "string", default: "1" } },
});
const parameters = Number(positionals[0] ?? "40000");
const seed = Number(values.seed);

const dir = await mkdtemp(join(tmpdir(), "skein-fuzz-"));
await chmod(dir, 0o711); // the engines may run as another user, which needs to traverse this folder
const mail = await startMailCatcher();
try {
  const { postgresUrl, natsUrl } = await startEngines(join(dir, "engines"), { fsync: false });
  await migrate(postgresUrl);
  const child = fork(program, ["serve"], {
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    env: {
      ...process.env,
      SKEIN_DATABASE_URL: postgresUrl,
      SKEIN_NATS_URL: natsUrl,
      SKEIN_FILES_DIR: join(dir, "files"),
      SKEIN_SMTP_URL: mail.smtpUrl,
      SKEIN_SECRET: "a secret of the fuzzer, long enough",
      SKEIN_PORT: "0",
      SKEIN_ROLES: "api,relay,worker",
      SKEIN_TRUST_PROXY: "true",
      SKEIN_RATE_LIMITS: "false",
      SKEIN_CHECK_RESPONSES: "true",
      SKEIN_OUTBOUND_ALLOW: "",
    },
  });
  let log = "";
  let ending: string | undefined;
  for (const output of [child.stdout, child.stderr])
    output?.setEncoding("utf8").on("data", (text: string) => (log += text));
  child.once("exit", (code, signal) => (ending = signal ?? `exit code ${code}`));
  const [{ url }] = (await once(child, "message")) as [{ url: string }]; // what `serve` sends once it has started
  while (!(await fetch(`${url}/health/ready`)).ok) await new Promise((resume) => setTimeout(resume, 50));
  const db = connect({ url: postgresUrl, connections: 2, name: "fuzz" });
  const begun = performance.now();
  const report = await fuzz(
    { url, db, log: () => log, ending: () => ending },
    {
      parameters,
      seed,
      onRound: ({ parameters: sent, findings }) => console.log(`${sent} sent, ${findings.length} findings`),
    },
  );
  console.log(writeReport(report));
  console.log(`seed ${seed}, ${((performance.now() - begun) / 1000).toFixed(0)} s`);
  process.exitCode = report.findings.length === 0 ? 0 : 1;
  await db.destroy();
  if (ending === undefined) {
    child.kill("SIGTERM");
    await once(child, "exit");
  }
} finally {
  await mail.stop();
  await stopEngines(join(dir, "engines"));
  await rm(dir, { recursive: true, force: true });
}
