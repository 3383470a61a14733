/**
 * Which users guests can see. By default everyone; but where only members may access all users
 * (can_access_all_users_group), a guest sees bots, and users with whom the guest shares a channel or a direct
 * conversation. Shared channels of a deactivated user do not count.
 *
 * For endpoints an invisible user does not exist; where a client needs a user object for an id, it gets an unknown user.
 */
import { roles } from "@skein/api/users.ts";
import { sql, type RawBuilder } from "kysely";
import type { User } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";

/** The user who may or may not be visible. */
export interface Seen {
  id: number;
  is_bot: boolean;
}

/** The users with whom a user shares a channel or a conversation; `me` is SQL for the user's id. */
const sharing = (me: RawBuilder<unknown>) => sql`
  select theirs.user_id
  from subscriptions mine join subscriptions theirs on theirs.channel_id = mine.channel_id and theirs.active
    join users u on u.id = theirs.user_id and u.is_active
  where mine.user_id = ${me} and mine.active
  union
  select theirs.user_id
  from participations mine join participations theirs on theirs.conversation_id = mine.conversation_id
  where mine.user_id = ${me}`;

/** SQL: whether guests of the organization see only some users. */
const isRestricted = (realmId: number) => sql<boolean>`restricts_guests(${realmId})`;

/** The predicate of readers who see all users. */
export const everyone = (): boolean => true;

/** A predicate for whether this reader can see a user. */
export async function visibilityFor(db: Db, reader: User): Promise<(user: Seen) => boolean> {
  if (reader.role !== roles.guest) return everyone;
  const { rows } = await sql<{ ids: number[] | null }>`
    select case when ${isRestricted(reader.realm_id)} then array(${sharing(sql`${reader.id}`)}) end as ids`.execute(db);
  const ids = rows[0]?.ids ?? null;
  if (ids === null) return everyone;
  const seen = new Set(ids);
  return (user) => user.is_bot || user.id === reader.id || seen.has(user.id);
}

/** SQL: whether two users, both given as SQL for an id, share a channel or a conversation. */
const areSharing = (one: RawBuilder<unknown>, other: RawBuilder<unknown>) => sql<boolean>`(
  exists (
    select from subscriptions mine join subscriptions theirs on theirs.channel_id = mine.channel_id and theirs.active
      join users u on u.id = theirs.user_id and u.is_active
    where mine.user_id = ${one} and mine.active and theirs.user_id = ${other})
  or exists (
    select from participations mine join participations theirs on theirs.conversation_id = mine.conversation_id
    where mine.user_id = ${one} and theirs.user_id = ${other}))`;

/** The users among these whom this reader cannot see. No query for readers who see everyone. */
export async function hiddenFrom(
  db: Db,
  reader: Pick<User, "id" | "role" | "realm_id">,
  userIds: readonly number[],
): Promise<ReadonlySet<number>> {
  const others = [...new Set(userIds)].filter((id) => id !== reader.id);
  if (reader.role !== roles.guest || others.length === 0) return new Set();
  const { rows } = await sql<{ id: number }>`
    select person.id from users person
    where ${isRestricted(reader.realm_id)} and person.id = any(${others}::bigint[]) and not person.is_bot
      and not ${areSharing(sql`${reader.id}`, sql.ref("person.id"))}`.execute(db);
  return new Set(rows.map((row) => row.id));
}

/**
 * SQL: the guests in a channel who cannot see a user, as an array, or null if there are none. All guests in a channel see
 * its other subscribers.
 */
export const guestsNotSeeing = (realmId: number, user: Seen, channelId: number): RawBuilder<number[] | null> =>
  user.is_bot
    ? sql`null::bigint[]`
    : sql`(
      select array_agg(g.id order by g.id) from subscriptions there
        join users g on g.id = there.user_id and g.role = ${sql.lit(roles.guest)} and g.is_active
      where ${isRestricted(realmId)} and there.channel_id = ${channelId} and there.active and g.id <> ${user.id}
        and not exists (
          select from subscriptions own where own.channel_id = ${channelId} and own.user_id = ${user.id} and own.active)
        and not ${areSharing(sql.ref("g.id"), sql`${user.id}`)})`;

/** The guests who can see a user; undefined where guests see everyone. */
export async function guestsSeeing(db: Db, realmId: number, user: Seen): Promise<number[] | undefined> {
  return user.is_bot ? undefined : (await guestsSeeingEach(db, realmId, [user.id]))?.get(user.id);
}

/** The same for many users at once. */
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

/** By reader, the users they can see, not counting bots and themselves; undefined for readers who see everyone. */
export type VisibleUsers = ReadonlyMap<number, ReadonlySet<number> | undefined>;

export async function usersVisibleTo(db: Db, realmId: number, readerIds: readonly number[]): Promise<VisibleUsers> {
  const { rows } = await sql<{ id: number; ids: number[] | null }>`
    select g.id, case when g.role = ${sql.lit(roles.guest)} and ${isRestricted(realmId)}
      then array(${sharing(sql.ref("g.id"))}) end as ids
    from users g where g.realm_id = ${realmId} and g.id = any(${readerIds}::bigint[]) and g.is_active`.execute(db);
  return new Map(rows.map(({ id, ids }) => [id, ids === null ? undefined : new Set(ids)]));
}

/** Users who join or leave channels, and the channels concerned. */
interface Meeting {
  userIds: readonly number[];
  channelIds: readonly number[];
}

/** The users visible to each guest among them and in the channels; empty where guests see everyone. */
export async function usersVisibleToGuests(
  db: Db,
  realmId: number,
  { userIds, channelIds }: Meeting,
): Promise<VisibleUsers> {
  const { rows } = await sql<{ id: number; ids: number[] }>`
    select g.id, array(${sharing(sql.ref("g.id"))}) as ids
    from users g
    where ${isRestricted(realmId)} and g.realm_id = ${realmId} and g.role = ${sql.lit(roles.guest)} and g.is_active
      and (g.id = any(${userIds}::bigint[]) or exists (
        select from subscriptions s
        where s.user_id = g.id and s.active and s.channel_id = any(${channelIds}::bigint[])))`.execute(db);
  return new Map(rows.map(({ id, ids }) => [id, new Set(ids)]));
}
