/**
 * What guests see of other people. Mostly everybody; but where only members may access all users
 * (can_access_all_users_group), a guest sees bots, and people with whom the guest shares a channel or a direct
 * conversation. A closed account is in no channel any more.
 *
 * Whoever is not seen does not exist for endpoints; where a client needs somebody for an id, a stranger stands in.
 */
import { roles } from "@skein/api/users.ts";
import { sql, type RawBuilder } from "kysely";
import type { User } from "../../http/sessions.ts";
import type { Db } from "../../platform/db/connect.ts";

/** Who is looked at. */
export interface Seen {
  id: number;
  is_bot: boolean;
}

/** Those with whom somebody shares a channel or a conversation; `me` is SQL for an id. */
const sharing = (me: RawBuilder<unknown>) => sql`
  select theirs.user_id
  from subscriptions mine join subscriptions theirs on theirs.channel_id = mine.channel_id and theirs.active
    join users u on u.id = theirs.user_id and u.is_active
  where mine.user_id = ${me} and mine.active
  union
  select theirs.user_id
  from participations mine join participations theirs on theirs.conversation_id = mine.conversation_id
  where mine.user_id = ${me}`;

/** Whether guests of the organization see only some people. */
const isRestricted = (realmId: number) => sql<boolean>`(
  select g.max_rank < ${sql.lit(roles.guest)}
  from realms r join user_groups g on g.id = r.can_access_all_users_group_id where r.id = ${realmId})`;

/** Whom this reader sees. */
export async function sightOf(db: Db, reader: User): Promise<(user: Seen) => boolean> {
  if (reader.role !== roles.guest) return () => true;
  const { rows } = await sql<{ ids: number[] | null }>`
    select case when ${isRestricted(reader.realm_id)} then array(${sharing(sql`${reader.id}`)}) end as ids`.execute(db);
  const ids = rows[0]?.ids ?? null;
  if (ids === null) return () => true;
  const seen = new Set(ids);
  return (user) => user.is_bot || user.id === reader.id || seen.has(user.id);
}

/** The guests who see somebody; undefined where guests see everybody. */
export async function guestsSeeing(db: Db, realmId: number, user: Seen): Promise<number[] | undefined> {
  return user.is_bot ? undefined : (await guestsSeeingEach(db, realmId, [user.id]))?.get(user.id);
}

/** The same for many people at once. */
export async function guestsSeeingEach(
  db: Db,
  realmId: number,
  userIds: readonly number[],
): Promise<Map<number, number[]> | undefined> {
  const { rows } = await sql<{ id: number; ids: number[] | null }>`
    select u.id, case when ${isRestricted(realmId)} then array(
      select g.id from users g where g.realm_id = ${realmId} and g.role = ${sql.lit(roles.guest)} and g.is_active
        and (g.id = u.id or u.id in (${sharing(sql.ref("g.id"))}))
      order by g.id) end as ids
    from unnest(${userIds}::bigint[]) as u (id)`.execute(db);
  const restricted = rows.flatMap(({ id, ids }) => (ids === null ? [] : [[id, ids] as const]));
  return restricted.length > 0 ? new Map(restricted) : undefined;
}

/** Whom users see, bots and themselves not counted; undefined for those who see everybody. */
export type Sights = ReadonlyMap<number, ReadonlySet<number> | undefined>;

export async function peopleSeenBy(db: Db, realmId: number, readerIds: readonly number[]): Promise<Sights> {
  const { rows } = await sql<{ id: number; ids: number[] | null }>`
    select g.id, case when g.role = ${sql.lit(roles.guest)} and ${isRestricted(realmId)}
      then array(${sharing(sql.ref("g.id"))}) end as ids
    from users g where g.realm_id = ${realmId} and g.id = any(${readerIds}::bigint[]) and g.is_active`.execute(db);
  return new Map(rows.map(({ id, ids }) => [id, ids === null ? undefined : new Set(ids)]));
}

/** People who come together or part: some, and whoever is in some channels. */
interface Meeting {
  userIds: readonly number[];
  channelIds: readonly number[];
}

/** Whom the guests among them see; empty where guests see everybody. */
export async function sightsOfGuests(db: Db, realmId: number, { userIds, channelIds }: Meeting): Promise<Sights> {
  const { rows } = await sql<{ id: number; ids: number[] }>`
    select g.id, array(${sharing(sql.ref("g.id"))}) as ids
    from users g
    where ${isRestricted(realmId)} and g.realm_id = ${realmId} and g.role = ${sql.lit(roles.guest)} and g.is_active
      and (g.id = any(${userIds}::bigint[]) or exists (
        select from subscriptions s
        where s.user_id = g.id and s.active and s.channel_id = any(${channelIds}::bigint[])))`.execute(db);
  return new Map(rows.map(({ id, ids }) => [id, new Set(ids)]));
}
