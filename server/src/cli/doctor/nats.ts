/** Checks NATS: every configured server, version, JetStream, payload, storage and clock. */
import type { Config } from "../../config.ts";
import { requiredPayload } from "../../events/log-format.ts";
import { canStore } from "../../events/log-storage.ts";
import { connectToLog, logNames, type LogConnection } from "../../events/stream.ts";
import { clockFinding, failed, ok, reasonOf, warning, type Finding } from "../finding.ts";

/** In older versions a killed nats-server could lose a whole stream. */
const oldestVersion = [2, 12, 3];

export async function checkNats(config: Config): Promise<Finding[]> {
  const findings: Finding[] = [];
  const servers = config.natsUrl.split(",");
  let log: LogConnection | undefined;
  for (const [index, server] of servers.entries()) {
    const name = servers.length === 1 ? "NATS" : `NATS server ${index + 1}`;
    try {
      const one = await connectToLog({ ...config, natsUrl: server }, { name: "skein doctor", reconnect: false });
      findings.push(checkVersion(name, one));
      if (log) await one.nats.close();
      else log = one;
    } catch (error) {
      // The URL may contain a password.
      const text = `no JetStream at ${withoutPassword(server)}: ${reasonOf(error)}`;
      const remedy =
        "Start nats-server with JetStream enabled (`jetstream {}` in its configuration), or correct SKEIN_NATS_URL.";
      findings.push(servers.length === 1 ? failed(name, text, remedy) : warning(name, text, remedy));
    }
  }
  if (!log) {
    if (servers.length > 1) findings.push(failed("NATS", "none of the servers can be used", "Start the NATS cluster."));
    return findings;
  }
  try {
    return [...findings, ...(await checkServer(config, log))];
  } finally {
    await log.nats.close();
  }
}

function withoutPassword(url: string): string {
  const parsed = URL.parse(url.includes("://") ? url : `nats://${url}`);
  return parsed?.host ?? "the configured URL";
}

function checkVersion(name: string, { nats }: LogConnection): Finding {
  const version = nats.info?.version ?? "unknown";
  const parts = version.split(/[.-]/).map(Number);
  const difference = oldestVersion.map((least, index) => (parts[index] ?? 0) - least).find((part) => part !== 0) ?? 0;
  if (difference < 0)
    return failed(name, `version ${version}`, `Upgrade to ${oldestVersion.join(".")}: older ones can lose the stream.`);
  return ok(name, `version ${version}`);
}

async function checkServer(config: Config, log: LogConnection): Promise<Finding[]> {
  return [
    checkPayload(log),
    ...checkReplicas(config, log),
    ...(await checkAccount(log)),
    await checkStorage(config, log),
    ...(await checkClock(config, log)),
  ];
}

function checkPayload({ nats }: LogConnection): Finding {
  const max = nats.info?.max_payload ?? 0;
  if (max >= requiredPayload) return ok("max_payload", `${max} bytes`);
  return warning(
    "max_payload",
    `${max} bytes, but an event can be larger: then all clients must register again`,
    `Set max_payload to ${requiredPayload} in the configuration of nats-server, and reload it.`,
  );
}

function checkReplicas({ natsUrl, logReplicas }: Config, { nats }: LogConnection): Finding[] {
  const servers = Math.max(natsUrl.split(",").length, nats.info?.connect_urls?.length ?? 1);
  if (servers < 3 || logReplicas >= 3) return [];
  return [
    warning(
      "SKEIN_LOG_REPLICAS",
      `${logReplicas}, although the NATS cluster has ${servers} servers: losing one can stop all events`,
      "Set SKEIN_LOG_REPLICAS=3 and restart the relays.",
    ),
  ];
}

const fullShare = 0.9;

/** Only limits of the account are known to clients, not the disk. */
async function checkAccount({ manager }: LogConnection): Promise<Finding[]> {
  const { storage, limits } = await manager.getAccountInfo();
  const max = limits.max_storage;
  if (max <= 0) return [];
  const text = `${storage} of ${max} bytes in use`;
  if (storage < max * fullShare) return [ok("JetStream account", text)];
  return [warning("JetStream account", text, "Raise the account's max_file, or lower SKEIN_LOG_MAX_BYTES.")];
}

/** Stores an entry in a stream of its own. */
async function checkStorage(config: Config, log: LogConnection): Promise<Finding> {
  const names = { ...logNames(config.logName), trial: `${config.logName}_doctor` };
  if (await canStore(log, names)) return ok("JetStream storage", "stores entries");
  return failed(
    "JetStream storage",
    "NATS responds but stores nothing: its disk is full, or the cluster has no quorum",
    "Free disk space in the store_dir of nats-server, raise max_file_store, or start the other servers of the cluster.",
  );
}

/** JetStream states the time only in the description of a stream. */
async function checkClock(config: Config, { manager }: LogConnection): Promise<Finding[]> {
  const before = Date.now();
  const info = await manager.streams.info(logNames(config.logName).stream).catch(() => undefined); // not created yet
  const after = Date.now();
  const time = (info as { ts?: string } | undefined)?.ts; // not in the types
  if (time === undefined) return [];
  return [clockFinding("NATS's clock", Date.parse(time), (before + after) / 2, (after - before) / 2)];
}
