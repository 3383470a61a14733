/** Who receives typing events: the recipients of the message who want them. */
import { roles } from "@skein/api/users.ts";
import { sql } from "kysely";
import { ApiError } from "../../../errors.ts";
import type { User } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { apiEmailSql } from "../../people/users/email.ts";
import { guestsNotSeeing, usersVisibleTo, visibilityFor } from "../../people/users/guest-view.ts";

/**
 * With more recipients than this no event is sent: somebody would always be typing, and each event names all
 * participants.
 */
const maxNotified = 100;

const wantsTypingEvents = sql.raw("coalesce((u.settings ->> 'receives_typing_notifications')::boolean, true)");

interface Party {
  user_id: number;
  email: string;
  is_bot: boolean;
  role: number;
  wants_to_know: boolean;
}

/** The sender and the recipients by id; empty if there are too many. */
export async function accessParties(db: Db, sender: User, host: string, userIds: number[]): Promise<Party[]> {
  const ids = [...new Set([...userIds, sender.id])];
  const { rows } = await sql<Party>`
    select u.id as user_id, ${sql.raw(apiEmailSql("u", "h.host"))} as email, u.is_bot, u.role, ${wantsTypingEvents} as wants_to_know
    from users u cross join (select ${host}::text as host) h
    where u.realm_id = ${sender.realm_id} and u.id = any(${ids}::bigint[]) and u.is_active order by u.id`.execute(db);
  const sees = await visibilityFor(db, sender);
  const seen = new Set(rows.filter((row) => sees({ id: row.user_id, is_bot: row.is_bot })).map((row) => row.user_id));
  const stranger = ids.find((id) => !seen.has(id));
  if (stranger !== undefined) throw new ApiError(`Invalid user ID ${stranger}`);
  if (rows.length > maxNotified) return [];
  return withoutGuestsWhoCannotSeeAll(db, sender.realm_id, rows);
}

/** A guest who has not received a message yet may not see all other participants, and must not learn who they are. */
async function withoutGuestsWhoCannotSeeAll(db: Db, realmId: number, parties: Party[]): Promise<Party[]> {
  const guests = parties.filter((party) => party.role === roles.guest).map((party) => party.user_id);
  if (guests.length === 0) return parties;
  const visible = await usersVisibleTo(db, realmId, guests);
  const people = parties.filter((party) => !party.is_bot);
  return parties.map((party) => {
    const visibleToParty = visible.get(party.user_id);
    const seesAll =
      !visibleToParty || people.every(({ user_id: id }) => id === party.user_id || visibleToParty.has(id));
    return seesAll ? party : { ...party, wants_to_know: false };
  });
}

/** The subscribers who want typing events and can see the sender; empty if the channel is too large. */
export async function listInterestedSubscribers(db: Db, sender: User, channelId: number): Promise<number[]> {
  const { rows } = await sql<{ id: number; wants_to_know: boolean }>`
    with strangers as materialized (select ${guestsNotSeeing(sender.realm_id, sender, channelId)} as ids)
    select u.id, ${wantsTypingEvents} and u.id <> all (coalesce(strangers.ids, '{}')) as wants_to_know
    from strangers cross join subscriptions s join users u on u.id = s.user_id and u.is_active
    where s.channel_id = ${channelId} and s.active limit ${maxNotified + 1}`.execute(db);
  if (rows.length > maxNotified) return [];
  return rows.filter((row) => row.wants_to_know).map((row) => row.id);
}

/** All participants of a direct conversation, and those who want typing events. */
export async function listParties(db: Db, conversationId: number): Promise<{ all: number[]; interested: number[] }> {
  const { rows } = await sql<{ id: number; wants_to_know: boolean }>`
    select u.id, u.is_active and ${wantsTypingEvents} as wants_to_know
    from participations p join users u on u.id = p.user_id
    where p.conversation_id = ${conversationId} order by u.id limit ${maxNotified + 1}`.execute(db);
  if (rows.length > maxNotified) return { all: [], interested: [] };
  return { all: rows.map((row) => row.id), interested: rows.filter((row) => row.wants_to_know).map((row) => row.id) };
}
