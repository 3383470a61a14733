/** The part of the registration response about the organization and its server. */
import { maxAvatarFileMebibytes } from "@skein/api/avatars.ts";
import { presenceOfflineThresholdSeconds, presencePingIntervalSeconds } from "@skein/api/presence.ts";
import { maxChannelFolderDescriptionLength, maxChannelFolderNameLength } from "@skein/api/channel-folders.ts";
import { maxChannelDescriptionLength, maxChannelNameLength } from "@skein/api/channels.ts";
import { emptyTopicDisplayName, maxMessageLength, maxTopicLength } from "@skein/api/messages.ts";
import { maxReminderNoteLength } from "@skein/api/reminders.ts";
import { reportTypes } from "@skein/api/reports.ts";
import { longPollTimeoutSeconds, type RegistrationState } from "@skein/api/registration.ts";
import { maxIconFileMebibytes, maxLogoFileMebibytes } from "@skein/api/realm-icon.ts";
import { maxNewSubscriptionMessages } from "@skein/api/subscriptions.ts";
import { passwordMaxLength, passwordMinGuesses, passwordMinLength } from "@skein/api/users.ts";
import type { StatePart, StateRequest } from "../../../events/state-part.ts";
import type { Realm } from "../../../identity/account.ts";
import { requirementOf } from "../../people/second-factors/requirement.ts";
import { defaultAvatarSource } from "../../people/users/avatar.ts";
import { groupSettingValues } from "../../organization/permissions/group-settings.ts";
import { externalAccounts } from "../../people/profile-fields/external-accounts.ts";
import {
  groupOf,
  realmPermissionFields,
  realmPermissionNames,
  supportedPermissionSettings,
} from "../../organization/permissions/realm-permissions.ts";
import { emojiDataPath } from "../../organization/emoji/pages.ts";
import { reportTypeNames } from "../../messages/reports/report.ts";
import { realmTopicsPolicy } from "../../channels/topics/policy.ts";
import { hasProxy } from "../../messages/previews/proxy-url.ts";
import { hasPushRelay } from "../../notifications/push-devices/relay.ts";
import { thumbnailFormats } from "../../messages/uploads/thumbnails.ts";
import { realmHost, realmUrl } from "../../organization/realm/address.ts";
import { authenticationMethods } from "../../organization/realm/authentication-methods.ts";
import { generationOf } from "../../organization/releases/queries.ts";
import { iconUrl, pictureUrl } from "../../organization/realm/icon.ts";
import { legacyPolicies } from "../../organization/realm/legacy-policies.ts";
import { gifRatingOf, gifRatings, videoChatProviders } from "../../organization/realm/providers.ts";
import { uuidOf } from "../../organization/realm/uuid.ts";
import { noChannel } from "./read-settings.ts";

export const realmState: StatePart = {
  types: ["realm"],
  sharedBy: ({ origin }) => origin,
  load: async (db, request) => {
    const { realm } = request.user;
    const groups = realmPermissionNames.map((name) => groupOf(realm, name));
    return {
      ...realmPermissionFields(realm, await groupSettingValues(db, groups)),
      ...(await legacyPolicies(db, realm)),
      ...organization(request),
      ...accounts(realm),
      ...messages(realm),
      ...server(request),
      server_generation: await generationOf(db, realm),
      ...limits,
      ...unsupportedFeatures,
    };
  },
};

function organization({ config, user, origin }: StateRequest) {
  const { realm } = user;
  const url = realmUrl(config, realm, origin);
  return {
    realm_name: realm.name,
    realm_description: realm.description,
    realm_date_created: Math.floor(realm.date_created.getTime() / 1000),
    realm_url: url,
    realm_uri: url,
    realm_uuid: uuidOf(realm),
    realm_bot_domain: realmHost(config, realm),
    realm_org_type: realm.org_type,
    realm_plan_type: 1,
    realm_default_language: realm.default_language,
    realm_icon_url: iconUrl(realm),
    realm_icon_source: realm.icon_source,
    realm_logo_url: pictureUrl(realm, "logo"),
    realm_logo_source: realm.logo_source,
    realm_night_logo_url: pictureUrl(realm, "night_logo"),
    realm_night_logo_source: realm.night_logo_source,
    realm_waiting_period_threshold: realm.waiting_period_threshold,
    realm_want_advertise_in_communities_directory: realm.want_advertise_in_communities_directory,
    realm_enable_spectator_access: realm.enable_spectator_access,
    realm_video_chat_provider: realm.video_chat_provider,
    realm_available_video_chat_providers: videoChatProviders,
    realm_jitsi_server_url: realm.jitsi_server_url,
    server_jitsi_server_url: config.jitsiServerUrl === "" ? null : config.jitsiServerUrl,
    jitsi_server_url: realm.jitsi_server_url ?? config.jitsiServerUrl,
    realm_gif_rating_policy: gifRatingOf(realm.giphy_rating),
    gif_rating_policy_options: gifRatings,
  };
}

