import { constants } from "node:os";
import { whenOrphaned } from "./orphaned.ts";

/** A signal to a process group arrives twice when the parent forwards it as well; that does not count as a second signal. */
const sameSignalMilliseconds = 1000;

/**
 * Resolves on a signal, or when the parent exits that started this process with an IPC channel or through npm. The next
 * signal ends the process at once.
 */
export function stopRequest(): Promise<string> {
  const requested = new Promise<string>((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve(signal));
    process.once("disconnect", () => resolve("disconnect"));
    whenOrphaned(() => resolve("SIGTERM"));
  });
  void requested.then(exitOnNextSignal);
  return requested;
}

function exitOnNextSignal(): void {
  const since = performance.now();
  for (const signal of ["SIGTERM", "SIGINT"] as const)
    process.on(signal, () => {
      if (performance.now() - since > sameSignalMilliseconds) process.exit(128 + constants.signals[signal]);
    });
}
