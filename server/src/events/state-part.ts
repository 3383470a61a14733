/** What an area adds to the registration answer. */
import type { RegistrationPart, RegistrationState } from "@skein/api/registration.ts";
import type { Config } from "../config.ts";
import type { Context } from "../context.ts";
import type { User } from "../http/sessions.ts";
import type { Db } from "../platform/db/connect.ts";
import type { QueueOptions } from "./queue.ts";

export interface StateRequest {
  /** For what a node knows by itself; all that is in the database is read through `db`. */
  ctx: Context;
  config: Config;
  user: User;
  options: QueueOptions;
  /** The address the client used, without a path. */
  origin: string;
  /** The words that were named; undefined when everything is wanted. */
  asked: ReadonlySet<string> | undefined;
  /** How far back presence goes; undefined: as far as usual. */
  presenceHistoryDays: number | undefined;
}

export interface StatePart {
  /** The word in fetch_event_types that asks for it; a part with several words needs all of them. */
  types: RegistrationPart[];
  /** `db` is a transaction that sees one state of everything; read through it alone. */
  load: (db: Db, request: StateRequest) => Promise<RegistrationState>;
}
