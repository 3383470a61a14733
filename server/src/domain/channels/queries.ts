import type { GroupSettingValue } from "@skein/api/group-setting.ts";
import type { PlainChannel } from "@skein/api/channels.ts";
import { sql } from "kysely";
import type { User } from "../../identity/account.ts";
import type { Db } from "../../platform/db/connect.ts";
import {
  channelGroupOf,
  channelPermissionNames,
  type ChannelPermission,
} from "../organization/permissions/channel-permissions.ts";
import { groupSettingValues, systemGroupIds } from "../organization/permissions/group-settings.ts";
import { topicsPolicyOf } from "./topics/policy.ts";
import { isGuest, type Channel } from "./access.ts";
import { heldGroups, mayKnowOf, mayRead } from "./many-channels.ts";

/** Which channels to list: the union of all that is chosen. */
export interface ChannelChoice {
  all: boolean;
  subscribed: boolean;
  public: boolean;
  webPublic: boolean;
  readable: boolean;
  ownerSubscribed: boolean;
  archived: boolean;
}

export async function listChannels(db: Db, user: User, choice: ChannelChoice): Promise<Channel[]> {
  const chosen = [sql`false`];
  if (choice.all) chosen.push(sql`true`);
  if (choice.subscribed) chosen.push(sql`coalesce(s.active, false)`);
  if (choice.public && !isGuest(user)) chosen.push(sql`not c.invite_only`);
  if (choice.webPublic) chosen.push(sql`c.is_web_public`);
  if (choice.readable) chosen.push(mayRead);
  const visible = sql`(${sql.join(chosen, sql` or `)}) and ${mayKnowOf}`;
  // A bot acts for its owner, so it may see the channels its owner is subscribed to.
  const ofOwner =
    choice.ownerSubscribed && user.bot_owner_id !== null
      ? sql`exists (select from subscriptions o
          where o.user_id = ${user.bot_owner_id} and o.channel_id = c.id and o.active)`
      : sql`false`;
  const { rows } = await sql<Channel>`
    ${heldGroups(user)}
    select c.* from channels c
      left join subscriptions s on s.channel_id = c.id and s.user_id = ${user.id}
    where c.realm_id = ${user.realm_id} and (${choice.archived} or not c.is_archived)
      and ((${visible}) or ${ofOwner})
    order by c.id`.execute(db);
  return rows;
}

/** Channels as clients see them, in the order given. */
export async function toChannelObjects(db: Db, realmId: number, channels: readonly Channel[]): Promise<PlainChannel[]> {
  if (channels.length === 0) return [];
  const groups = channels.flatMap((channel) => channelPermissionNames.map((name) => channel[`${name}_id`] ?? []));
  const values = await groupSettingValues(db, groups.flat());
  const systemGroups = await systemGroupIds(db, realmId);
  const counts = await subscriberCounts(db, channels);
  const common = { values, systemGroups, policies: postPolicies(systemGroups) };
  return channels.map((channel) => toChannelObject(channel, { ...common, count: counts.get(channel.id) ?? 0 }));
}

/** A new channel, or one that somebody comes to see: peer_add events with its subscribers follow. */
export const withoutSubscribers = (channel: PlainChannel): PlainChannel => ({ ...channel, subscriber_count: 0 });

async function subscriberCounts(db: Db, channels: readonly Channel[]): Promise<Map<number, number>> {
  const { rows } = await sql<{ id: number; count: number }>`
    select c.id, coalesce(n.subscribers, count_subscribers(c.id)) as count
    from unnest(${channels.map((channel) => channel.id)}::bigint[]) as c (id)
      left join channel_subscriber_counts n on n.channel_id = c.id`.execute(db);
  return new Map(rows.map(({ id, count }) => [id, count]));
}

interface Shown {
  values: ReadonlyMap<number, GroupSettingValue>;
  systemGroups: ReadonlyMap<string, number>;
  policies: ReadonlyMap<number, number>;
  /** How many are subscribed. */
  count: number;
}

function toChannelObject(channel: Channel, { values, systemGroups, policies, count }: Shown): PlainChannel {
  const value = (name: ChannelPermission) => {
    const groupId = channelGroupOf(channel, name, systemGroups);
    return values.get(groupId) ?? groupId;
  };
  const policy = postPolicyOf(policies, channel);
  return {
    stream_id: channel.id,
    name: channel.name,
    description: channel.description,
    rendered_description: channel.rendered_description,
    date_created: Math.floor(channel.date_created.getTime() / 1000),
    creator_id: channel.creator_id,
    invite_only: channel.invite_only,
    is_web_public: channel.is_web_public,
    is_archived: channel.is_archived,
    is_recently_active: channel.is_recently_active,
    is_announcement_only: policy === onlyAdministrators,
    stream_post_policy: policy,
    message_retention_days: channel.message_retention_days,
    history_public_to_subscribers: channel.history_public_to_subscribers,
    first_message_id: channel.first_message_id,
    stream_weekly_traffic: channel.weekly_traffic,
    subscriber_count: count,
    topics_policy: topicsPolicyOf(channel),
    folder_id: channel.folder_id,
    can_add_subscribers_group: value("can_add_subscribers_group"),
    can_administer_channel_group: value("can_administer_channel_group"),
    can_create_topic_group: value("can_create_topic_group"),
    can_delete_any_message_group: value("can_delete_any_message_group"),
    can_delete_own_message_group: value("can_delete_own_message_group"),
    can_move_messages_out_of_channel_group: value("can_move_messages_out_of_channel_group"),
    can_move_messages_within_channel_group: value("can_move_messages_within_channel_group"),
    can_remove_subscribers_group: value("can_remove_subscribers_group"),
    can_resolve_topics_group: value("can_resolve_topics_group"),
    can_send_message_group: value("can_send_message_group"),
    can_subscribe_group: value("can_subscribe_group"),
  };
}

const anyone = 1;
export const onlyAdministrators = 2;

/** Older clients know four policies for who may post. Any other setting is reported as `anyone`. */
export const postPolicyOf = (policies: ReadonlyMap<number, number>, channel: Channel): number =>
  policies.get(channel.can_send_message_group_id) ?? anyone;

/** The policies of the system groups that have one. */
export function postPolicies(systemGroups: ReadonlyMap<string, number>): Map<number, number> {
  const known = { "role:administrators": onlyAdministrators, "role:fullmembers": 3, "role:moderators": 4 };
  return new Map(
    Object.entries(known).flatMap(([name, policy]) => {
      const id = systemGroups.get(name);
      return id === undefined ? [] : [[id, policy] as const];
    }),
  );
}
