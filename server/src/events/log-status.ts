/** The state of the event log as an operator sees it: database, stream, slot and relay, and what is wrong with them. */
import { sql } from "kysely";
import type { Config } from "../config.ts";
import type { Db } from "../platform/db/connect.ts";
import { writeLsn } from "./log-format.ts";
import { readRecord } from "./relay-setup.ts";
import { readSlot } from "./slot.ts";
import { connectToLog, logNames, streamInfo, type LogConnection, type LogNames } from "./stream.ts";

/** An active relay publishes a heartbeat every second. */
const silenceSeconds = 5;

export interface LogProblem {
  problem: string;
  remedy: string;
}

/** The field names are those of `skein log status --json`. */
export interface LogStatus {
  name: string;
  database: {
    epoch: number;
    generation: string | null;
    system_identifier: string | null;
    timeline: number | null;
    confirmed_sequence: number;
    is_standby: boolean;
  };
  stream: StreamState | null;
  slot: {
    name: string;
    wal_status: string;
    confirmed_lsn: string | null;
    /** Write-ahead log that PostgreSQL keeps for the relay. */
    retained_bytes: number;
    /** How much more may be written before PostgreSQL discards the slot; null without a limit. */
    safe_bytes: number | null;
    /** Null before PostgreSQL 17. */
    is_failover: boolean | null;
  } | null;
  relay: { name: string; address: string | null; connected_at: string } | null;
  lag: {
    /** Write-ahead log that is not published yet. */
    bytes: number | null;
    /** The age of the newest entry: an active relay adds one every second. */
    seconds: number | null;
  };
  /** Queues of the current epoch. */
  queues: number;
  problems: LogProblem[];
}

interface StreamState {
  epoch: number | null;
  generation: string | null;
  system_identifier: string | null;
  timeline: number | null;
  entries: number;
  bytes: number;
  max_bytes: number;
  first: { sequence: number; time: string };
  last: { sequence: number; time: string };
  replicas: number;
  /** Null without a cluster. */
  leader: string | null;
  peers: { name: string; is_current: boolean; is_offline: boolean; lag: number }[];
}

export async function readLogStatus(given: { config: Config; db: Db }): Promise<LogStatus> {
  const { config, db } = given;
  const names = logNames(config.logName);
  const record = await readRecord(db);
  const slot = await readSlot(db, names.slot);
  const { standby, waitedFor, synchronous, queues } = await readSettings(db, record.epoch);
  const relay = slot?.pid === undefined ? undefined : await readHolder(db, slot.pid);
  const nats = await readNats(config, names);
  const { stream, seconds } = nats;
  const problems = [
    ...(standby ? [isStandby] : []),
    ...(nats.problem ? [nats.problem] : []),
    ...(nats.problem || stream ? [] : [noStream]),
    ...(stream ? mismatches(record, stream) : []),
    ...(stream ? clusterProblems(stream, config) : []),
    ...slotProblems(slot),
    ...relayProblems({ hasRelay: relay !== undefined, seconds }),
    ...(waitedFor.length > 0 ? [waitsForStandby(waitedFor)] : []),
    ...(synchronous.includes("*") ? [waitsForRelay(synchronous)] : []),
  ];
  return {
    name: config.logName,
    database: {
      epoch: record.epoch,
      generation: record.generation ?? null,
      system_identifier: record.systemIdentifier ?? null,
      timeline: record.timeline ?? null,
      confirmed_sequence: record.confirmedSequence,
      is_standby: standby,
    },
    stream: stream ?? null,
    slot: slot
      ? {
          name: names.slot,
          wal_status: slot.walStatus,
          confirmed_lsn: slot.confirmed === undefined ? null : writeLsn(slot.confirmed),
          retained_bytes: slot.retainedBytes,
          safe_bytes: slot.safeBytes ?? null,
          is_failover: slot.isFailover ?? null,
        }
      : null,
    relay: relay ?? null,
    lag: { bytes: slot?.lagBytes ?? null, seconds: seconds ?? null },
    queues,
    problems,
  };
}

