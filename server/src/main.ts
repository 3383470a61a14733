/** The process: read the configuration, start, wait for a signal, stop. */
import { startApp } from "./app.ts";
import type { Config } from "./config.ts";
import { applicationName, planConnections } from "./connections.ts";
import { checkSchema } from "./platform/db/schema-state.ts";
import { IdleMemory } from "./platform/idle-memory.ts";
import { stopRequest } from "./platform/stop-request.ts";

/** How long closing connections and flushing may take after in-flight requests had their time. */
const closingMilliseconds = 5000;

export async function serve(config: Config): Promise<void> {
  const schema = await checkSchema(config.databaseUrl, applicationName(config.nodeName, planConnections(config)));
  // Installed before the app says that it is ready: an unhandled signal would end the process at once.
  const stopRequested = stopRequest();
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
