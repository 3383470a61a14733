/** Who is told that somebody is typing: those who would receive the message, and want to know. */
import { sql } from "kysely";
import { ApiError } from "../../errors.ts";
import type { User } from "../../http/sessions.ts";
import type { Db } from "../../platform/db/connect.ts";
import { apiEmailSql } from "../users/email.ts";
import { sightOf } from "../users/guest-view.ts";

/** In a channel with more subscribers nobody is told: there is always somebody who types. */
const maxSubscribers = 100;

const wantsToKnow = sql.raw("coalesce((u.settings ->> 'receives_typing_notifications')::boolean, true)");

interface Party {
  user_id: number;
  email: string;
  is_bot: boolean;
  wants_to_know: boolean;
}

/** The sender and the people written to, by id. */
export async function accessParties(db: Db, sender: User, host: string, userIds: number[]): Promise<Party[]> {
  const ids = [...new Set([...userIds, sender.id])];
  const { rows } = await sql<Party>`
    select u.id as user_id, ${sql.raw(apiEmailSql("u", "h.host"))} as email, u.is_bot, ${wantsToKnow} as wants_to_know
    from users u cross join (select ${host}::text as host) h
    where u.realm_id = ${sender.realm_id} and u.id = any(${ids}::bigint[]) and u.is_active order by u.id`.execute(db);
  const sees = await sightOf(db, sender);
  const seen = new Set(rows.filter((row) => sees({ id: row.user_id, is_bot: row.is_bot })).map((row) => row.user_id));
  const stranger = ids.find((id) => !seen.has(id));
  if (stranger !== undefined) throw new ApiError(`Invalid user ID ${stranger}`);
  return rows;
}

/** Those who want to know, of the subscribers of a channel that is not too large. */
export async function listInterestedSubscribers(db: Db, channelId: number): Promise<number[]> {
  const { rows } = await sql<{ id: number; wants_to_know: boolean }>`
    select u.id, ${wantsToKnow} as wants_to_know
    from subscriptions s join users u on u.id = s.user_id and u.is_active
    where s.channel_id = ${channelId} and s.active limit ${maxSubscribers + 1}`.execute(db);
  if (rows.length > maxSubscribers) return [];
  return rows.filter((row) => row.wants_to_know).map((row) => row.id);
}

/** Those who want to know, of the parties of a direct conversation; and all of them. */
export async function listParties(db: Db, conversationId: number): Promise<{ all: number[]; interested: number[] }> {
  const { rows } = await sql<{ id: number; wants_to_know: boolean }>`
    select u.id, u.is_active and ${wantsToKnow} as wants_to_know
    from participations p join users u on u.id = p.user_id
    where p.conversation_id = ${conversationId} order by u.id`.execute(db);
  return { all: rows.map((row) => row.id), interested: rows.filter((row) => row.wants_to_know).map((row) => row.id) };
}
