/** Presence in the database, from which a node starts. */
import { sql } from "kysely";
import type { Db } from "../../../platform/db/connect.ts";
import type { Presence } from "./realm-presences.ts";

/** Only of users who share their presence. */
export async function listPresences(db: Db, realmId: number): Promise<Presence[]> {
  const { rows } = await sql<{
    user_id: number;
    last_active_at: Date | null;
    last_connected_at: Date;
    update_id: number;
  }>`
    select p.user_id, p.last_active_at, p.last_connected_at, p.update_id
    from presences p join users u on u.id = p.user_id
    where p.realm_id = ${realmId} and shows_presence(u)`.execute(db);
  return rows.map((row) => ({
    userId: row.user_id,
    activeAt: row.last_active_at?.getTime() ?? 0,
    connectedAt: row.last_connected_at.getTime(),
    updateId: row.update_id,
  }));
}

/** Keeps newer times stored by other nodes, and leaves out users who stopped sharing their presence meanwhile. */
export async function storePresences(db: Db, presences: Presence[]): Promise<void> {
  await sql`
    insert into presences (user_id, realm_id, last_active_at, last_connected_at, update_id)
    select u.id, u.realm_id, case when n.seen_at > 0 then to_timestamp(n.seen_at / 1000.0) end,
      to_timestamp(n.heard_at / 1000.0), n.update_id
    from unnest(
      ${presences.map((one) => one.userId)}::bigint[], ${presences.map((one) => one.activeAt)}::float8[],
      ${presences.map((one) => one.connectedAt)}::float8[], ${presences.map((one) => one.updateId)}::bigint[]
    ) as n (user_id, seen_at, heard_at, update_id) join users u on u.id = n.user_id and shows_presence(u)
    order by u.id
    on conflict (user_id) do update set
      last_active_at = greatest(presences.last_active_at, excluded.last_active_at),
      last_connected_at = greatest(presences.last_connected_at, excluded.last_connected_at),
      update_id = greatest(presences.update_id, excluded.update_id)`.execute(db);
}
