/**
 * The stream that holds the event log, and its epoch. The log holds nothing PostgreSQL does not: when its files or the
 * replication slot are lost a new epoch begins, event queues of the old one expire, and clients register again.
 */
import {
  jetstream,
  jetstreamManager,
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
} from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { sql } from "kysely";
import type { Config } from "../config.ts";
import type { Db } from "../platform/db/connect.ts";

/** Longest idle life of a queue, and an hour. */
const maxAgeNanoseconds = (7 * 24 + 1) * 3600 * 1e9;

export interface LogNames {
  stream: string;
  slot: string;
  committed: string;
  fleeting: string;
}

export const logNames = (name: string): LogNames => ({
  stream: `${name}_events`,
  slot: `${name}_relay`,
  committed: `${name}.events.committed`,
  fleeting: `${name}.events.fleeting`,
});

export interface LogConnection {
  nats: NatsConnection;
  client: JetStreamClient;
  manager: JetStreamManager;
}

/**
 * A connection of one's own. The relay's must not reconnect by itself: what was written to a broken connection may be
 * lost while what is written after it arrives, and then the log would have a gap.
 */
export async function connectToLog(
  config: Config,
  options: { name: string; reconnect: boolean },
): Promise<LogConnection> {
  const nats = await connect({
    servers: config.natsUrl.split(","),
    name: options.name,
    reconnect: options.reconnect,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 100,
    reconnectJitter: 50,
    waitOnFirstConnect: false,
    timeout: 5000,
    pingInterval: 10_000,
  });
  try {
    return { nats, client: jetstream(nats), manager: await jetstreamManager(nats, { checkAPI: true }) };
  } catch (error) {
    await nats.close();
    throw error;
  }
}

export interface StreamIdentity {
  epoch: number;
  /** Two streams of the same name are told apart by the time they were made. */
  created: string;
  firstSequence: number;
  lastSequence: number;
}

export async function findStream(manager: JetStreamManager, names: LogNames): Promise<StreamIdentity | undefined> {
  try {
    const info = await manager.streams.info(names.stream);
    return {
      epoch: Number(info.config.metadata?.["epoch"] ?? 0),
      created: info.created,
      firstSequence: info.state.first_seq,
      lastSequence: info.state.last_seq,
    };
  } catch (error) {
    if (error instanceof JetStreamApiError && error.apiError().err_code === streamNotFound) return undefined;
    throw error;
  }
}

const streamNotFound = 10_059;

/** Makes the stream of a new epoch; queues of earlier ones are expired by it. */
export async function beginEpoch(db: Db, manager: JetStreamManager, config: Config, names: LogNames): Promise<number> {
  const { rows } = await sql<{
    epoch: number;
  }>`update event_log set epoch = epoch + 1, confirmed_sequence = 0 returning epoch`.execute(db);
  const epoch = rows[0]?.epoch;
  if (epoch === undefined) throw new Error("the table event_log has lost its row; restore it from a backup");
  try {
    await manager.streams.add({
      name: names.stream,
      subjects: [names.committed, names.fleeting],
      metadata: { epoch: String(epoch) },
      max_age: maxAgeNanoseconds,
      max_bytes: config.logMaxBytes,
      num_replicas: config.logReplicas,
      allow_direct: true,
    });
  } catch (error) {
    if (error instanceof JetStreamApiError && noRoom.has(error.code)) throw noRoomFor(config, error);
    throw error;
  }
  return epoch;
}

/** JetStream sets a stream's largest size aside when it is made: of the server's storage, and of the account's. */
const noRoom = new Set([10_047, 10_002]);

function noRoomFor({ logMaxBytes }: Config, cause: Error): Error {
  return new Error(
    `JetStream has no room for an event log of up to ${logMaxBytes} bytes: lower SKEIN_LOG_MAX_BYTES, or give NATS more ` +
      "(max_file_store in its configuration; by default three quarters of what the disk has free)",
    { cause },
  );
}
