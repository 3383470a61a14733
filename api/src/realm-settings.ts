/** The organization's settings, which administrators and owners can change. */
import { z } from "zod";
import { deprecated, descriptionOf, endpoint, fewValues, json, textUpTo } from "./endpoint.ts";
import { groupSettingUpdate } from "./group-setting.ts";
import { languageCode } from "./languages.ts";
import { maxRealmDescriptionLength, maxRealmNameLength, maxWelcomeTextLength, realmState } from "./realm.ts";

export const maxCodeBlockLanguageLength = 50;
export const maxJitsiUrlLength = 200;
export const maxWaitingPeriodDays = 100_000;
export const maxKeyDays = 10_000;

export const organizationTypes = [0, 10, 20, 30, 35, 40, 50, 60, 70, 80, 90, 100, 1000] as const;

type SettingName = keyof typeof realmState extends infer Field
  ? Field extends `realm_${infer Name}`
    ? Name
    : never
  : never;

const text = (name: SettingName): string => descriptionOf(realmState[`realm_${name}`]);

/** Has the same type as the field of the registration response. */
const yesNo = (name: SettingName) => json(z.boolean()).optional().describe(text(name));
const permission = (name: SettingName) => json(groupSettingUpdate).optional().describe(text(name));
const channel = (name: SettingName) => json(z.int()).optional().describe(text(name));
const seconds = (name: SettingName) =>
  json(z.union([z.int(), z.string()]))
    .optional()
    .describe(`${text(name)} "unlimited" takes the limit away.`);

const area = "Server and organization";

