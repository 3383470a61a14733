/**
 * The group settings of a channel, which decide who may do what in it. The column of `channels` is the name with the
 * suffix `_id`.
 */
import type { SettingRule } from "./group-settings.ts";
import type { SystemGroupName } from "./system-groups.ts";

export interface ChannelPermissionRule extends SettingRule {
  /** The value for a new channel: a system group, or the channel's creator. */
  default: SystemGroupName | "channel_creator";
  /** What its holders may see of a channel they are not subscribed to. Access to content includes metadata. */
  grants?: "content" | "metadata";
  /** Whether the column is null while the permission has its default value. */
  isNullable?: boolean;
}

/** Beside the organization's permission to do the same: nobody's until somebody grants it. */
const additional = { default: "role:nobody", nobody: true, everyone: true, isNullable: true } as const;

export const channelPermissions = {
  can_add_subscribers_group: { default: "role:nobody", nobody: true, everyone: false, grants: "content" },
  can_administer_channel_group: {
    default: "channel_creator",
    nobody: true,
    everyone: false,
    grants: "metadata",
  },
  can_create_topic_group: { default: "role:everyone", nobody: true, everyone: true, isNullable: true },
  can_delete_any_message_group: additional,
  can_delete_own_message_group: additional,
  can_move_messages_out_of_channel_group: additional,
  can_move_messages_within_channel_group: additional,
  can_remove_subscribers_group: { default: "role:administrators", nobody: true, everyone: true },
  can_resolve_topics_group: additional,
  can_send_message_group: { default: "role:everyone", nobody: true, everyone: true },
  can_subscribe_group: { default: "role:nobody", nobody: true, everyone: false, grants: "content" },
} satisfies Record<string, ChannelPermissionRule>;

export type ChannelPermission = keyof typeof channelPermissions;
export type ChannelPermissionColumn = `${ChannelPermission}_id`;

// Object.keys knows only strings; these are the keys of the table above.
export const channelPermissionNames = Object.keys(channelPermissions) as ChannelPermission[];

export const channelPermissionRule = (name: ChannelPermission): ChannelPermissionRule => channelPermissions[name];

type PermissionColumns = Record<ChannelPermissionColumn, number | null>;

/** The group a channel's permission is set to. */
export function channelGroupOf(
  channel: PermissionColumns,
  name: ChannelPermission,
  systemGroups: ReadonlyMap<string, number>,
): number {
  const id = channel[`${name}_id`] ?? systemGroups.get(channelPermissionRule(name).default);
  if (id === undefined) throw new Error(`a channel has no group for ${name}`);
  return id;
}

/** What the column of a permission stores for a group. */
export function storedChannelGroup(
  name: ChannelPermission,
  groupId: number,
  systemGroups: ReadonlyMap<string, number>,
): number | null {
  const rule = channelPermissionRule(name);
  return rule.isNullable === true && groupId === systemGroups.get(rule.default) ? null : groupId;
}
