import type { SubscriptionObject, UnfamiliarChannel } from "@skein/api/subscriptions.ts";
import type { PlainChannel } from "@skein/api/channels.ts";
import { sql, type Selectable } from "kysely";
import type { User } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { SubscriptionsTable } from "../../../platform/db/schema.ts";
import { hasMetadataAccess, type Channel } from "../access.ts";
import { heldGroups, mayKnowOf } from "../many-channels.ts";
import { toChannelObjects } from "../queries.ts";
import { notificationNames, type NotificationName } from "./notifications.ts";

/** A subscriber's personal settings for a channel. */
export type PersonalSettings = Pick<
  Selectable<SubscriptionsTable>,
  "color" | "is_muted" | "pin_to_top" | NotificationName
>;

export const personalColumns = ["color", "is_muted", "pin_to_top", ...notificationNames] as const;

export function toSubscriptionObject(
  channel: PlainChannel,
  personal: PersonalSettings,
  subscribers: ListedSubscribers,
): SubscriptionObject {
  return {
    ...channel,
    ...subscribers,
    desktop_notifications: personal.desktop_notifications,
    audible_notifications: personal.audible_notifications,
    push_notifications: personal.push_notifications,
    email_notifications: personal.email_notifications,
    wildcard_mentions_notify: personal.wildcard_mentions_notify,
    pin_to_top: personal.pin_to_top,
    is_muted: personal.is_muted,
    in_home_view: !personal.is_muted,
    color: personal.color,
  };
}

/** A channel's subscribers as a client asked for them; in a large channel perhaps only some. */
export type ListedSubscribers = { subscribers?: number[] } | { partial_subscribers: number[] };

/** Whether to list all subscribers, none, or in large channels only some. */
export type SubscriberChoice = boolean | "partial";

/** `subscribed` is null for a channel the user was never subscribed to. */
type ChannelOfUser = Channel & { subscribed: boolean | null } & PersonalSettings;

export interface SubscriptionLists {
  subscriptions: SubscriptionObject[];
  unsubscribed: SubscriptionObject[];
  never_subscribed: UnfamiliarChannel[];
}

/** All channels the user may know of: subscribed, formerly subscribed, and never subscribed. */
export async function listChannelsBySubscription(
  db: Db,
  user: User,
  { archived, subscribers }: { archived: boolean; subscribers: SubscriberChoice },
): Promise<SubscriptionLists> {
  const { rows } = await sql<ChannelOfUser>`
    ${heldGroups(user)}
    select c.*, s.active as subscribed, ${personalSettings} from channels c
      left join subscriptions s on s.channel_id = c.id and s.user_id = ${user.id}
    where c.realm_id = ${user.realm_id} and (${archived} or not c.is_archived)
      and ${mayKnowOf(user)}
    order by c.id`.execute(db);
  const objects = await toChannelObjects(db, user.realm_id, rows);
  const peersOf = await listChosenSubscribers(db, rows, subscribers);
  const lists: SubscriptionLists = { subscriptions: [], unsubscribed: [], never_subscribed: [] };
  for (const [index, object] of objects.entries()) {
    const row = rows[index];
    if (!row) throw new Error("every object has a row");
    const those = peersOf(row.id);
    if (row.subscribed === null) lists.never_subscribed.push({ ...object, ...those });
    else (row.subscribed ? lists.subscriptions : lists.unsubscribed).push(toSubscriptionObject(object, row, those));
  }
  return lists;
}

/** The channels the user is subscribed to. */
export async function listSubscriptions(
  db: Db,
  user: User,
  subscribers: SubscriberChoice,
): Promise<SubscriptionObject[]> {
  const { rows } = await sql<ChannelOfUser>`
    select c.*, true as subscribed, ${personalSettings}
    from subscriptions s join channels c on c.id = s.channel_id
    where s.user_id = ${user.id} and s.active and not c.is_archived
    order by c.id`.execute(db);
  const objects = await toChannelObjects(db, user.realm_id, rows);
  const peersOf = await listChosenSubscribers(db, rows, subscribers);
  return rows.flatMap((row, index) => {
    const object = objects[index];
    return object ? [toSubscriptionObject(object, row, peersOf(row.id))] : [];
  });
}

