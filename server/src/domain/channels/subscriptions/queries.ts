import type { SubscriptionObject } from "@skein/api/subscriptions.ts";
import type { PlainChannel } from "@skein/api/channels.ts";
import { sql, type Selectable } from "kysely";
import type { User } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { SubscriptionsTable } from "../../../platform/db/schema.ts";
import { hasMetadataAccess, type Channel } from "../access.ts";
import { givenGroups, heldGroups, mayKnowOf } from "../many-channels.ts";
import { toChannelObjects } from "../queries.ts";
import { notificationNames, type NotificationName } from "./notifications.ts";
import { listChosenSubscribers, type ListedSubscribers, type SubscriberChoice } from "./subscribers.ts";

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

export interface OwnChannel extends PersonalSettings {
  id: number;
  active: boolean;
}

/** The channels the user is or was subscribed to and may know of, and the ids of the user's groups, both ascending. */
export async function listOwnChannels(
  db: Db,
  user: User,
  archived: boolean,
): Promise<{ own: OwnChannel[]; groups: number[] }> {
  const { rows } = await sql<{ own: OwnChannel[]; groups: number[] }>`
    ${heldGroups(user)}
    select coalesce(json_agg(${personalObject} order by c.id), '[]') as own,
      (select coalesce(json_agg(id order by id), '[]') from held_groups) as groups
    from subscriptions s join channels c on c.id = s.channel_id
    where s.user_id = ${user.id} and c.realm_id = ${user.realm_id} and (${archived} or not c.is_archived) and ${mayKnowOf}`.execute(
    db,
  );
  const [found] = rows;
  if (!found) throw new Error("an aggregate returns one row");
  return found;
}

/** The channels that a user may know of whatever their subscriptions are, because of their rank and groups. */
export async function listChannelsKnownBy(
  db: Db,
  { rank, realm_id }: Pick<User, "rank" | "realm_id">,
  groups: readonly number[],
  archived: boolean,
): Promise<number[]> {
  const { rows } = await sql<{ ids: number[] }>`
    ${givenGroups(rank, groups)}
    select coalesce(json_agg(c.id order by c.id), '[]') as ids
    from channels c left join subscriptions s on false
    where c.realm_id = ${realm_id} and (${archived} or not c.is_archived) and ${mayKnowOf}`.execute(db);
  return rows[0]?.ids ?? [];
}

type ChannelOfUser = Channel & PersonalSettings;

/** The channels the user is subscribed to. */
export async function listSubscriptions(
  db: Db,
  user: User,
  subscribers: SubscriberChoice,
): Promise<SubscriptionObject[]> {
  const { rows } = await sql<ChannelOfUser>`
    select c.*, ${personalSettings}
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
const personalObject = sql`json_build_object('id', c.id, 'active', s.active, ${sql.join(
  personalColumns.flatMap((name) => [sql.lit(name), sql.ref(`s.${name}`)]),
)})`;

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
