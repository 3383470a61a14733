/** Checks PostgreSQL: version, settings, slots, connections, clock, and the schema. */
import { sql } from "kysely";
import type { Config } from "../../config.ts";
import { planConnections, readConnections } from "../../connections.ts";
import { logNames } from "../../events/stream.ts";
import type { Db } from "../../platform/db/connect.ts";
import { compareSchema } from "../../platform/db/schema-state.ts";
import { clockFinding, failed, ok, warning, type Finding } from "../finding.ts";

const oldestVersion = 150_000;
const gibibyte = 1024 ** 3;

interface Server {
  version: string;
  version_number: number;
  is_standby: boolean;
  wal_level: string;
  may_replicate: boolean;
  owns_database: boolean;
  role: string;
  slots: number;
  max_slots: number;
  senders: number;
  max_senders: number;
  /** In MiB; -1 is unlimited. */
  max_slot_wal_keep_size: number;
  encoding: string;
  now: Date;
}

export async function checkPostgres(config: Config, db: Db): Promise<Finding[]> {
  const before = Date.now();
  const server = await readServer(db);
  const after = Date.now();
  const { slot } = logNames(config.logName);
  return [
    checkVersion(server),
    clockFinding("PostgreSQL's clock", server.now.getTime(), (before + after) / 2, (after - before) / 2),
    ...checkRole(server),
    checkWalLevel(server),
    await checkSlots(db, server, slot),
    checkRetention(server),
    ...(await checkForeignSlots(db, slot)),
    await checkPools(config, db),
    await checkSchema(config),
  ];
}

async function readServer(db: Db): Promise<Server> {
  const { rows } = await sql<Server>`
    select current_setting('server_version') as version, current_setting('server_version_num')::int as version_number,
      pg_is_in_recovery() as is_standby, current_setting('wal_level') as wal_level, current_user as role,
      (select rolreplication or rolsuper from pg_roles where rolname = current_user) as may_replicate,
      (select pg_has_role(datdba, 'usage') from pg_database where datname = current_database()) as owns_database,
      (select count(*)::int from pg_replication_slots) as slots,
      current_setting('max_replication_slots')::int as max_slots,
      (select count(*)::int from pg_stat_activity where backend_type = 'walsender') as senders,
      current_setting('max_wal_senders')::int as max_senders,
      (select setting::int from pg_settings where name = 'max_slot_wal_keep_size') as max_slot_wal_keep_size,
      current_setting('server_encoding') as encoding, clock_timestamp() as now`.execute(db);
  const [row] = rows;
  if (!row) throw new Error("PostgreSQL returned no row");
  return row;
}

function checkVersion({ version, version_number }: Server): Finding {
  const name = "PostgreSQL";
  if (version_number < oldestVersion) return failed(name, `version ${version}`, "Upgrade to PostgreSQL 15 or newer.");
  return ok(name, `version ${version}`);
}

function checkRole({ is_standby, role, may_replicate, owns_database, encoding }: Server): Finding[] {
  return [
    ...(is_standby
      ? [
          failed(
            "primary",
            "this server is a standby: nothing can be written",
            "Promote it, or set SKEIN_DATABASE_URL to the primary.",
          ),
        ]
      : []),
    may_replicate
      ? ok("replication privilege", `granted to ${role}`)
      : failed(
          "replication privilege",
          `the role ${role} lacks the REPLICATION attribute, which the relay needs`,
          `As a superuser run: ALTER ROLE "${role}" REPLICATION`,
        ),
    ...(owns_database
      ? []
      : [
          warning(
            "database owner",
            `the role ${role} does not own the database`,
            "As a superuser run: ALTER DATABASE … OWNER TO …; otherwise `skein migrate` may fail.",
          ),
        ]),
    ...(encoding === "UTF8"
      ? []
      : [failed("encoding", `the database's encoding is ${encoding}`, "Create the database with encoding UTF8.")]),
  ];
}

