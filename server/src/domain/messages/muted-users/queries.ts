import { sql } from "kysely";
import type { User } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { isRead } from "../flags/rules.ts";
import { readerJoins } from "../access.ts";
import { toTimestamp } from "../../base/timestamp.ts";

export async function listMutedUsers(db: Db, user: User): Promise<{ id: number; timestamp: number }[]> {
  const rows = await db
    .selectFrom("muted_users")
    .select(["muted_user_id", "muted_at"])
    .where("realm_id", "=", user.realm_id)
    .where("user_id", "=", user.id)
    .where("muted_at", "is not", null)
    .orderBy("muted_at")
    .orderBy("muted_user_id")
    .execute();
  return rows.flatMap(({ muted_user_id: id, muted_at }) => (muted_at ? { id, timestamp: toTimestamp(muted_at) } : []));
}

/** The ids of the sender's messages the reader has not read. */
export async function listUnreadFrom(db: Db, reader: User, senderId: number): Promise<number[]> {
  const who = { id: String(reader.id), rank: String(reader.rank) };
  const { rows } = await sql<{ id: number }>`
    select m.id from messages m ${sql.raw(readerJoins(who))}
    where m.realm_id = ${reader.realm_id} and m.sender_id = ${senderId} and not ${sql.raw(isRead(who))}
    order by m.id`.execute(db);
  return rows.map(({ id }) => id);
}
