/**
 * Collects what helps to find out why a server does not work, without secrets and without anybody's data: no names, no
 * e-mail addresses, no messages. Each part is collected by itself: a server that is down still gives the others.
 */
import { resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { sql } from "kysely";
import { readConfig, type Config } from "../../config.ts";
import { commit } from "../../domain/organization/releases/commit.ts";
import { readStatistics } from "../../domain/data/statistics/server.ts";
import { readLogStatus } from "../../events/log-status.ts";
import { readMaintenance } from "../../http/maintenance.ts";
import { countJobs } from "../../jobs/administration.ts";
import { connect, type Db } from "../../platform/db/connect.ts";
import { compareSchema } from "../../platform/db/schema-state.ts";
import { release } from "../../platform/release.ts";
import { tar, type TarFile } from "../../platform/tar.ts";
import { command } from "../command.ts";
import { examine } from "../doctor/doctor.ts";
import { reasonOf } from "../finding.ts";
import { formatBytes } from "../format.ts";
import { localUrls } from "../health.ts";
import { writeNewFile } from "../new-file.ts";
import { redactor, shownSettings } from "./redact.ts";

export const supportBundle = command({
  options: {
    output: { type: "string", value: "FILE", description: "The new file. Default: skein-support-DATE.tar.gz." },
  },
  details: [
    "Writes a .tar.gz with versions, settings, the results of `skein doctor`, health and metrics of the process on this " +
      "machine, the state of the schema, the event log and the jobs, and sizes of tables. Secrets and e-mail addresses are " +
      "removed, and there are no names and no messages in it. Look into it before you send it to anybody.",
  ],
  run: async ({ options, answer }) => {
    const name = options.output ?? `skein-support-${new Date().toISOString().slice(0, 10)}.tar.gz`;
    const { bytes, failed } = await writeNewFile(name, async (file) => {
      const collected = await collect(process.env);
      await file.writeFile(collected.bytes);
      return collected;
    });
    const missing = failed.length === 0 ? "" : ` Could not be collected: ${failed.join(", ")}.`;
    const text = `Wrote ${resolve(name)} (${formatBytes(bytes.length)}).${missing}`;
    answer({ file: name, bytes: bytes.length, failed }, text);
  },
});

interface Collected {
  bytes: Buffer;
  /** Parts that could not be collected; they contain the reason instead. */
  failed: string[];
}

export async function collect(environment: NodeJS.ProcessEnv): Promise<Collected> {
  const redact = redactor(environment);
  const failed: string[] = [];
  const files: TarFile[] = [];
  const add = (path: string, text: string) => {
    const bytes = Buffer.from(redact(text));
    files.push({ path: `skein-support/${path}`, size: bytes.length, modifiedAt: new Date(), content: [bytes] });
  };
  const attempt = async (path: string, read: () => Promise<unknown>) => {
    try {
      const value = await read();
      add(path, typeof value === "string" ? value : `${JSON.stringify(value, null, 2)}\n`);
    } catch (error) {
      failed.push(path);
      add(path, `Could not be collected: ${reasonOf(error)}\n`);
    }
  };
  add("README.txt", readme);
  await attempt("versions.json", async () => versions());
  await attempt("settings.json", async () => shownSettings(environment));
  await attempt("doctor.json", () => examine(environment));
  const sources = openSources(environment);
  try {
    for (const [path, read] of Object.entries(parts))
      await attempt(path, async () => {
        if (!sources) throw new Error("the settings are invalid; doctor.json says why");
        return read(sources);
      });
  } finally {
    await sources?.db.destroy();
  }
  const chunks: Uint8Array[] = [];
  for await (const chunk of tar(inOrder(files))) chunks.push(chunk);
  return { bytes: gzipSync(Buffer.concat(chunks)), failed };
}

interface Sources {
  config: Config;
  db: Db;
}

/** Undefined if the settings are invalid. */
function openSources(environment: NodeJS.ProcessEnv): Sources | undefined {
  try {
    const config = readConfig(environment);
    return { config, db: connect({ url: config.databaseUrl, connections: 2, name: "skein support-bundle" }) };
  } catch {
    return undefined; // doctor.json has the reason
  }
}

/** The files of the bundle that need valid settings. */
const parts: Record<string, (sources: Sources) => Promise<unknown>> = {
  "health.json": async ({ config }) => JSON.parse(await fetchLocal(config, "/health/ready")) as unknown, // any JSON
  "metrics.txt": ({ config }) => fetchLocal(config, "/metrics"),
  "database.json": ({ db }) => describeDatabase(db),
  "schema.json": ({ config, db }) => describeSchema(config, db),
  "event-log.json": readLogStatus,
  "jobs.json": ({ db }) => countJobs(db),
  "figures.json": async ({ db }) => ({
    ...(await readStatistics(db, { days: 14 })),
    maintenance: (await readMaintenance(db)) ?? null,
  }),
};

async function* inOrder(files: TarFile[]): AsyncGenerator<TarFile> {
  yield* files;
}

const versions = () => ({
  release,
  commit: commit ?? null,
  node: process.version,
  platform: `${process.platform} ${process.arch}`,
  collected_at: new Date().toISOString(),
});

const timeoutMilliseconds = 5000;

async function fetchLocal(config: Config, path: string): Promise<string> {
  for (const url of localUrls(config, path)) {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMilliseconds) }).catch(() => undefined); // as in health.ts
    // A process that is not ready says why with status 503.
    if (response && response.status !== 404) return response.text();
  }
  throw new Error("no server process responds on this machine");
}

async function describeDatabase(db: Db) {
  const { rows: versionRows } = await sql<{ version: string }>`select version()`.execute(db);
  const { rows: changed } = await sql`
    select name, setting, unit, source from pg_settings
    where source not in ('default', 'client', 'override', 'session') and name not like '%conninfo%'
      and name not like '%command' and name not like 'ssl%' order by name`.execute(db);
  const { rows: tables } = await sql`
    select relname as table, n_live_tup as rows, n_dead_tup as dead_rows, pg_total_relation_size(relid) as bytes,
      last_autovacuum, last_autoanalyze from pg_stat_user_tables order by pg_total_relation_size(relid) desc`.execute(
    db,
  );
  const { rows: connections } = await sql`
    select application_name, state, wait_event_type, count(*) from pg_stat_activity
    where datname = current_database() group by 1, 2, 3 order by 4 desc`.execute(db);
  return { version: versionRows[0]?.version, settings: changed, tables, connections };
}

async function describeSchema(config: Config, db: Db) {
  const { rows: applied } = await sql`select name, applied_at from schema_migrations order by name`.execute(db);
  return { state: await compareSchema(config.databaseUrl), applied };
}

const readme = `This file was written by \`skein support-bundle\`. It contains no secrets, no names, no e-mail addresses and no messages.

versions.json    the release and where it runs
settings.json    the settings of this machine; of secrets only whether they are set
doctor.json      the results of \`skein doctor\`, with what to do
health.json      /health/ready of the process on this machine
metrics.txt      /metrics of the process on this machine
database.json    PostgreSQL: version, changed settings, sizes of tables, connections
schema.json      the applied migrations, and those that are missing
event-log.json   the replication slot and the event log, as \`skein log status\` shows them
jobs.json        jobs by kind and state
figures.json     people, messages per day, storage

Logs are not included, because they may name people. They are one JSON object per line; to add the warnings and errors of
the last day, look through the output of:

  journalctl -u 'skein*' --since -1d -o cat | grep -E '"level":(40|50|60|"warn"|"error"|"fatal")'
`;
