/** What an area adds to the registration answer. */
import type { RegistrationPart, RegistrationState } from "@skein/api/registration.ts";
import type { Config } from "../config.ts";
import type { User } from "../http/sessions.ts";
import type { Db } from "../platform/db/connect.ts";
import type { QueueOptions } from "./queue.ts";

export interface StateRequest {
  config: Config;
  user: User;
  options: QueueOptions;
  /** The address the client used, without a path. */
  origin: string;
}

export interface StatePart {
  /** The word in fetch_event_types that asks for it; a part with several words needs all of them. */
  types: RegistrationPart[];
  /** `db` is a transaction that sees one state of everything; read through it alone. */
  load: (db: Db, request: StateRequest) => Promise<RegistrationState>;
}
