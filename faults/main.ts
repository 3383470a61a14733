/**
 * Shows that the promises of durability and delivery hold while processes are killed: `npm run faults`. Exit code 0:
 * they held; 1: they did not, and the folder with all logs and data is kept.
 */
import { randomInt } from "node:crypto";
import { command, print, runCommand, UsageError } from "../server/src/cli/command.ts";
import { runLosingLog } from "./lose-log.ts";
import { describe } from "./report.ts";
import { runUnderLoad } from "./under-load.ts";
import { World } from "./world.ts";

const title = {
  name: "faults",
  summary: "Kill processes at random under load, and check that nothing is lost, repeated or out of order.",
};

const faults = command({
  options: {
    seconds: { type: "number", value: "N", default: 300, description: "How long messages are sent." },
    rate: { type: "number", value: "N", default: 200, description: "How many a second at least." },
    senders: { type: "number", value: "N", default: 20, description: "How many people send." },
    queues: { type: "number", value: "N", default: 100, description: "How many event queues are read." },
    "kill-every": { type: "number", value: "SECONDS", default: 5, description: "How often a process is killed." },
    seed: { type: "number", value: "N", description: "Makes the same random choices again." },
    "lose-log": {
      type: "boolean",
      description: "Instead: lose the log's files, then its slot, and see queues begin anew.",
    },
    keep: { type: "boolean", description: "Keep the folder with logs and data even if everything holds." },
  },
  run: async ({ options, json, answer }) => {
    const seed = options.seed ?? randomInt(1_000_000);
    const say = (line: string) => void (json ? process.stderr.write(`${line}\n`) : print(line));
    say(`seed ${seed}`);
    const world = await World.create();
    const interrupt = () => void world.stop({ keep: false }).then(() => process.exit(130));
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, interrupt);
    let isKept = true;
    try {
      await world.start();
      const result = options["lose-log"]
        ? await runLosingLog(world, { seed }, say)
        : await runUnderLoad(world, { ...options, seed, killEverySeconds: options["kill-every"] }, say);
      answer(result, describe(result));
      if (result.findings.length > 0) process.exitCode = 1;
      isKept = options.keep || result.findings.length > 0;
    } finally {
      await world.stop({ keep: isKept });
      if (isKept) say(`Logs and data are in ${world.dir}`);
    }
  },
});

try {
  await runCommand(title, faults, process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(error instanceof UsageError ? 2 : 1);
}
