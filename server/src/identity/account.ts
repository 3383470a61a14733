/** The types of accounts and organizations. */
import { sql, type Selectable } from "kysely";
import type { Db } from "../platform/db/connect.ts";
import type { RealmsTable, UsersTable } from "../platform/db/schema.ts";

export type Realm = Selectable<RealmsTable>;
/** An active account with its organization. `rank` is the role, or 390 for a full member. */
export type User = Omit<Selectable<UsersTable>, "password_hash"> & { realm: Realm; rank: number };

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
