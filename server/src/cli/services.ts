/** Starts, stops and inspects the private PostgreSQL and NATS of one folder. */
import { engineStatus, type EngineStatus, startEngines, stopEngines } from "../platform/engines/engines.ts";
import type { RunningEngine } from "../platform/engines/postgres.ts";
import { command, table } from "./command.ts";

const dir = {
  type: "string",
  value: "DIR",
  default: ".skein",
  description: "The folder for their data, logs and settings.",
} as const;

const portRange = [1, 65_535] as const;

export const servicesStart = command({
  options: {
    dir,
    "postgres-port": {
      type: "number",
      value: "PORT",
      range: portRange,
      description: "PostgreSQL's port on 127.0.0.1. Without it, the port of the last start or a free one.",
    },
    "nats-port": { type: "number", value: "PORT", range: portRange, description: "The same for NATS." },
  },
  run: async ({ options, answer }) => {
    const ports = { postgresPort: options["postgres-port"], natsPort: options["nats-port"] };
    const engines = await startEngines(options.dir, ports);
    answer(engines, describe(engines));
  },
});

export const servicesStop = command({
  options: { dir },
  run: async ({ options, answer }) => {
    await stopEngines(options.dir);
    const status = await engineStatus(options.dir);
    answer(toJson(status), describe(status));
  },
});

export const servicesStatus = command({
  options: { dir },
  run: async ({ options, answer }) => {
    const status = await engineStatus(options.dir);
    answer(toJson(status), describe(status));
  },
});

function toJson({ dir: folder, postgres, nats }: EngineStatus) {
  return { dir: folder, postgres: postgres ?? null, nats: nats ?? null };
}

function describe({ postgres, nats }: Pick<EngineStatus, "postgres" | "nats">): string {
  const row = (name: string, engine: RunningEngine | undefined): [string, string] => [
    name,
    engine ? `${engine.url}  (pid ${engine.pid})` : "stopped",
  ];
  return table([row("PostgreSQL", postgres), row("NATS", nats)]);
}
