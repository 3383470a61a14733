import type { Config } from "./config.ts";
import type { Presences } from "./domain/presence/presences.ts";
import type { EventLog } from "./events/event-log.ts";
import type { Sessions } from "./http/sessions.ts";
import type { Db } from "./platform/db/connect.ts";
import type { FileStore } from "./platform/file-store.ts";
import type { Logger } from "./platform/log.ts";
import type { Mailer } from "./platform/mailer.ts";
import type { Metrics } from "./platform/metrics.ts";
import type { Outbound } from "./platform/outbound.ts";
import type { SecretBox } from "./platform/secret-box.ts";

/** What a request handler may reach. Made once, in app.ts. */
export interface Context {
  config: Config;
  db: Db;
  events: EventLog;
  files: FileStore;
  logger: Logger;
  mailer: Mailer;
  metrics: Metrics;
  outbound: Outbound;
  presences: Presences;
  secretBox: SecretBox;
  sessions: Sessions;
}
