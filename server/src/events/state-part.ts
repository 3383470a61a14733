/** An area's part of the register response. */
import type { RegistrationPart, RegistrationState } from "@skein/api/registration.ts";
import type { Config } from "../config.ts";
import type { Context } from "../context.ts";
import type { User } from "../identity/account.ts";
import type { Db } from "../platform/db/connect.ts";
import type { QueueOptions } from "./queue.ts";

export interface StateRequest {
  /** For state of the node itself; everything in the database is read through `db`. */
  ctx: Context;
  config: Config;
  user: User;
  options: QueueOptions;
  /** The URL the client used, without a path. */
  origin: string;
  /** The requested event types; undefined means all. */
  requestedTypes: ReadonlySet<string> | undefined;
  /** How far back presence data goes; undefined means the default. */
  presenceHistoryDays: number | undefined;
}

export interface StatePart {
  /** The type in fetch_event_types that requests it; a part with several types needs all of them. */
  types: RegistrationPart[];
  /** `db` is a transaction with a consistent snapshot; read only through it. */
  load: (db: Db, request: StateRequest) => Promise<RegistrationState>;
}
