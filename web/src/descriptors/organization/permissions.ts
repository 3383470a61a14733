import "../../text/chunks/organization.ts";
import { isGuest } from "../../store/roles.ts";
import { part } from "../../store/state.ts";
import type { Section } from "../setting.ts";
import { byOwners, explained, onOff, permission, setting } from "./describe.ts";

export const permissionsSection: Section = {
  id: "permissions",
  label: "organization.permissions",
  icon: "lock",
  isShown: () => !isGuest(),
  groups: [
    {
      label: "organization.permissions.joining",
      settings: [
        explained("can_invite_users_group", permission, byOwners),
        explained("create_multiuse_invite_group", permission, byOwners),
      ],
    },
    {
      label: "organization.permissions.channels",
      settings: [
        explained("can_create_public_channel_group", permission),
        explained("can_create_private_channel_group", permission),
        explained("can_create_web_public_channel_group", permission, {
          isOffered: () => part("server_web_public_streams_enabled").value === true,
        }),
        explained("can_add_subscribers_group", permission),
        explained("can_set_topics_policy_group", permission),
        explained("can_set_delete_message_policy_group", permission),
      ],
    },
    {
      label: "organization.permissions.messages",
      settings: [
        explained("can_mention_many_users_group", permission),
        explained("can_delete_own_message_group", permission),
        explained("can_delete_any_message_group", permission),
        explained("can_move_messages_between_topics_group", permission),
        explained("can_move_messages_between_channels_group", permission),
        explained("can_resolve_topics_group", permission),
        setting("can_summarize_topics_group", permission, {
          isOffered: () => part("server_can_summarize_topics").value === true,
        }),
      ],
    },
    {
      label: "organization.permissions.direct",
      hint: "organization.permissions.direct.hint",
      settings: [
        explained("direct_message_permission_group", permission),
        explained("direct_message_initiator_group", permission),
      ],
    },
    {
      label: "organization.permissions.groups",
      settings: [
        explained("can_create_groups", permission, byOwners),
        explained("can_manage_all_groups", permission, byOwners),
      ],
    },
    {
      label: "organization.permissions.guests",
      settings: [
        explained("can_access_all_users_group", permission),
        explained("enable_guest_user_indicator", onOff),
        explained("enable_guest_user_dm_warning", onOff),
      ],
    },
    {
      label: "organization.permissions.other",
      settings: [
        explained("can_create_bots_group", permission),
        explained("can_create_write_only_bots_group", permission),
        explained("can_add_custom_emoji_group", permission),
      ],
    },
  ],
};
