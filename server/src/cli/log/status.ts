import { readLogStatus, type LogStatus } from "../../events/log-status.ts";
import { command, table } from "../command.ts";
import { withDatabase } from "../database.ts";
import { formatBytes } from "../format.ts";

export const logStatus = command({
  options: {},
  run: async ({ answer }) => {
    const status = await withDatabase((db, config) => readLogStatus({ config, db }));
    answer(status, describe(status));
    if (status.problems.length > 0) process.exitCode = 1;
  },
});

function describe(status: LogStatus): string {
  const { database, stream, slot, relay, lag, problems } = status;
  const rows: [string, string][] = [
    ["epoch", `${database.epoch}, generation ${database.generation ?? "none"}`],
    ["database", `cluster ${database.system_identifier ?? "unknown"}, timeline ${database.timeline ?? "unknown"}`],
    ["stream", stream ? describeStream(stream) : "none"],
    ...(stream && stream.leader !== null ? [["replicas", describeReplicas(stream)] as [string, string]] : []),
    ["relay", relay ? `${relay.name}${relay.address === null ? "" : ` from ${relay.address}`}` : "none"],
    ["slot", slot ? describeSlot(slot) : "none"],
    ["lag", `${amount(lag.bytes)}, newest entry ${lag.seconds === null ? "unknown" : `${lag.seconds} s old`}`],
    ["queues", String(status.queues)],
  ];
  const wrong = problems.map(({ problem, remedy }) => `- ${problem}.\n  ${remedy}`);
  return [table(rows), "", problems.length === 0 ? "Everything is in order." : wrong.join("\n")].join("\n");
}

const describeStream = ({ entries, bytes, max_bytes, first, last }: NonNullable<LogStatus["stream"]>) =>
  `${entries} entries (${first.sequence} to ${last.sequence}), ${amount(bytes)} of ${amount(max_bytes)}`;

function describeReplicas({ replicas, leader, peers }: NonNullable<LogStatus["stream"]>): string {
  const others = peers.map(({ name, is_current, is_offline }) =>
    is_offline ? `${name} offline` : `${name}${is_current ? "" : " behind"}`,
  );
  return [`${replicas}: leader ${leader}`, ...others].join(", ");
}

function describeSlot({ name, wal_status, retained_bytes, safe_bytes, is_failover }: NonNullable<LogStatus["slot"]>) {
  return [
    `${name}, ${wal_status}`,
    `retains ${amount(retained_bytes)}`,
    safe_bytes === null ? "no limit" : `lost after ${amount(safe_bytes)} more`,
    ...(is_failover === null ? [] : [is_failover ? "synchronized to standbys" : "not synchronized to standbys"]),
  ].join(", ");
}

const amount = (bytes: number | null): string => (bytes === null ? "unknown" : formatBytes(bytes));
