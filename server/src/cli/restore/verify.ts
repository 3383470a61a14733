import { sql } from "kysely";
import { readConfig, type Config } from "../../config.ts";
import { examineLog } from "../../events/relay-setup.ts";
import { connectToLog, logNames } from "../../events/stream.ts";
import { connect, type Db } from "../../platform/db/connect.ts";
import { command } from "../command.ts";
import { explainUnreachable } from "../database.ts";
import { checkSchema } from "../doctor/postgres.ts";
import { checkSecret } from "../doctor/settings.ts";
import { failed, ok, reasonOf, report, strictOption, warning, type Finding } from "../finding.ts";
import { checkFileReferences, fileOptions } from "../referenced-files.ts";

export const restoreVerify = command({
  options: {
    ...fileOptions,
    strict: strictOption,
  },
  run: async ({ options, answer }) => {
    const config = readConfig(process.env);
    const db = connect({ url: config.databaseUrl, connections: 2, name: "skein command" });
    try {
      const checks = await explainUnreachable(config, () => verify(config, db, options));
      report(checks, answer, options);
    } finally {
      await db.destroy();
    }
  },
});

async function verify(config: Config, db: Db, options: { "all-files": boolean }): Promise<Finding[]> {
  const server = [await checkWritable(db), await checkSchema(config)];
  if (server.some(({ status }) => status === "failed")) return server;
  return [
    ...server,
    await describeContent(db),
    await checkSequences(db),
    await checkIndexes(db),
    await checkCollation(db),
    ...(await checkSecret(config, db)),
    ...(await checkFileReferences(config, db, options)),
    await foreseeLog(config, db),
  ];
}

async function checkWritable(db: Db): Promise<Finding> {
  const { rows } = await sql<{ recovering: boolean }>`select pg_is_in_recovery() as recovering`.execute(db);
  if (!rows[0]?.recovering) return ok("recovery", "finished");
  return failed("recovery", "PostgreSQL is still recovering, or is a standby", "Wait, or run: SELECT pg_promote()");
}

async function describeContent(db: Db): Promise<Finding> {
  const { rows } = await sql<{ realms: number; users: number; newest: string | null; at: Date | null }>`
    select (select count(*) from realms) as realms, (select count(*) from users) as users, newest.id as newest, newest.date_sent as at
    from (select) as one left join lateral (select id, date_sent from messages order by id desc limit 1) as newest on true`.execute(
    db,
  );
  const [row] = rows;
  const newest = row?.at ? `the newest message is ${row.newest}, sent at ${row.at.toISOString()}` : "no messages";
  return ok("content", `${row?.realms} organizations, ${row?.users} accounts, ${newest}`);
}

/** A sequence that is behind its table makes every insert fail, or assigns ids again. */
async function checkSequences(db: Db): Promise<Finding> {
  const { rows: columns } = await sql<{ sequence: string; table: string; column: string }>`
    select s.oid::regclass::text as sequence, t.oid::regclass::text as table, a.attname as column
    from pg_class s
      join pg_depend d on d.objid = s.oid and d.classid = 'pg_class'::regclass and d.deptype in ('a', 'i')
      join pg_class t on t.oid = d.refobjid
      join pg_attribute a on a.attrelid = t.oid and a.attnum = d.refobjsubid
    where s.relkind = 'S' and s.relnamespace = current_schema()::regnamespace
    union
    select s.oid::regclass::text, t.oid::regclass::text, a.attname
    from pg_class s
      join pg_depend d on d.refobjid = s.oid and d.classid = 'pg_attrdef'::regclass
      join pg_attrdef f on f.oid = d.objid
      join pg_class t on t.oid = f.adrelid
      join pg_attribute a on a.attrelid = t.oid and a.attnum = f.adnum
    where s.relkind = 'S' and s.relnamespace = current_schema()::regnamespace`.execute(db);
  const behind: string[] = [];
  for (const { sequence, table, column } of columns) {
    const { rows } = await sql<{ highest: number | null; next: number }>`
      select (select max(${sql.ref(column)}) from ${sql.raw(table)}) as highest,
        last_value + is_called::int as next from ${sql.raw(sequence)}`.execute(db);
    const [row] = rows;
    if (row && row.highest !== null && row.next <= row.highest)
      behind.push(`SELECT setval('${sequence}', ${row.highest});`);
  }
  if (behind.length === 0) return ok("sequences", `all ${columns.length} are ahead of their tables`);
  return failed(
    "sequences",
    `${behind.length} are behind their tables, so that ids would be assigned again`,
    behind.join(" "),
  );
}

async function checkIndexes(db: Db): Promise<Finding> {
  const { rows } = await sql<{ name: string }>`
    select indexrelid::regclass::text as name from pg_index i join pg_class c on c.oid = i.indexrelid
    where not (indisvalid and indisready) and c.relnamespace = current_schema()::regnamespace`.execute(db);
  if (rows.length === 0) return ok("indexes", "all are valid");
  const names = rows.map(({ name }) => name);
  return failed("indexes", `invalid: ${names.join(", ")}`, names.map((name) => `REINDEX INDEX ${name};`).join(" "));
}

/** Another C or ICU library may sort text differently, and then indexes miss rows. */
async function checkCollation(db: Db): Promise<Finding> {
  const { rows } = await sql<{ was: string | null; now: string | null; name: string }>`
    select datcollversion as was, pg_database_collation_actual_version(oid) as now, datname as name
    from pg_database where datname = current_database()`.execute(db);
  const [row] = rows;
  if (!row || row.was === row.now) return ok("collation", "the same library version as before");
  return warning(
    "collation",
    `the database was written with version ${row.was} of the collation library, this machine has ${row.now}`,
    `REINDEX DATABASE "${row.name}"; ALTER DATABASE "${row.name}" REFRESH COLLATION VERSION;`,
  );
}

/** What a relay will do, or has done, and what clients notice of it. */
async function foreseeLog(config: Config, db: Db): Promise<Finding> {
  const name = "event log";
  const { rows } = await sql<{ queues: number }>`
    select count(*) as queues from event_queues where expires_at > now()`.execute(db);
  const queues = rows[0]?.queues ?? 0;
  try {
    const log = await connectToLog(config, { name: "skein restore verify", reconnect: false });
    try {
      const { mismatch, after } = await examineLog({ config, db }, log, logNames(config.logName));
      if (!mismatch) return ok(name, `epoch ${after.epoch} continues: clients notice nothing`);
      return ok(
        name,
        `the next relay begins a new epoch (${mismatch.reason}): the clients of ${queues} queues register again`,
      );
    } finally {
      await log.nats.close();
    }
  } catch (error) {
    return warning(
      name,
      `NATS cannot be asked: ${reasonOf(error)}`,
      "Start it. It may be empty: then a new epoch begins, and clients register again.",
    );
  }
}
