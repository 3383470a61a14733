/**
 * The group settings of a channel, which decide who may do what in it. The column of `channels` is the name with the
 * suffix `_id`.
 */
import type { SettingRule } from "./group-settings.ts";
import type { SystemGroupName } from "./system-groups.ts";

export interface ChannelPermissionRule extends SettingRule {
  /** The value for a new channel: a system group, or the channel's creator. */
  default: SystemGroupName | "stream_creator_or_nobody";
  /** What its holders may see of a channel they are not subscribed to. Access to content includes metadata. */
  grants?: "content" | "metadata";
}

export const channelPermissions = {
  can_add_subscribers_group: { default: "role:nobody", nobody: true, everyone: false, grants: "content" },
  can_administer_channel_group: {
    default: "stream_creator_or_nobody",
    nobody: true,
    everyone: false,
    grants: "metadata",
  },
  can_remove_subscribers_group: { default: "role:administrators", nobody: true, everyone: true },
  can_send_message_group: { default: "role:everyone", nobody: true, everyone: true },
  can_subscribe_group: { default: "role:nobody", nobody: true, everyone: false, grants: "content" },
} satisfies Record<string, ChannelPermissionRule>;

export type ChannelPermission = keyof typeof channelPermissions;
export type ChannelPermissionColumn = `${ChannelPermission}_id`;

// Object.keys knows only strings; these are the keys of the table above.
export const channelPermissionNames = Object.keys(channelPermissions) as ChannelPermission[];

export const channelPermissionRule = (name: ChannelPermission): ChannelPermissionRule => channelPermissions[name];
