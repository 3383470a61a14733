/** The organization's and the server's properties in the registration response and in `realm` events. */
import { z } from "zod";
import { groupSettingValue } from "./group-setting.ts";

export const maxRealmNameLength = 40;
export const maxRealmDescriptionLength = 1000;
export const maxWelcomeTextLength = 8000;

/** From the fewest people to the most. */
export const secondFactorRequirements = [
  "nobody",
  "owners",
  "administrators",
  "moderators",
  "members",
  "everyone",
] as const;
export type SecondFactorRequirement = (typeof secondFactorRequirements)[number];

const yesNo = (description: string) => z.boolean().describe(description);
const count = (description: string) => z.int().describe(description);
const text = (description: string) => z.string().describe(description);
const who = (description: string) => groupSettingValue.describe(`Who may ${description}`);
const limit = (description: string) => z.int().nullable().describe(`${description} Null: no limit.`);
const channel = (description: string) => z.int().describe(`${description} -1: none.`);

const named = z.strictObject({ id: z.int(), name: z.string() });

const permissionRules = z.record(
  z.string(),
  z.strictObject({
    require_system_group: z.boolean(),
    allow_internet_group: z.boolean(),
    allow_nobody_group: z.boolean(),
    allow_everyone_group: z.boolean(),
    default_group_name: z.string(),
    default_for_system_groups: z.string().nullable(),
    allowed_system_groups: z.array(z.string()),
  }),
);

