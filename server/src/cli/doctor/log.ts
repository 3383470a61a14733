import type { Config } from "../../config.ts";
import { readLogStatus } from "../../events/log-status.ts";
import type { Db } from "../../platform/db/connect.ts";
import { failed, ok, warning, type Finding } from "../finding.ts";

export async function checkLog(config: Config, db: Db): Promise<Finding[]> {
  const { database, stream, slot, lag, problems } = await readLogStatus({ config, db });
  const name = "event log";
  if (database.generation === null && !stream && !slot)
    return [
      warning(
        name,
        "it does not exist yet",
        "Start a server process with the relay role (`skein serve`), which creates it.",
      ),
    ];
  if (problems.length > 0) return problems.map(({ problem, remedy }) => failed(name, problem, remedy));
  const isUnsynchronized = slot?.is_failover === false;
  return [
    ok(name, `epoch ${database.epoch}, ${lag.bytes} bytes behind, newest entry ${lag.seconds} s old`),
    ...(isUnsynchronized
      ? [
          warning(
            "failover slot",
            "standbys do not synchronize the relay's slot, so that a failover makes all clients register again",
            "Restart the relays: they mark the slot for failover.",
          ),
        ]
      : []),
  ];
}
