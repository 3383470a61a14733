/** An area's part of the register response. */
import type { RegistrationPart, RegistrationState } from "@skein/api/registration.ts";
import type { Config } from "../config.ts";
import type { Context } from "../context.ts";
import type { User } from "../identity/account.ts";
import type { Db } from "../platform/db/connect.ts";
import type { Schema } from "../platform/db/schema.ts";
import { SharedText, type TextPiece } from "../platform/shared-text.ts";
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
  /** Tables of `ownRows` in which the user has rows. */
  ownTables: ReadonlySet<string>;
  /** The other registrations of the same organization that read the same snapshot. */
  moment: Moment;
}

/** The rows of a table that belong to a user. */
export interface OwnRows {
  table: keyof Schema;
  owner: "user_id" | "sender_id";
  /** The part if there are none. */
  none: (request: StateRequest) => RegistrationState;
}

export interface StatePart {
  /** The type in fetch_event_types that requests it; a part with several types needs all of them. */
  types: RegistrationPart[];
  /**
   * For a part that is the same for many users: everything of the request that it depends on, besides the organization; it is then
   * loaded once for all registrations that share a snapshot and return the same. Undefined for a user whose part is their own.
   */
  sharedBy?: (request: StateRequest) => string | undefined;
  /**
   * For a part that is made of these rows alone. Most people have none in most such tables, so one statement finds out in which of them
   * there are any, and only for these the part is loaded.
   */
  ownRows?: OwnRows;
  /**
   * The fields, or their JSON text without the braces. `db` is a transaction with a consistent snapshot; read only through it.
   */
  load: (db: Db, request: StateRequest) => Promise<RegistrationState | TextPiece[]>;
}

/**
 * What registrations of one organization have in common that read the same snapshot in the same transaction.
 *
 * **Invariant:** it lives as long as that transaction, so nothing in it can be older than the state around it.
 */
export class Moment {
  /** The log's epoch: rows of an earlier one may come from a database that has since been replaced. */
  readonly epoch: number;
  readonly #known = new Map<unknown, Map<string, Promise<unknown>>>();

  constructor(epoch: number) {
    this.epoch = epoch;
  }

  /** The value for this owner and key, loaded once. */
  once<T>(owner: object, key: string, load: () => Promise<T>): Promise<T> {
    const known = this.#known.get(owner) ?? new Map<string, Promise<unknown>>();
    this.#known.set(owner, known);
    const loading = known.get(key) ?? load();
    known.set(key, loading);
    return loading as Promise<T>; // an owner stores one type
  }

  /** The JSON of a part's fields without the braces, in pieces; none if there are no fields. */
  async load(part: StatePart, db: Db, request: StateRequest): Promise<TextPiece[]> {
    const key = part.sharedBy?.(request);
    if (key !== undefined)
      return this.once(part, key, async () => {
        const loaded = await part.load(db, request);
        if (Array.isArray(loaded)) return loaded;
        const text = membersOf(loaded);
        return text === "" ? [] : [new SharedText(text)];
      });
    const { ownRows } = part;
    const isEmpty = ownRows !== undefined && !request.ownTables.has(ownRows.table);
    const loaded = isEmpty ? ownRows.none(request) : await part.load(db, request);
    if (Array.isArray(loaded)) return loaded;
    const text = membersOf(loaded);
    return text === "" ? [] : [text];
  }
}

export const membersOf = (fields: object): string => JSON.stringify(fields).slice(1, -1);
