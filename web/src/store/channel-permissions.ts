/**
 * What the reader may do with a channel. There are two levels of access: to what it is (name, settings, subscribers), which
 * is all that administrators have by their role, and to its messages. The server has the last word.
 */
import type { GroupSettingValue } from "@skein/api/group-setting.ts";
import type { Channel } from "./channels.ts";
import { groupByName, includesReader } from "./group-settings.ts";
import { isAdministrator, isGuest } from "./roles.ts";
import { ownId, part } from "./state.ts";

/** The permissions of a channel, in the groups that its settings show. */
export const channelPermissions = {
  messages: ["can_send_message_group", "can_delete_own_message_group", "can_delete_any_message_group"],
  topics: [
    "can_create_topic_group",
    "can_resolve_topics_group",
    "can_move_messages_within_channel_group",
    "can_move_messages_out_of_channel_group",
  ],
  people: [
    "can_administer_channel_group",
    "can_add_subscribers_group",
    "can_remove_subscribers_group",
    "can_subscribe_group",
  ],
} as const;
export type ChannelPermission = (typeof channelPermissions)[keyof typeof channelPermissions][number];

/** Whoever has one of these can read a private channel; so only those who can read it may give them. */
const givingAccess: readonly string[] = ["can_add_subscribers_group", "can_subscribe_group"];

export const givesAccess = (name: string): boolean => givingAccess.includes(name);

/** Guests have no permission that cannot be given to everyone. */
const holds = (value: GroupSettingValue): boolean => !isGuest() && includesReader(value);

/** Whether the reader can read the channel's messages. */
export const mayRead = (channel: Channel): boolean =>
  channel.isSubscribed ||
  channel.is_web_public ||
  (!channel.invite_only && !isGuest()) ||
  holds(channel.can_add_subscribers_group) ||
  holds(channel.can_subscribe_group);

/** Whether the reader may change the channel's settings. */
export const mayAdminister = (channel: Channel): boolean =>
  isAdministrator() || holds(channel.can_administer_channel_group);

/** Whether the reader may change its privacy, and who gets access: not without access. */
export const mayGiveAccess = (channel: Channel): boolean => mayAdminister(channel) && mayRead(channel);

export const mayJoin = (channel: Channel): boolean =>
  !channel.isSubscribed && !channel.is_archived && !isGuest() && mayRead(channel);

export const mayAddPeople = (channel: Channel): boolean =>
  !channel.is_archived &&
  !isGuest() &&
  mayRead(channel) &&
  (mayAdminister(channel) ||
    includesReader(part("realm_can_add_subscribers_group").value) ||
    holds(channel.can_add_subscribers_group));

export const mayRemovePeople = (channel: Channel): boolean =>
  !isGuest() && (mayAdminister(channel) || includesReader(channel.can_remove_subscribers_group));

/** Why somebody who may change the other settings of a channel may not change this one. */
export type SettingLock = "needsAccess" | "organizationLock" | "protectedLock";

/** Of a channel that exists, or is about to. */
export function lockOn(name: string, channel: Pick<Channel, "history_public_to_subscribers">): SettingLock | undefined {
  if (name === "topics_policy" && !maySetTopicsPolicy()) return "organizationLock";
  if (name.startsWith("can_delete_") && !includesReader(part("realm_can_set_delete_message_policy_group").value))
    return "organizationLock";
  // Whether a topic exists would tell what was written before.
  return name === "can_create_topic_group" && !channel.history_public_to_subscribers ? "protectedLock" : undefined;
}

const maySetTopicsPolicy = (): boolean =>
  isAdministrator() || includesReader(part("realm_can_set_topics_policy_group").value);

/** Whether the reader may write where nobody has written yet. */
export const mayStartTopics = ({ can_create_topic_group }: Channel): boolean => includesReader(can_create_topic_group);

/** What a permission is for a channel that the reader creates. */
export function initialPermission(name: ChannelPermission): GroupSettingValue {
  const group = part("server_supported_permission_settings").value?.stream[name]?.default_group_name;
  const id = group === undefined ? undefined : groupByName(group)?.id;
  return id ?? { direct_members: [ownId.value], direct_subgroups: [] };
}