export const realmState = {
  // Permissions
  realm_can_access_all_users_group: who("see every user."),
  realm_can_add_custom_emoji_group: who("add custom emoji."),
  realm_can_add_subscribers_group: who("add others to channels."),
  realm_can_create_bots_group: who("create bots of every kind."),
  realm_can_create_groups: who("create user groups."),
  realm_can_create_private_channel_group: who("create private channels."),
  realm_can_create_public_channel_group: who("create public channels."),
  realm_can_create_web_public_channel_group: who("create web-public channels."),
  realm_can_create_write_only_bots_group: who("create incoming webhooks."),
  realm_can_delete_any_message_group: who("delete anybody's messages."),
  realm_can_delete_own_message_group: who("delete their own messages."),
  realm_can_invite_users_group: who("invite people by e-mail."),
  realm_can_manage_all_groups: who("manage every user group."),
  realm_can_manage_billing_group: who("manage billing."),
  realm_can_mention_many_users_group: who("mention everybody where there are many."),
  realm_can_move_messages_between_channels_group: who("move messages to other channels."),
  realm_can_move_messages_between_topics_group: who("move messages to other topics."),
  realm_can_resolve_topics_group: who("mark topics as resolved, and take the mark away."),
  realm_can_set_delete_message_policy_group: who("decide who deletes messages in the channels they administer."),
  realm_can_set_topics_policy_group: who("decide on the empty topic in the channels they administer."),
  realm_can_summarize_topics_group: who("have topics summarized."),
  realm_create_multiuse_invite_group: who("make invitation links."),
  realm_direct_message_initiator_group: who("begin a direct conversation."),
  realm_direct_message_permission_group: groupSettingValue.describe(
    "At least one of them must be in a direct conversation.",
  ),
  realm_create_private_stream_policy: count("Deprecated: realm_can_create_private_channel_group as a number."),
  realm_create_public_stream_policy: count("Deprecated: realm_can_create_public_channel_group as a number."),
  realm_create_web_public_stream_policy: count("Deprecated: realm_can_create_web_public_channel_group as a number."),
  realm_wildcard_mention_policy: count("Deprecated: realm_can_mention_many_users_group as a number."),

  // The organization
  realm_name: text("The organization's name."),
  realm_description: text("The organization's description, in Markdown."),
  realm_date_created: count("When the organization was created."),
  realm_url: text("The organization's canonical address."),
  realm_uri: text("Deprecated name of realm_url."),
  realm_uuid: text("Identifies the organization on every server."),
  realm_bot_domain: text("The domain of new bots' e-mail addresses."),
  realm_org_type: count("What kind of organization it is."),
  realm_plan_type: count("1 self-hosted, 2 limited, 3 standard, 4 standard free of charge, 10 plus."),
  realm_default_language: text("The language of new accounts and of notices, as a language code."),
  realm_icon_url: text("The square logo."),
  realm_icon_source: text("G Gravatar, U uploaded."),
  realm_logo_url: text("The wide logo."),
  realm_logo_source: text("D as delivered, U uploaded."),
  realm_night_logo_url: text("The wide logo for dark backgrounds."),
  realm_night_logo_source: text("D as delivered, U uploaded."),
  realm_waiting_period_threshold: count("After how many days a member becomes a full member."),
  realm_want_advertise_in_communities_directory: yesNo("Whether it wants to be listed publicly."),
  realm_enable_spectator_access: yesNo("Whether people without an account may read web-public channels."),
  demo_organization_scheduled_deletion_date: z.int().optional().describe("Only for a demonstration: when it ends."),

  // Accounts
  realm_authentication_methods: z
    .record(
      z.string(),
      z.strictObject({ enabled: z.boolean(), available: z.boolean(), unavailable_reason: z.string().optional() }),
    )
    .describe("Ways of signing in, by name."),
  realm_email_auth_enabled: yesNo("Whether signing in with e-mail address and password is on."),
  realm_password_auth_enabled: yesNo("Whether any way of signing in takes a password."),
  realm_invite_required: yesNo("Whether joining requires an invitation."),
  realm_emails_restricted_to_domains: yesNo("Whether only addresses of realm_domains may join."),
  realm_disallow_disposable_email_addresses: yesNo("Whether disposable e-mail addresses are rejected."),
  realm_email_changes_disabled: yesNo("Whether users may not change their address."),
  realm_name_changes_disabled: yesNo("Whether users may not change their name."),
  realm_avatar_changes_disabled: yesNo("Whether users may not change their avatar."),
  realm_default_avatar_source: z
    .enum(["G", "J"])
    .describe("The avatar of new users: G Gravatar or a pattern, J a pattern that this server draws."),
  realm_require_unique_names: yesNo("Whether no two users may share a name."),
  realm_send_welcome_emails: yesNo("Whether new users are sent a welcome by e-mail."),
  realm_welcome_message_custom_text: text("What the welcome bot adds to its greeting, in Markdown; empty for nothing."),
  realm_enable_guest_user_indicator: yesNo("Whether clients mark guests beside their name."),
  realm_enable_guest_user_dm_warning: yesNo("Whether clients warn before a direct message to a guest."),
  realm_presence_disabled: yesNo("Whether nobody sees who is active."),
  realm_owner_full_content_access: yesNo("Whether owners may read and export everything. Always false."),
  realm_default_external_accounts: z
    .record(
      z.string(),
      z.strictObject({ name: z.string(), text: z.string(), hint: z.string(), url_pattern: z.string() }),
    )
    .describe("Kinds of external accounts that a profile can have."),
  realm_require_e2ee_push_notifications: yesNo("Whether mobile notifications must be encrypted from end to end."),
  realm_api_key_max_days: count("For how many days at most keys that people create can be valid; 0: no limit."),
  realm_second_factor_required_for: z
    .enum(secondFactorRequirements)
    .describe(
      "Who must have a second factor to sign in with a password. Roles with more permissions are included: `moderators` " +
        "means moderators, administrators and owners; `members` means everybody except guests.",
    ),

  // Messages
  realm_allow_message_editing: yesNo("Whether messages can be edited."),
  realm_message_content_edit_limit_seconds: limit("For how long after sending."),
  realm_message_content_delete_limit_seconds: limit("For how long one's own messages can be deleted."),
  realm_move_messages_within_stream_limit_seconds: limit("For how long messages can go to another topic."),
  realm_move_messages_between_streams_limit_seconds: limit("For how long messages can go to another channel."),
  realm_message_edit_history_visibility_policy: z
    .enum(["all", "moves", "none"])
    .describe("How much of a message's edits others can see."),
  realm_allow_edit_history: yesNo("Deprecated: whether all edits can be seen."),
  realm_message_retention_days: count("For how many days messages are kept; -1 for forever."),
  realm_topics_policy: z
    .enum(["allow_empty_topic", "disable_empty_topic"])
    .describe("Whether channel messages may be in the empty topic, where the channel does not say otherwise."),
  realm_mandatory_topics: yesNo("Deprecated: whether realm_topics_policy is disable_empty_topic."),
  realm_send_channel_events_messages: yesNo("Whether changes of a channel are announced in it."),
  realm_empty_topic_display_name: text("The name of the empty topic for clients that do not support it."),
  realm_enable_read_receipts: yesNo("Whether one can see who has read a message."),
  realm_default_code_block_language: text("The language of code blocks that do not name one."),
  realm_inline_image_preview: yesNo("Whether linked images are shown."),
  realm_inline_url_embed_preview: yesNo("Whether linked pages get a preview."),
  realm_message_content_allowed_in_email_notifications: yesNo("Whether e-mail may quote messages."),
  realm_digest_emails_enabled: yesNo("Whether digests are sent by e-mail."),
  realm_digest_weekday: count("On which day; 0 is Monday."),
  realm_new_stream_announcements_stream_id: channel("Where new channels are announced."),
  realm_signup_announcements_stream_id: channel("Where new users are announced."),
  realm_zulip_update_announcements_stream_id: channel("Where new features are announced."),
  realm_moderation_request_channel_id: channel("Where messages are reported to moderators."),
  realm_push_notifications_enabled: yesNo("Whether mobile push notifications can be sent."),
  realm_push_notifications_enabled_end_timestamp: z.int().nullable().describe("When they end, if that is known."),

  // Calls and pictures
  realm_video_chat_provider: count("The service for video calls."),
  realm_available_video_chat_providers: z.record(z.string(), named).describe("The services to choose from."),
  realm_jitsi_server_url: z.string().nullable().describe("The organization's own Jitsi server."),
  server_jitsi_server_url: z.string().nullable().describe("The Jitsi server of those who have not chosen one."),
  jitsi_server_url: text("Deprecated: the Jitsi server in use."),
  realm_gif_rating_policy: count("For whom animated pictures must be fit."),
  gif_rating_policy_options: z.record(z.string(), named).describe("The values of realm_gif_rating_policy."),

  // Limits
  max_message_length: count("In characters; longer messages are cut."),
  max_topic_length: count("In characters; longer topics are cut."),
  max_bulk_new_subscription_messages: count("How many people can be subscribed at once and still be notified."),
  max_reminder_note_length: count("In characters."),
  max_stream_name_length: count("In characters."),
  max_stream_description_length: count("In characters."),
  max_channel_folder_name_length: count("In characters."),
  max_channel_folder_description_length: count("In characters."),
  max_file_upload_size_mib: count("In MiB."),
  max_avatar_file_size_mib: count("In MiB."),
  max_icon_file_size_mib: count("In MiB."),
  max_logo_file_size_mib: count("In MiB."),
  realm_upload_quota_mib: limit("In MiB, all uploads together."),
  password_min_length: count("In characters."),
  password_max_length: count("In characters."),
  password_min_guesses: count("How many guesses a password must withstand."),

  // The server
  event_queue_longpoll_timeout_seconds: count("How long a client should wait for the answer to GET /events."),
  server_generation: count("When the server started; another number after a restart."),
  server_needs_upgrade: yesNo("Whether the server is too old to be safe."),
  development_environment: yesNo("Whether the server runs for development."),
  server_emoji_data_url: text("Where the names of all emoji can be read."),
  server_inline_image_preview: yesNo("Whether the server can show linked images."),
  server_inline_url_embed_preview: yesNo("Whether the server can show linked pages in short."),
  server_thumbnail_formats: z
    .array(
      z.strictObject({
        name: z.string(),
        max_width: z.int(),
        max_height: z.int(),
        format: z.string(),
        animated: z.boolean(),
      }),
    )
    .describe("The sizes in which images can be had."),
  server_report_message_types: z
    .array(z.strictObject({ key: z.string(), name: z.string() }))
    .describe("The reasons for which a message can be reported, with names to show."),
  server_avatar_changes_disabled: yesNo("Whether no organization here lets users change avatars."),
  server_name_changes_disabled: yesNo("Whether no organization here lets users change names."),
  server_web_public_streams_enabled: yesNo("Whether web-public channels can exist here."),
  server_can_summarize_topics: yesNo("Whether topics can be summarized here."),
  server_presence_ping_interval_seconds: count("How often an active client says so."),
  server_presence_offline_threshold_seconds: count("After how long without word a user counts as away."),
  server_typing_started_expiry_period_milliseconds: count("When a client stops showing that somebody types."),
  server_typing_started_wait_period_milliseconds: count("How often a client says that the user still types."),
  server_typing_stopped_wait_period_milliseconds: count("After how long a client says that the user stopped."),
  server_min_deactivated_realm_deletion_days: z
    .int()
    .nullable()
    .describe("The earliest time at which a deactivated organization can be deleted, in days."),
  server_max_deactivated_realm_deletion_days: z.int().nullable().describe("The latest. Null: no limit."),
  server_supported_permission_settings: z
    .strictObject({ realm: permissionRules, stream: permissionRules, group: permissionRules })
    .describe("What each permission can be set to."),
  settings_send_digest_emails: yesNo("Whether the server sends digests."),
  upgrade_text_for_wide_organization_logo: text("Why a wide logo cannot be had, where it cannot."),
  zulip_plan_is_not_limited: yesNo("Whether everything the server can do is open to the organization."),
};

export type RealmState = z.output<z.ZodObject<typeof realmState>>;

export const realmUpdateEvent = z.strictObject({
  type: z.literal("realm"),
  op: z.literal("update"),
  property: z.string().describe("The name of a field of the registration response, without the prefix realm_."),
  value: z.union([z.boolean(), z.int(), z.string(), z.null()]),
});

export const realmUpdateDictEvent = z.strictObject({
  type: z.literal("realm"),
  op: z.literal("update_dict"),
  property: z.enum(["default", "icon", "logo", "night_logo"]),
  data: z
    .record(z.string(), z.unknown())
    .describe("The new values by field of the registration response, without the prefix realm_."),
});

export const realmDeactivatedEvent = z.strictObject({
  type: z.literal("realm"),
  op: z.literal("deactivated"),
  realm_id: z.int(),
});

export const realmEvents = [realmUpdateEvent, realmUpdateDictEvent, realmDeactivatedEvent] as const;