export const updateRealm = endpoint({
  operation: "update-realm",
  method: "PATCH",
  path: "/realm",
  auth: "user",
  scope: "admin",
  stepUp: { second_factor_required_for: true },
  area,
  summary: "Update organization settings",
  description:
    "Change settings of the organization; all of those given, or none. For administrators; how people join, who makes " +
    "and manages groups, how long messages are kept and how one signs in are for owners.",
  params: {
    // The organization
    name: textUpTo(maxRealmNameLength).optional().describe(text("name")),
    description: textUpTo(maxRealmDescriptionLength).optional().describe(text("description")),
    org_type: json(z.literal([...organizationTypes]))
      .optional()
      .describe(text("org_type")),
    default_language: languageCode.optional().describe(text("default_language")),
    want_advertise_in_communities_directory: yesNo("want_advertise_in_communities_directory"),
    enable_spectator_access: yesNo("enable_spectator_access"),

    // Accounts
    authentication_methods: json(z.record(z.string(), z.boolean()), fewValues)
      .optional()
      .describe("Whether each way of signing in is open, by its name. At least one must be."),
    invite_required: yesNo("invite_required"),
    emails_restricted_to_domains: yesNo("emails_restricted_to_domains"),
    disallow_disposable_email_addresses: yesNo("disallow_disposable_email_addresses"),
    waiting_period_threshold: json(z.int().min(0).max(maxWaitingPeriodDays))
      .optional()
      .describe(text("waiting_period_threshold")),
    require_unique_names: yesNo("require_unique_names"),
    name_changes_disabled: yesNo("name_changes_disabled"),
    email_changes_disabled: yesNo("email_changes_disabled"),
    avatar_changes_disabled: yesNo("avatar_changes_disabled"),
    default_avatar_source: realmState.realm_default_avatar_source.optional(),
    send_welcome_emails: yesNo("send_welcome_emails"),
    welcome_message_custom_text: textUpTo(maxWelcomeTextLength)
      .optional()
      .describe(text("welcome_message_custom_text")),
    enable_guest_user_indicator: yesNo("enable_guest_user_indicator"),
    enable_guest_user_dm_warning: yesNo("enable_guest_user_dm_warning"),
    presence_disabled: yesNo("presence_disabled"),
    require_e2ee_push_notifications: yesNo("require_e2ee_push_notifications"),
    api_key_max_days: json(z.int().min(0).max(maxKeyDays)).optional().describe(text("api_key_max_days")),
    second_factor_required_for: realmState.realm_second_factor_required_for.optional(),

    // Messages
    allow_message_editing: yesNo("allow_message_editing"),
    message_content_edit_limit_seconds: seconds("message_content_edit_limit_seconds"),
    message_content_delete_limit_seconds: seconds("message_content_delete_limit_seconds"),
    move_messages_within_stream_limit_seconds: seconds("move_messages_within_stream_limit_seconds"),
    move_messages_between_streams_limit_seconds: seconds("move_messages_between_streams_limit_seconds"),
    message_edit_history_visibility_policy: realmState.realm_message_edit_history_visibility_policy.optional(),
    message_retention_days: json(z.union([z.int(), z.string()]))
      .optional()
      .describe('For how many days messages are kept; "unlimited" for ever.'),
    topics_policy: realmState.realm_topics_policy.optional(),
    mandatory_topics: deprecated(yesNo("mandatory_topics")),
    send_channel_events_messages: yesNo("send_channel_events_messages"),
    enable_read_receipts: yesNo("enable_read_receipts"),
    default_code_block_language: textUpTo(maxCodeBlockLanguageLength)
      .optional()
      .describe(text("default_code_block_language")),
    inline_image_preview: yesNo("inline_image_preview"),
    inline_url_embed_preview: yesNo("inline_url_embed_preview"),
    message_content_allowed_in_email_notifications: yesNo("message_content_allowed_in_email_notifications"),
    digest_emails_enabled: yesNo("digest_emails_enabled"),
    digest_weekday: json(z.literal([0, 1, 2, 3, 4, 5, 6]))
      .optional()
      .describe(text("digest_weekday")),
    new_stream_announcements_stream_id: channel("new_stream_announcements_stream_id"),
    signup_announcements_stream_id: channel("signup_announcements_stream_id"),
    zulip_update_announcements_stream_id: channel("zulip_update_announcements_stream_id"),
    moderation_request_channel_id: channel("moderation_request_channel_id"),

    // Calls and pictures
    video_chat_provider: json(z.int()).optional().describe(text("video_chat_provider")),
    jitsi_server_url: json(textUpTo(maxJitsiUrlLength))
      .optional()
      .describe('The organization\'s own Jitsi server; "default" for that of the server.'),
    gif_rating_policy: json(z.literal([0, 1, 2, 3, 4]))
      .optional()
      .describe(text("gif_rating_policy")),

    // Permissions
    can_access_all_users_group: permission("can_access_all_users_group"),
    can_add_custom_emoji_group: permission("can_add_custom_emoji_group"),
    can_add_subscribers_group: permission("can_add_subscribers_group"),
    can_create_bots_group: permission("can_create_bots_group"),
    can_create_groups: permission("can_create_groups"),
    can_create_private_channel_group: permission("can_create_private_channel_group"),
    can_create_public_channel_group: permission("can_create_public_channel_group"),
    can_create_web_public_channel_group: permission("can_create_web_public_channel_group"),
    can_create_write_only_bots_group: permission("can_create_write_only_bots_group"),
    can_delete_any_message_group: permission("can_delete_any_message_group"),
    can_delete_own_message_group: permission("can_delete_own_message_group"),
    can_invite_users_group: permission("can_invite_users_group"),
    can_manage_all_groups: permission("can_manage_all_groups"),
    can_manage_billing_group: permission("can_manage_billing_group"),
    can_mention_many_users_group: permission("can_mention_many_users_group"),
    can_move_messages_between_channels_group: permission("can_move_messages_between_channels_group"),
    can_move_messages_between_topics_group: permission("can_move_messages_between_topics_group"),
    can_resolve_topics_group: permission("can_resolve_topics_group"),
    can_set_delete_message_policy_group: permission("can_set_delete_message_policy_group"),
    can_set_topics_policy_group: permission("can_set_topics_policy_group"),
    can_summarize_topics_group: permission("can_summarize_topics_group"),
    create_multiuse_invite_group: permission("create_multiuse_invite_group"),
    direct_message_initiator_group: permission("direct_message_initiator_group"),
    direct_message_permission_group: permission("direct_message_permission_group"),
  },
  returns: {},
});

export const testWelcomeMessage = endpoint({
  operation: "test-welcome-bot-custom-message",
  method: "POST",
  path: "/realm/test_welcome_bot_custom_message",
  auth: "user",
  scope: "admin",
  area,
  summary: "Test a welcome text",
  description: "Have the welcome bot send the caller a text as newcomers would get it. For administrators.",
  params: { welcome_message_custom_text: textUpTo(maxWelcomeTextLength).describe("The text, in Markdown.") },
  returns: { message_id: z.int().describe("The message that the welcome bot sent.") },
});

export const deactivateRealm = endpoint({
  operation: "deactivate-realm",
  method: "POST",
  path: "/realm/deactivate",
  auth: "user",
  scope: "admin",
  stepUp: true,
  area,
  summary: "Deactivate the organization",
  description: "Close the organization: nobody can sign in to it any more. Nothing is deleted. For owners.",
  params: {},
  returns: {},
});

export const endpoints = [updateRealm, testWelcomeMessage, deactivateRealm];