async function readSettings(db: Db, epoch: number) {
  const { rows } = await sql<{ standby: boolean; waited_for: string[]; synchronous: string; queues: number }>`
    select pg_is_in_recovery() as standby, current_setting('synchronous_standby_names') as synchronous,
      (select count(*) from event_queues where epoch = ${epoch} and expires_at > now()) as queues,
      array(select named from regexp_split_to_table(coalesce(current_setting('synchronized_standby_slots', true), ''),
          ' *, *') as named
        where named <> '' and not exists (select from pg_replication_slots where slot_name = named and active)) as waited_for`.execute(
    db,
  );
  const [row] = rows;
  return {
    standby: row?.standby ?? false,
    waitedFor: row?.waited_for ?? [],
    synchronous: row?.synchronous ?? "",
    queues: row?.queues ?? 0,
  };
}

async function readHolder(db: Db, pid: number) {
  const { rows } = await sql<{ name: string | null; address: string | null; connected_at: Date | null }>`
    select application_name as name, host(client_addr) as address, backend_start as connected_at
    from pg_stat_activity where pid = ${pid}`.execute(db);
  const [row] = rows;
  return {
    name: row?.name ?? `process ${pid} of PostgreSQL`,
    address: row?.address ?? null,
    connected_at: row?.connected_at?.toISOString() ?? "",
  };
}

interface NatsState {
  stream: StreamState | undefined;
  /** Age of the newest entry that a relay published. */
  seconds: number | undefined;
  problem: LogProblem | undefined;
}

async function readNats(config: Config, names: LogNames): Promise<NatsState> {
  let log: LogConnection | undefined;
  try {
    log = await connectToLog(config, { name: "skein log status", reconnect: false });
    const stream = await readStream(log, names);
    const newest = stream && (await newestTime(log, names));
    const seconds =
      newest === undefined ? undefined : Math.max(0, Math.round((Date.now() - newest.getTime()) / 100) / 10);
    return { stream, seconds, problem: undefined };
  } catch (error) {
    const problem = {
      problem: `NATS does not respond, or has no quorum: ${(error as Error).message || "unreachable"}`,
      remedy:
        "Start nats-server with JetStream at SKEIN_NATS_URL; in a cluster, more than half of the servers must run. Messages " +
        "are stored meanwhile, and their events are delivered afterwards.",
    };
    return { stream: undefined, seconds: undefined, problem };
  } finally {
    await log?.nats.close();
  }
}

async function readStream({ manager }: LogConnection, names: LogNames): Promise<StreamState | undefined> {
  const info = await streamInfo(manager, names);
  if (!info) return undefined;
  const { config, state, cluster } = info;
  const { epoch, generation, system_identifier, timeline } = config.metadata ?? {};
  return {
    epoch: epoch === undefined ? null : Number(epoch),
    generation: generation ?? null,
    system_identifier: system_identifier ?? null,
    timeline: timeline === undefined ? null : Number(timeline),
    entries: state.messages,
    bytes: state.bytes,
    max_bytes: config.max_bytes,
    first: { sequence: state.first_seq, time: state.first_ts },
    last: { sequence: state.last_seq, time: state.last_ts },
    replicas: config.num_replicas,
    leader: cluster?.leader ?? null,
    peers: (cluster?.replicas ?? []).map((peer) => ({
      name: peer.name,
      is_current: peer.current,
      is_offline: peer.offline ?? false,
      lag: peer.lag ?? 0,
    })),
  };
}

async function newestTime({ manager }: LogConnection, names: LogNames): Promise<Date | undefined> {
  const found = await manager.streams.getMessage(names.stream, { last_by_subj: names.committed });
  return found ? new Date(found.timestamp) : undefined;
}

const isStandby: LogProblem = {
  problem: "The database is a standby that has not been promoted",
  remedy: "Promote it, or set SKEIN_DATABASE_URL to the primary. No relay publishes until then.",
};

const noStream: LogProblem = {
  problem: "There is no stream",
  remedy: "The next relay that starts begins a new epoch and creates it: start a process with the relay role.",
};