function accounts(realm: Realm) {
  return {
    realm_authentication_methods: authenticationMethods,
    realm_email_auth_enabled: true,
    realm_password_auth_enabled: true,
    realm_invite_required: realm.invite_required,
    realm_emails_restricted_to_domains: realm.emails_restricted_to_domains,
    realm_disallow_disposable_email_addresses: realm.disallow_disposable_email_addresses,
    realm_email_changes_disabled: realm.email_changes_disabled,
    realm_name_changes_disabled: realm.name_changes_disabled,
    realm_avatar_changes_disabled: realm.avatar_changes_disabled,
    realm_default_avatar_source: defaultAvatarSource(realm),
    realm_require_unique_names: realm.require_unique_names,
    realm_send_welcome_emails: realm.send_welcome_emails,
    realm_welcome_message_custom_text: realm.welcome_message_custom_text,
    realm_enable_guest_user_indicator: realm.enable_guest_user_indicator,
    realm_enable_guest_user_dm_warning: realm.enable_guest_user_dm_warning,
    realm_presence_disabled: realm.presence_disabled,
    realm_require_e2ee_push_notifications: realm.require_e2ee_push_notifications,
    realm_second_factor_required_for: requirementOf(realm),
    realm_default_external_accounts: externalAccounts,
  };
}

function messages(realm: Realm) {
  // The column holds no other values.
  const history = realm.message_edit_history_visibility_policy as NonNullable<
    RegistrationState["realm_message_edit_history_visibility_policy"]
  >;
  return {
    realm_allow_message_editing: realm.allow_message_editing,
    realm_message_content_edit_limit_seconds: realm.message_content_edit_limit_seconds,
    realm_message_content_delete_limit_seconds: realm.message_content_delete_limit_seconds,
    realm_move_messages_within_stream_limit_seconds: realm.move_messages_within_stream_limit_seconds,
    realm_move_messages_between_streams_limit_seconds: realm.move_messages_between_streams_limit_seconds,
    realm_message_edit_history_visibility_policy: history,
    realm_allow_edit_history: history !== "none",
    realm_api_key_max_days: realm.api_key_max_days,
    realm_message_retention_days: realm.message_retention_days,
    realm_topics_policy: realmTopicsPolicy(realm),
    realm_mandatory_topics: realm.mandatory_topics,
    realm_send_channel_events_messages: realm.send_channel_events_messages,
    realm_empty_topic_display_name: emptyTopicDisplayName,
    realm_enable_read_receipts: realm.enable_read_receipts,
    realm_default_code_block_language: realm.default_code_block_language,
    realm_inline_image_preview: realm.inline_image_preview,
    realm_inline_url_embed_preview: realm.inline_url_embed_preview,
    realm_message_content_allowed_in_email_notifications: realm.message_content_allowed_in_email_notifications,
    realm_digest_weekday: realm.digest_weekday,
    realm_new_stream_announcements_stream_id: realm.new_stream_announcements_stream_id ?? noChannel,
    realm_signup_announcements_stream_id: realm.signup_announcements_stream_id ?? noChannel,
    realm_zulip_update_announcements_stream_id: realm.zulip_update_announcements_stream_id ?? noChannel,
    realm_moderation_request_channel_id: realm.moderation_request_channel_id ?? noChannel,
  };
}

function server({ config, user, origin }: StateRequest) {
  return {
    event_queue_longpoll_timeout_seconds: longPollTimeoutSeconds,
    server_needs_upgrade: false,
    server_web_public_streams_enabled: config.webPublicChannels,
    development_environment: config.development,
    server_emoji_data_url: realmUrl(config, user.realm, origin) + emojiDataPath,
    server_presence_ping_interval_seconds: presencePingIntervalSeconds,
    server_presence_offline_threshold_seconds: presenceOfflineThresholdSeconds,
    server_typing_started_expiry_period_milliseconds: 45_000,
    server_typing_started_wait_period_milliseconds: 30_000,
    server_typing_stopped_wait_period_milliseconds: 12_000,
    server_report_message_types: reportTypes.map((key) => ({ key, name: reportTypeNames[key] })),
    server_avatar_changes_disabled: false,
    server_name_changes_disabled: false,
    server_min_deactivated_realm_deletion_days: 14,
    server_max_deactivated_realm_deletion_days: null,
    server_supported_permission_settings: supportedPermissionSettings,
    server_inline_image_preview: hasProxy(config),
    server_inline_url_embed_preview: hasProxy(config),
    server_thumbnail_formats: thumbnailFormats,
    max_file_upload_size_mib: config.maxUploadMebibytes,
    realm_upload_quota_mib: config.uploadQuotaMebibytes === 0 ? null : config.uploadQuotaMebibytes,
    realm_push_notifications_enabled: hasPushRelay(config),
    realm_push_notifications_enabled_end_timestamp: null,
    upgrade_text_for_wide_organization_logo: "",
    zulip_plan_is_not_limited: true,
  };
}

const limits = {
  max_message_length: maxMessageLength,
  max_topic_length: maxTopicLength,
  max_bulk_new_subscription_messages: maxNewSubscriptionMessages,
  max_reminder_note_length: maxReminderNoteLength,
  max_stream_name_length: maxChannelNameLength,
  max_stream_description_length: maxChannelDescriptionLength,
  max_channel_folder_name_length: maxChannelFolderNameLength,
  max_channel_folder_description_length: maxChannelFolderDescriptionLength,
  max_avatar_file_size_mib: maxAvatarFileMebibytes,
  max_icon_file_size_mib: maxIconFileMebibytes,
  max_logo_file_size_mib: maxLogoFileMebibytes,
  password_min_length: passwordMinLength,
  password_max_length: passwordMaxLength,
  password_min_guesses: passwordMinGuesses,
};

/** Features that this server lacks, reported as switched off. Remove a line when its feature is built. */
export const unsupportedFeatures = {
  realm_digest_emails_enabled: false,
  realm_owner_full_content_access: false,
  server_can_summarize_topics: false,
  settings_send_digest_emails: false,
};
