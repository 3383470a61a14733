import type { Config } from "./config.ts";
import type { Consequences } from "./domain/messages/send/consequence.ts";
import type { Presences } from "./domain/people/presence/presences.ts";
import type { EventLog } from "./events/event-log.ts";
import type { Maintenance } from "./http/maintenance.ts";
import type { Sessions } from "./identity/sessions.ts";
import type { Memory } from "./memory.ts";
import type { Db } from "./platform/db/connect.ts";
import type { FileStore } from "./platform/file-store.ts";
import type { Logger } from "./platform/log.ts";
import type { Mailer } from "./platform/mailer.ts";
import type { Metrics } from "./platform/metrics.ts";
import type { Outbound } from "./platform/outbound.ts";
import type { SecretBox } from "./platform/secret-box.ts";
import type { Tracing } from "./platform/tracing.ts";

/** Everything a request handler may use. Created once, in app.ts. */
export interface Context {
  config: Config;
  consequences: Consequences;
  db: Db;
  events: EventLog;
  files: FileStore;
  logger: Logger;
  mailer: Mailer;
  maintenance: Maintenance;
  memory: Memory;
  metrics: Metrics;
  outbound: Outbound;
  presences: Presences;
  secretBox: SecretBox;
  sessions: Sessions;
  /** Undefined unless requests are traced. */
  tracing: Tracing | undefined;
}

/**
 * What a function may use inside a transaction besides the transaction itself: nothing that would take a second connection,
 * wait for something outside the process, or take effect before the commit.
 */
export type TxContext = Pick<Context, "config" | "consequences" | "memory" | "secretBox">;
