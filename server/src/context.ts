import type { Config } from "./config.ts";
import type { EventLog } from "./events/event-log.ts";
import type { Sessions } from "./http/sessions.ts";
import type { Db } from "./platform/db/connect.ts";
import type { Logger } from "./platform/log.ts";
import type { Metrics } from "./platform/metrics.ts";

/** What a request handler may reach. Made once, in app.ts. */
export interface Context {
  config: Config;
  db: Db;
  events: EventLog;
  logger: Logger;
  metrics: Metrics;
  sessions: Sessions;
}
