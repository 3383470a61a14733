import { readConfig, type Config } from "../../config.ts";
import { connect } from "../../platform/db/connect.ts";
import { command } from "../command.ts";
import { explainUnreachable } from "../database.ts";
import { checkFiles } from "./files.ts";
import { failed, ok, reasonOf, report, strictOption, type Check, type Finding } from "../finding.ts";
import { checkLog } from "./log.ts";
import { checkNats } from "./nats.ts";
import { checkPostgres } from "./postgres.ts";
import { checkMail, checkPush, checkSignOn } from "./services.ts";
import { checkExternalUrl, checkSecret, checkUnsafe } from "./settings.ts";

export const doctor = command({
  options: { strict: strictOption },
  run: async ({ options, answer }) => {
    const checks = await examine(process.env);
    report(checks, answer, options);
  },
});

/** All checks for these settings. */
export async function examine(environment: NodeJS.ProcessEnv): Promise<Finding[]> {
  let config: Config;
  try {
    config = readConfig(environment);
  } catch (error) {
    return [failed("settings", reasonOf(error), "Correct them; `skein config` describes every setting.")];
  }
  const parts = await Promise.all([
    checkDatabase(config),
    attempt("NATS", () => checkNats(config)),
    attempt("files", () => checkFiles(config)),
    attempt("mail", () => checkMail(config)),
    attempt("push", () => checkPush(config)),
    attempt("OpenID Connect", () => checkSignOn(config)),
    attempt("SKEIN_EXTERNAL_URL", () => checkExternalUrl(config)),
  ]);
  return [ok("settings", "all values are valid"), ...checkUnsafe(config), ...parts.flat()];
}

/** The parts that need a database, one after the other. */
async function checkDatabase(config: Config): Promise<Finding[]> {
  const db = connect({ url: config.databaseUrl, connections: 2, name: "skein doctor" });
  try {
    const server = await attempt("PostgreSQL", () => explainUnreachable(config, () => checkPostgres(config, db)));
    // Without the schema the others cannot be read.
    const isUsable = server.some(({ check, status }) => check === "schema" && status !== "failed");
    if (!isUsable) return server;
    return [
      ...server,
      ...(await attempt("event log", () => checkLog(config, db))),
      ...(await attempt("SKEIN_SECRET", () => checkSecret(config, db))),
    ];
  } finally {
    await db.destroy();
  }
}

async function attempt(name: string, check: Check): Promise<Finding[]> {
  try {
    return await check();
  } catch (error) {
    const [text = "", ...remedy] = reasonOf(error).split("\n");
    return [failed(name, text, remedy.join(" ") || "Check its log, and the settings for it (`skein config`).")];
  }
}
