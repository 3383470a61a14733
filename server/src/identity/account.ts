/** The types of accounts and organizations. */
import { sql, type Selectable } from "kysely";
import type { Db } from "../platform/db/connect.ts";
import type { RealmsTable, UsersTable } from "../platform/db/schema.ts";

export type Realm = Selectable<RealmsTable>;
/** An active account with its organization. `rank` is the role, or 390 for a full member. */
export type User = Omit<Selectable<UsersTable>, "password_hash"> & {
  realm: Realm;
  rank: number;
  /** What the request authenticated with; undefined for later work on the account's behalf. */
  credential?: Credential;
};

/** An API key or a browser's session. */
export interface Credential {
  kind: "api_key" | "session";
  id: number;
  /** The hash of its secret, as it is stored. */
  storedHash: Buffer;
  /** What it may be used for; undefined if that is everything. */
  scopes: ReadonlySet<string> | undefined;
  /** In milliseconds; Infinity if it does not expire. */
  expiresAt: number;
  /** The hour whose use is recorded; see KeyUses. */
  recordedHour: number;
}

/** Loads an account by id, without credentials or cache: for later work on its behalf. */
export async function accountById(db: Db, userId: number): Promise<User | undefined> {
  const { rows } = await sql<UserRow>`
    select u.*, to_jsonb(r) as realm_row, rank_of(u.role, u.date_joined, r.waiting_period_threshold) as rank
    from users u join realms r on r.id = u.realm_id
    where u.id = ${userId} and u.is_active and not r.deactivated`.execute(db);
  return rows[0] && toUser(rows[0]);
}

export type UserRow = Selectable<UsersTable> & { realm_row: Record<string, unknown>; rank: number };

export function toUser({ realm_row, password_hash: _, ...row }: UserRow): User {
  // to_jsonb uses the column names; only the time has to be parsed.
  const realm = { ...realm_row, date_created: new Date(String(realm_row["date_created"])) } as Realm;
  return { ...row, realm };
}
