import { pino, type Logger } from "pino";

export type { Logger };

/** One JSON object a line. What could hold a secret is never given to it; these paths are a second guard. */
export function createLogger(options: { level: string; node: string }): Logger {
  return pino({
    level: options.level,
    base: { node: options.node },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: ["authorization", "password", "api_key", "*.authorization", "*.password", "*.api_key"],
  });
}
