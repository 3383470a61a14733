import { setTimeout as delay } from "node:timers/promises";
import { readLogStatus } from "../../events/log-status.ts";
import { forceNewEpoch } from "../../events/relay-setup.ts";
import { connectToLog, logNames } from "../../events/stream.ts";
import { command } from "../command.ts";
import { withDatabase } from "../database.ts";

/** How long running relays may take to publish in the new epoch. */
const relayMilliseconds = 15_000;

const consequences = (queues: number) =>
  `${queues} event queues expire. Their clients get BAD_EVENT_QUEUE_ID once, register again, and miss nothing; messages can ` +
  "be sent meanwhile. Running servers need not be restarted.";

export const logNewEpoch = command({
  options: { yes: { type: "boolean", description: "Do it. Without this, the command only says what would happen." } },
  run: async ({ options, answer }) => {
    const result = await withDatabase(async (db, config) => {
      const before = await readLogStatus({ config, db });
      if (!options.yes)
        throw new Error(
          `A new epoch of the event log would begin. ${consequences(before.queues)}\nTo do this, add --yes.`,
        );
      const names = logNames(config.logName);
      const log = await connectToLog(config, { name: "skein log new-epoch", reconnect: false });
      try {
        const { epoch } = await forceNewEpoch({ config, db }, log, names);
        const isPublishing = await eventually(async () => (await readLogStatus({ config, db })).lag.seconds !== null);
        return {
          epoch,
          epoch_before: before.database.epoch,
          queues_expired: before.queues,
          is_publishing: isPublishing,
        };
      } finally {
        await log.nats.close();
      }
    });
    const isPublishing = result.is_publishing
      ? "A relay is publishing in it."
      : "No relay is publishing yet: start a process with the relay role, or check its log.";
    answer(
      result,
      `Epoch ${result.epoch} of the event log begins. ${consequences(result.queues_expired)}\n${isPublishing}`,
    );
    if (!result.is_publishing) process.exitCode = 1;
  },
});

async function eventually(condition: () => Promise<boolean>): Promise<boolean> {
  const deadline = performance.now() + relayMilliseconds;
  while (!(await condition())) {
    if (performance.now() > deadline) return false;
    await delay(200);
  }
  return true;
}
