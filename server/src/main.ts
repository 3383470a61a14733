/** The process: read the configuration, start, wait for a signal, stop. */
import { constants } from "node:os";
import { startApp } from "./app.ts";
import type { Config } from "./config.ts";
import { applicationName, planConnections } from "./connections.ts";
import { checkSchema } from "./platform/db/schema-state.ts";
import { IdleMemory } from "./platform/idle-memory.ts";
import { whenOrphaned } from "./platform/orphaned.ts";

/** How long closing connections and flushing may take after in-flight requests had their time. */
const closingMilliseconds = 5000;
/** A signal to a process group arrives twice when the parent forwards it as well; that does not count as a second signal. */
const sameSignalMilliseconds = 1000;

export async function serve(config: Config): Promise<void> {
  const schema = await checkSchema(config.databaseUrl, applicationName(config.nodeName, planConnections(config)));
  // Installed before the app says that it is ready: an unhandled signal would end the process at once.
  const stopRequested = waitForStopRequest();
  void stopRequested.then(exitOnNextSignal);
  const app = await startApp(config).finally(() => void schema.close());
  new IdleMemory().start();
  const { newer } = schema.state;
  if (newer.length > 0)
    app.ctx.logger.warn(
      { migrations: newer },
      "a newer release has migrated the database; this release keeps working during the upgrade and should be replaced",
    );
  // Not written to the log, which is stored and shared: anyone with this URL can take over the organization.
  if (app.setupUrl !== undefined)
    process.stderr.write(`There is no organization yet. Create the first one here:\n\n  ${app.setupUrl}\n\n`);
  // Parents such as `skein dev` read the URL from this message.
  process.send?.({ url: app.url, healthUrl: app.healthUrl });
  const signal = await stopRequested;
  app.ctx.logger.info({ signal }, "shutting down; a second signal ends the process at once");
  const delayMilliseconds = signal === "SIGTERM" ? config.drainDelaySeconds * 1000 : 0;
  const timeout = delayMilliseconds + config.shutdownSeconds * 1000 + closingMilliseconds;
  setTimeout(() => process.exit(1), timeout).unref();
  await app.stop({ delayMilliseconds });
}

/** Resolves on a signal, or when the parent exits that started this process with an IPC channel or through npm. */
const waitForStopRequest = () =>
  new Promise<string>((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve(signal));
    process.once("disconnect", () => resolve("disconnect"));
    whenOrphaned(() => resolve("SIGTERM"));
  });

function exitOnNextSignal(): void {
  const since = performance.now();
  for (const signal of ["SIGTERM", "SIGINT"] as const)
    process.on(signal, () => {
      if (performance.now() - since > sameSignalMilliseconds) process.exit(128 + constants.signals[signal]);
    });
}
