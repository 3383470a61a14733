import { pino, type Logger as PinoLogger } from "pino";
import type { LogFields, logLevels } from "./log-fields.ts";

interface Log {
  (fields: LogFields, message: string): void;
  (message: string): void;
}

/** Takes only documented fields. */
export type Logger = Record<(typeof logLevels)[number], Log>;

/** For a library that logs by itself. */
export const forLibrary = (logger: Logger): PinoLogger => logger as unknown as PinoLogger; // which it is: see createLogger

/** Writes one JSON object per line. Secrets are never passed to the logger; redaction is a second line of defense. */
export function createLogger(options: { level: string; node: string }): Logger {
  return pino({
    level: options.level,
    base: { node: options.node },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    // The error for a request that is not valid HTTP carries its raw bytes.
    redact: ["authorization", "password", "api_key", "*.authorization", "*.password", "*.api_key", "*.rawPacket"],
  });
}
