/** The process: read the configuration, start, wait for a signal, stop. */
import { startApp } from "./app.ts";
import type { Config } from "./config.ts";
import { missingMigrations } from "./platform/db/migrate.ts";

/** So long requests under way may take to end when the process is told to stop. */
const graceMilliseconds = 20_000;

export async function serve(config: Config): Promise<void> {
  const missing = await missingMigrations(config.databaseUrl);
  if (missing.length > 0)
    throw new Error(`The database lacks ${missing.length} migration(s). Run \`npx skein migrate\` first.`);
  const app = await startApp(config);
  // Not through the log, which is kept and passed on: whoever has this address owns the organization.
  if (app.setupUrl !== undefined)
    process.stderr.write(`There is no organization yet. Make the first one here:\n\n  ${app.setupUrl}\n\n`);
  // Parents such as `skein dev` read the address from here; see also the log line.
  process.send?.({ url: app.url });
  const signal = await untilTold();
  app.ctx.logger.info({ signal }, "told to stop");
  setTimeout(() => process.exit(1), graceMilliseconds).unref();
  await app.stop();
}

/** Told by a signal, or by the end of a parent that started this process with a channel. */
const untilTold = () =>
  new Promise<string>((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve(signal));
    process.once("disconnect", () => resolve("disconnect"));
  });
