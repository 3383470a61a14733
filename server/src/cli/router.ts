import { readConfig, settings } from "../config.ts";
import { stopRequest } from "../platform/stop-request.ts";
import { startRouter } from "../router/router.ts";
import { command } from "./command.ts";

export const router = command({
  options: {},
  details: [
    "Forwards each request to the cell of its host name, as the directory lists it (SKEIN_DIRECTORY_URL). It needs neither " +
      "PostgreSQL of a cell nor NATS. Other settings: SKEIN_HOST, SKEIN_PORT, SKEIN_HEALTH_PORT, SKEIN_TRUST_PROXY for the proxy in " +
      "front of it, SKEIN_DIRECTORY_COPY. Nodes behind it need SKEIN_TRUST_PROXY with one proxy more.",
    "It keeps routing while the directory is not available, and starts from its last copy. Run as many as you like behind a " +
      "load balancer.",
  ],
  examples: ["SKEIN_DIRECTORY_URL=postgres://skein@10.0.0.9/directory SKEIN_PORT=8080 skein router"],
  run: async () => {
    const config = readConfig(process.env);
    if (config.directoryUrl === "")
      throw new Error(
        `Set ${settings.directoryUrl.variable} to the URL of the directory's database (see \`skein config\`).`,
      );
    // Installed before it says that it is ready: an unhandled signal would end the process at once.
    const stopRequested = stopRequest();
    const running = await startRouter(config);
    process.send?.({ url: running.url, healthUrl: running.healthUrl });
    const signal = await stopRequested;
    running.logger.info({ signal }, "shutting down; a second signal ends the process at once");
    await running.stop({ delayMilliseconds: signal === "SIGTERM" ? config.drainDelaySeconds * 1000 : 0 });
    process.exit(0);
  },
});