const personalSettings = sql.join(personalColumns.map((name) => sql.ref(`s.${name}`)));

/** From this many on, clients that asked for some of the subscribers get those they are likely to need. */
const largeChannelSubscribers = 250;
const recentDays = 14;

async function listChosenSubscribers(
  db: Db,
  channels: readonly { id: number }[],
  choice: SubscriberChoice,
): Promise<(channelId: number) => ListedSubscribers> {
  if (choice === false) return () => ({});
  if (choice === true) {
    const all = await listSubscribers(db, channels);
    return (id) => ({ subscribers: all.get(id) ?? [] });
  }
  const some = await listLikelySubscribers(db, channels);
  return (id) => some.get(id) ?? { subscribers: [] };
}

/**
 * All subscribers of small channels; of large ones bots, people who were active lately, and those who do not tell when
 * they are.
 */
async function listLikelySubscribers(
  db: Db,
  channels: readonly { id: number }[],
): Promise<Map<number, ListedSubscribers>> {
  const { rows } = await sql<{ channel_id: number; total: number; likely: number[] }>`
    with counted as materialized (
      select s.channel_id, count(*) as total from subscriptions s
      where s.channel_id = any(${channels.map((channel) => channel.id)}::bigint[]) and s.active
        and not exists (select from users u where u.id = s.user_id and not u.is_active)
      group by s.channel_id)
    select k.channel_id, k.total, coalesce(json_agg(s.user_id order by s.user_id) filter (
      where k.total < ${largeChannelSubscribers} or u.is_bot or not shows_presence(u)
        or p.last_connected_at > now() - make_interval(days => ${recentDays})), '[]') as likely
    from counted k
      join subscriptions s on s.channel_id = k.channel_id and s.active
      join users u on u.id = s.user_id and u.is_active
      left join presences p on p.user_id = s.user_id
    group by k.channel_id, k.total`.execute(db);
  return new Map(
    rows.map(({ channel_id, total, likely }) => [
      channel_id,
      total < largeChannelSubscribers ? { subscribers: likely } : { partial_subscribers: likely },
    ]),
  );
}

/** The active users subscribed to each channel, by id. */
export async function listSubscribers(db: Db, channels: readonly { id: number }[]): Promise<Map<number, number[]>> {
  const { rows } = await sql<{ channel_id: number; user_ids: number[] }>`
    select s.channel_id, json_agg(s.user_id order by s.user_id) as user_ids from subscriptions s
    where s.channel_id = any(${channels.map((channel) => channel.id)}::bigint[]) and s.active
      and not exists (select from users u where u.id = s.user_id and not u.is_active)
    group by s.channel_id`.execute(db);
  return new Map(rows.map((row) => [row.channel_id, row.user_ids]));
}

export async function isSubscribed(db: Db, user: { id: number }, channel: Channel): Promise<boolean> {
  const row = await db
    .selectFrom("subscriptions")
    .select("active")
    .where("realm_id", "=", channel.realm_id)
    .where("user_id", "=", user.id)
    .where("channel_id", "=", channel.id)
    .executeTakeFirst();
  return row?.active ?? false;
}

/** The channels of a user that the reader may know of, ascending. */
export async function listKnownChannelsOf(db: Db, reader: User, { id }: { id: number }): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select c.id from subscriptions theirs join channels c on c.id = theirs.channel_id
      left join subscriptions s on s.channel_id = c.id and s.user_id = ${reader.id}
    where theirs.realm_id = ${reader.realm_id} and theirs.user_id = ${id} and theirs.active and ${hasMetadataAccess(reader, "c", "s")}
    order by c.id`.execute(db);
  return rows.map((channel) => channel.id);
}