const checkWalLevel = ({ wal_level }: Server): Finding =>
  wal_level === "logical"
    ? ok("wal_level", wal_level)
    : failed(
        "wal_level",
        `${wal_level}, but the relay reads committed events from the write-ahead log`,
        "As a superuser run: ALTER SYSTEM SET wal_level = logical; then restart PostgreSQL.",
      );

async function checkSlots(db: Db, server: Server, slot: string): Promise<Finding> {
  const { rows } = await sql`select from pg_replication_slots where slot_name = ${slot}`.execute(db);
  const [freeSlots, freeSenders] = [server.max_slots - server.slots, server.max_senders - server.senders];
  const text = `${server.slots} of ${server.max_slots} slots and ${server.senders} of ${server.max_senders} senders in use`;
  const remedy = "Raise max_replication_slots and max_wal_senders to at least 10 and restart PostgreSQL.";
  const name = "replication slots";
  if (rows.length === 0 && freeSlots < 1) return failed(name, `${text}; the relay needs one more`, remedy);
  if (rows.length === 0 && freeSenders < 1) return failed(name, `${text}; the relay needs a sender`, remedy);
  return freeSlots < 1 || freeSenders < 1 ? warning(name, text, remedy) : ok(name, text);
}

/** Without a limit an abandoned slot fills the disk; with a small one a short outage of NATS costs an epoch. */
function checkRetention({ max_slot_wal_keep_size: mebibytes }: Server): Finding {
  const name = "max_slot_wal_keep_size";
  const set = "As a superuser run: ALTER SYSTEM SET max_slot_wal_keep_size = '10GB'; SELECT pg_reload_conf();";
  if (mebibytes < 0)
    return warning(
      name,
      "unlimited: if no relay runs, the write-ahead log grows until PostgreSQL's disk is full",
      `${set} Use up to half of the free space on that disk.`,
    );
  if (mebibytes * 1024 ** 2 < gibibyte)
    return warning(name, `${mebibytes} MiB: after a short outage of NATS all clients must register again`, set);
  return ok(name, `${(mebibytes / 1024).toFixed(1)} GiB`);
}

/** Forgotten slots of other programs are a frequent cause of full disks. */
async function checkForeignSlots(db: Db, slot: string): Promise<Finding[]> {
  const { rows } = await sql<{ name: string; retained: number }>`
    select slot_name as name,
      pg_wal_lsn_diff(case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end,
        restart_lsn)::bigint as retained
    from pg_replication_slots where not active and slot_name <> ${slot}`.execute(db);
  return rows
    .filter(({ retained }) => retained > gibibyte)
    .map(({ name, retained }) =>
      warning(
        `slot ${name}`,
        `inactive, and retains ${(retained / gibibyte).toFixed(1)} GiB of write-ahead log`,
        `Start the standby or program that uses it; if there is none: SELECT pg_drop_replication_slot('${name}')`,
      ),
    );
}

async function checkPools(config: Config, db: Db): Promise<Finding> {
  const name = "connections";
  const { total } = planConnections(config);
  const { available, others } = await readConnections(db, "skein command");
  const remedy = "Raise max_connections in PostgreSQL, or lower SKEIN_DATABASE_CONNECTIONS.";
  const text = `a process with these settings may open ${total}, all running processes ${others}, of ${available}`;
  if (total > available) return failed(name, text, remedy);
  return others > available ? warning(name, text, remedy) : ok(name, text);
}

export async function checkSchema(config: Config): Promise<Finding> {
  const { missing, newer, breaking } = await compareSchema(config.databaseUrl);
  const name = "schema";
  if (breaking.length > 0)
    return failed(
      name,
      `a newer release made changes that this one cannot work with: ${breaking.map((migration) => migration.name).join(", ")}`,
      "Install the newer release.",
    );
  if (missing.length > 0)
    return failed(
      name,
      `migrations are missing: ${missing.join(", ")}`,
      "Run `skein migrate --expand`, or `skein migrate` if the database is new.",
    );
  if (newer.length > 0)
    return warning(name, `a newer release has migrated the database: ${newer.join(", ")}`, "Upgrade this node, too.");
  return ok(name, "up to date");
}
