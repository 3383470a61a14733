/**
 * The JetStream stream that holds the event log, with its epoch and the database history it belongs to. Everything in the
 * log is also in PostgreSQL: if the stream or the replication slot is lost, or they do not match, a new epoch begins, event
 * queues of the old one expire, and clients register again.
 */
import { randomBytes } from "node:crypto";
import {
  jetstream,
  jetstreamManager,
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
  type StreamInfo,
} from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import type { Config } from "../config.ts";
import { natsOptions } from "./nats-options.ts";

/** The maximum lifespan of an idle queue, plus an hour. */
const maxAgeNanoseconds = (7 * 24 + 1) * 3600 * 1e9;

export interface LogNames {
  stream: string;
  slot: string;
  committed: string;
  transient: string;
  /** A temporary stream and its subject: see `canStore`. */
  trial: string;
}

export const logNames = (name: string): LogNames => ({
  stream: `${name}_events`,
  slot: `${name}_relay`,
  committed: `${name}.events.committed`,
  transient: `${name}.events.fleeting`,
  trial: `${name}_trial`,
});

export interface LogConnection {
  nats: NatsConnection;
  client: JetStreamClient;
  manager: JetStreamManager;
}

/**
 * Opens a connection to NATS. The relay's must not reconnect by itself: an entry written to a broken connection may be
 * lost while a later one arrives, which would leave a gap in the log.
 */
export async function connectToLog(
  config: Config,
  options: { name: string; reconnect: boolean },
): Promise<LogConnection> {
  const nats = await connect({
    ...natsOptions(config),
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

/** Whether there are other servers to connect to. */
export const isCluster = ({ nats }: LogConnection): boolean => nats.info?.cluster !== undefined;

export interface StreamIdentity {
  epoch: number;
  /** Chosen at random for each epoch. A stream created by an earlier version has none until a relay adopts it. */
  generation: string | undefined;
  /** The PostgreSQL cluster and timeline that its entries were published from. */
  systemIdentifier: string | undefined;
  timeline: number | undefined;
  /** The creation time, which distinguishes two streams of the same name. */
  created: string;
  firstSequence: number;
  lastSequence: number;
  maxBytes: number;
  replicas: number;
}

export async function findStream(manager: JetStreamManager, names: LogNames): Promise<StreamIdentity | undefined> {
  const info = await streamInfo(manager, names);
  if (!info) return undefined;
  const { config, created, state } = info;
  const { epoch, generation, system_identifier, timeline } = config.metadata ?? {};
  return {
    epoch: Number(epoch ?? 0),
    generation,
    systemIdentifier: system_identifier,
    timeline: timeline === undefined ? undefined : Number(timeline),
    created,
    firstSequence: state.first_seq,
    lastSequence: state.last_seq,
    maxBytes: config.max_bytes,
    replicas: config.num_replicas,
  };
}

const streamNotFound = 10_059;

/** Undefined if there is no stream. */
export async function streamInfo(manager: JetStreamManager, names: LogNames): Promise<StreamInfo | undefined> {
  try {
    return await manager.streams.info(names.stream);
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === streamNotFound) return undefined;
    throw error;
  }
}

/** Identifies a log; stored in the stream's metadata and in `event_log`. */
export interface LogIdentity {
  epoch: number;
  generation: string;
  systemIdentifier: string;
  timeline: number;
}

export const newGeneration = (): string => randomBytes(12).toString("base64url");

const metadataOf = ({ epoch, generation, systemIdentifier, timeline }: LogIdentity): Record<string, string> => ({
  epoch: String(epoch),
  generation,
  system_identifier: systemIdentifier,
  timeline: String(timeline),
});

/** Stores the log's identity in the stream's metadata. */
export async function identifyStream(manager: JetStreamManager, names: LogNames, log: LogIdentity): Promise<void> {
  const { config } = await manager.streams.info(names.stream);
  await manager.streams.update(names.stream, { metadata: { ...config.metadata, ...metadataOf(log) } });
}

/** Applies the settings for size and replicas. */
export async function resizeStream(manager: JetStreamManager, names: LogNames, config: Config): Promise<void> {
  await manager.streams.update(names.stream, { max_bytes: config.logMaxBytes, num_replicas: config.logReplicas });
}

/** Creates the stream of a new epoch. Queues of earlier epochs expire. */
export async function addStream(
  manager: JetStreamManager,
  config: Config,
  names: LogNames,
  log: LogIdentity,
): Promise<void> {
  try {
    await manager.streams.add({
      name: names.stream,
      subjects: [names.committed, names.transient],
      metadata: metadataOf(log),
      max_age: maxAgeNanoseconds,
      max_bytes: config.logMaxBytes,
      num_replicas: config.logReplicas,
      allow_direct: true,
    });
  } catch (error) {
    if (error instanceof JetStreamApiError && noRoom.has(error.code)) throw noRoomFor(config, error);
    throw error;
  }
}

/** Error codes: JetStream reserves a stream's maximum size in the storage of the server and of the account. */
const noRoom = new Set([10_047, 10_002]);

function noRoomFor({ logMaxBytes }: Config, cause: Error): Error {
  return new Error(
    `JetStream has no room for an event log of up to ${logMaxBytes} bytes: lower SKEIN_LOG_MAX_BYTES, or give NATS more ` +
      "(max_file_store in its configuration; by default three quarters of the free disk space)",
    { cause },
  );
}