type Identity = Pick<StreamState, "epoch" | "generation" | "system_identifier">;

function mismatches(record: Awaited<ReturnType<typeof readRecord>>, stream: Identity): LogProblem[] {
  const differs = (one: unknown, other: unknown) =>
    one !== null && one !== undefined && other !== null && other !== undefined && one !== other;
  const what = [
    ...(differs(stream.epoch, record.epoch) ? [`epoch ${stream.epoch} instead of ${record.epoch}`] : []),
    ...(differs(stream.generation, record.generation) ? ["another generation"] : []),
    ...(differs(stream.system_identifier, record.systemIdentifier) ? ["another PostgreSQL cluster"] : []),
  ];
  if (what.length === 0) return [];
  return [
    {
      problem: `The stream does not belong to this database: it has ${what.join(", ")}`,
      remedy:
        "After a restore a relay begins a new epoch within seconds. If this persists, check that a relay runs, and that no " +
        "other server uses the same NATS with the same SKEIN_LOG_NAME.",
    },
  ];
}

function clusterProblems(stream: StreamState, config: Config): LogProblem[] {
  const behind = stream.peers.filter((peer) => peer.is_offline || !peer.is_current);
  return [
    ...(stream.replicas === config.logReplicas
      ? []
      : [
          {
            problem: `The stream has ${stream.replicas} replicas, but SKEIN_LOG_REPLICAS is ${config.logReplicas}`,
            remedy:
              "Restart the relays to apply the setting. Replicas need a cluster of at least as many NATS servers.",
          },
        ]),
    ...(behind.length === 0
      ? []
      : [
          {
            problem: `Replicas are offline or behind: ${behind.map(({ name, lag }) => `${name} (${lag} entries)`).join(", ")}`,
            remedy:
              "Start these NATS servers, or check their disk and network. The log needs more than half of its replicas.",
          },
        ]),
  ];
}

function slotProblems(slot: Awaited<ReturnType<typeof readSlot>>): LogProblem[] {
  if (!slot)
    return [
      {
        problem: "There is no replication slot",
        remedy: "The next relay that starts creates it and begins a new epoch: start a process with the relay role.",
      },
    ];
  if (slot.lost !== undefined)
    return [
      {
        problem: `The replication slot is lost: ${slot.lost}`,
        remedy: "Start a relay. It begins a new epoch; clients register again and miss nothing.",
      },
    ];
  if (slot.walStatus === "unreserved")
    return [
      {
        problem: "The replication slot is about to be lost: PostgreSQL retains more write-ahead log than it may",
        remedy: "Get a relay to publish now, or raise max_slot_wal_keep_size and reload PostgreSQL.",
      },
    ];
  return [];
}

function relayProblems({ hasRelay, seconds }: { hasRelay: boolean; seconds: number | undefined }): LogProblem[] {
  if (!hasRelay)
    return [
      {
        problem: "No relay holds the replication slot",
        remedy:
          "Start a process with the relay role, and check its log. Until then PostgreSQL retains its write-ahead log, and " +
          "clients receive no events.",
      },
    ];
  if (seconds !== undefined && seconds > silenceSeconds)
    return [
      {
        problem: `A relay holds the slot, but has published nothing for ${seconds} s`,
        remedy: "Check the relay's log. Usually NATS has no disk space left, or has lost its quorum.",
      },
    ];
  return [];
}

const waitsForStandby = (slots: string[]): LogProblem => ({
  problem: `Events wait for standbys that are not connected: synchronized_standby_slots names ${slots.join(", ")}`,
  remedy: "Start these standbys, or remove their slots from synchronized_standby_slots and reload PostgreSQL.",
});

const waitsForRelay = (names: string): LogProblem => ({
  problem: `PostgreSQL treats the relay as a synchronous standby, because synchronous_standby_names is '${names}'`,
  remedy: "Name your standbys there, for example 'ANY 1 (standby_1, standby_2)', and reload PostgreSQL.",
});
