/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as alertWords from "./alert-words.ts";
import type * as apiKeys from "./api-keys.ts";
import type * as auditLog from "./audit-log.ts";
import type * as authentication from "./authentication.ts";
import type * as avatars from "./avatars.ts";
import type * as botStorage from "./bot-storage.ts";
import type * as bots from "./bots.ts";
import type * as calls from "./calls.ts";
import type * as channels from "./channels.ts";
import type * as defaultChannels from "./default-channels.ts";
import type * as deletion from "./deletion.ts";
import type * as development from "./development.ts";
import type * as drafts from "./drafts.ts";
import type * as edits from "./edits.ts";
import type * as emoji from "./emoji.ts";
import type * as exports from "./exports.ts";
import type * as fetchMessages from "./fetch-messages.ts";
import type * as flags from "./flags.ts";
import type * as imports from "./imports.ts";
import type * as invitations from "./invitations.ts";
import type * as linkifiers from "./linkifiers.ts";
import type * as messages from "./messages.ts";
import type * as mutedUsers from "./muted-users.ts";
import type * as onboarding from "./onboarding.ts";
import type * as playgrounds from "./playgrounds.ts";
import type * as presence from "./presence.ts";
import type * as profileFields from "./profile-fields.ts";
import type * as pushDevices from "./push-devices.ts";
import type * as reactions from "./reactions.ts";
import type * as readReceipts from "./read-receipts.ts";
import type * as realmDomains from "./realm-domains.ts";
import type * as realmIcon from "./realm-icon.ts";
import type * as realmSettings from "./realm-settings.ts";
import type * as registration from "./registration.ts";
import type * as savedSnippets from "./saved-snippets.ts";
import type * as scheduledMessages from "./scheduled-messages.ts";
import type * as secondFactors from "./second-factors.ts";
import type * as serverSettings from "./server-settings.ts";
import type * as sessions from "./sessions.ts";
import type * as settings from "./settings.ts";
import type * as slashCommands from "./slash-commands.ts";
import type * as status from "./status.ts";
import type * as subdomains from "./subdomains.ts";
import type * as submessages from "./submessages.ts";
import type * as subscriptions from "./subscriptions.ts";
import type * as summaries from "./summaries.ts";
import type * as topics from "./topics.ts";
import type * as typing from "./typing.ts";
import type * as uploads from "./uploads.ts";
import type * as userGroups from "./user-groups.ts";
import type * as userTopics from "./user-topics.ts";
import type * as users from "./users.ts";
import type { Route } from "./route.ts";

export const addAlertWords: Route<typeof alertWords.addAlertWords> = {
  method: "POST",
  path: "/users/me/alert_words",
  texts: [],
};
export const getAlertWords: Route<typeof alertWords.getAlertWords> = {
  method: "GET",
  path: "/users/me/alert_words",
  texts: [],
};
export const removeAlertWords: Route<typeof alertWords.removeAlertWords> = {
  method: "DELETE",
  path: "/users/me/alert_words",
  texts: [],
};
export const createApiKey: Route<typeof apiKeys.createApiKey> = {
  method: "POST",
  path: "/users/me/api_keys",
  texts: ["name"],
};
export const deleteApiKey: Route<typeof apiKeys.deleteApiKey> = {
  method: "DELETE",
  path: "/users/me/api_keys/{key_id}",
  texts: [],
};
export const deleteUserApiKey: Route<typeof apiKeys.deleteUserApiKey> = {
  method: "DELETE",
  path: "/users/{user_id}/api_keys/{key_id}",
  texts: [],
};
export const getApiKeys: Route<typeof apiKeys.getApiKeys> = { method: "GET", path: "/users/me/api_keys", texts: [] };
export const getUserApiKeys: Route<typeof apiKeys.getUserApiKeys> = {
  method: "GET",
  path: "/users/{user_id}/api_keys",
  texts: [],
};
export const updateApiKey: Route<typeof apiKeys.updateApiKey> = {
  method: "PATCH",
  path: "/users/me/api_keys/{key_id}",
  texts: ["name"],
};
export const getAuditActions: Route<typeof auditLog.getAuditActions> = {
  method: "GET",
  path: "/audit_log/actions",
  texts: [],
};
export const getAuditLog: Route<typeof auditLog.getAuditLog> = {
  method: "GET",
  path: "/audit_log",
  texts: ["target_kind"],
};
export const fetchApiKey: Route<typeof authentication.fetchApiKey> = {
  method: "POST",
  path: "/fetch_api_key",
  texts: ["username", "password", "second_factor_code"],
};
export const fetchOwnApiKey: Route<typeof authentication.fetchOwnApiKey> = {
  method: "POST",
  path: "/fetch_api_key",
  texts: ["password", "second_factor_code"],
};
export const jwtFetchApiKey: Route<typeof authentication.jwtFetchApiKey> = {
  method: "POST",
  path: "/jwt/fetch_api_key",
  texts: ["token"],
};
export const regenerateApiKey: Route<typeof authentication.regenerateApiKey> = {
  method: "POST",
  path: "/users/me/api_key/regenerate",
  texts: [],
};
export const removeOwnAvatar: Route<typeof avatars.removeOwnAvatar> = {
  method: "DELETE",
  path: "/users/me/avatar",
  texts: [],
};
export const uploadOwnAvatar: Route<typeof avatars.uploadOwnAvatar> = {
  method: "POST",
  path: "/users/me/avatar",
  texts: [],
};
export const getBotStorage: Route<typeof botStorage.getBotStorage> = { method: "GET", path: "/bot_storage", texts: [] };
export const removeBotStorage: Route<typeof botStorage.removeBotStorage> = {
  method: "DELETE",
  path: "/bot_storage",
  texts: [],
};
export const updateBotStorage: Route<typeof botStorage.updateBotStorage> = {
  method: "PUT",
  path: "/bot_storage",
  texts: [],
};
export const createBot: Route<typeof bots.createBot> = {
  method: "POST",
  path: "/bots",
  texts: ["full_name", "short_name", "service_name", "default_sending_stream", "default_events_register_stream"],
};
export const deactivateBot: Route<typeof bots.deactivateBot> = { method: "DELETE", path: "/bots/{bot_id}", texts: [] };
export const getBots: Route<typeof bots.getBots> = { method: "GET", path: "/bots", texts: [] };
export const regenerateBotApiKey: Route<typeof bots.regenerateBotApiKey> = {
  method: "POST",
  path: "/bots/{bot_id}/api_key/regenerate",
  texts: [],
};
export const updateBot: Route<typeof bots.updateBot> = {
  method: "PATCH",
  path: "/bots/{bot_id}",
  texts: ["full_name", "default_sending_stream", "default_events_register_stream"],
};
export const createBigBlueButtonCall: Route<typeof calls.createBigBlueButtonCall> = {
  method: "GET",
  path: "/calls/bigbluebutton/create",
  texts: ["meeting_name"],
};
export const createZoomCall: Route<typeof calls.createZoomCall> = {
  method: "POST",
  path: "/calls/zoom/create",
  texts: [],
};
export const archiveChannel: Route<typeof channels.archiveChannel> = {
  method: "DELETE",
  path: "/streams/{stream_id}",
  texts: [],
};
export const getChannel: Route<typeof channels.getChannel> = { method: "GET", path: "/streams/{stream_id}", texts: [] };
export const getChannelEmailAddress: Route<typeof channels.getChannelEmailAddress> = {
  method: "GET",
  path: "/streams/{stream_id}/email_address",
  texts: [],
};
export const getChannelId: Route<typeof channels.getChannelId> = {
  method: "GET",
  path: "/get_stream_id",
  texts: ["stream"],
};
export const getChannels: Route<typeof channels.getChannels> = { method: "GET", path: "/streams", texts: [] };
export const getSubscribers: Route<typeof channels.getSubscribers> = {
  method: "GET",
  path: "/streams/{stream_id}/members",
  texts: [],
};
export const updateChannel: Route<typeof channels.updateChannel> = {
  method: "PATCH",
  path: "/streams/{stream_id}",
  texts: ["new_name", "description"],
};
export const addDefaultChannel: Route<typeof defaultChannels.addDefaultChannel> = {
  method: "POST",
  path: "/default_streams",
  texts: [],
};
export const createDefaultChannelGroup: Route<typeof defaultChannels.createDefaultChannelGroup> = {
  method: "POST",
  path: "/default_stream_groups/create",
  texts: ["group_name", "description"],
};
export const removeDefaultChannel: Route<typeof defaultChannels.removeDefaultChannel> = {
  method: "DELETE",
  path: "/default_streams",
  texts: [],
};
export const removeDefaultChannelGroup: Route<typeof defaultChannels.removeDefaultChannelGroup> = {
  method: "DELETE",
  path: "/default_stream_groups/{group_id}",
  texts: [],
};
export const updateDefaultChannelGroup: Route<typeof defaultChannels.updateDefaultChannelGroup> = {
  method: "PATCH",
  path: "/default_stream_groups/{group_id}",
  texts: ["new_group_name", "new_description"],
};
export const updateDefaultChannelGroupChannels: Route<typeof defaultChannels.updateDefaultChannelGroupChannels> = {
  method: "PATCH",
  path: "/default_stream_groups/{group_id}/streams",
  texts: ["op"],
};
export const deleteMessage: Route<typeof deletion.deleteMessage> = {
  method: "DELETE",
  path: "/messages/{message_id}",
  texts: [],
};
export const deleteTopic: Route<typeof deletion.deleteTopic> = {
  method: "POST",
  path: "/streams/{stream_id}/delete_topic",
  texts: ["topic_name"],
};
export const devFetchApiKey: Route<typeof development.devFetchApiKey> = {
  method: "POST",
  path: "/dev_fetch_api_key",
  texts: ["username"],
};
export const devListUsers: Route<typeof development.devListUsers> = {
  method: "GET",
  path: "/dev_list_users",
  texts: [],
};
export const createDrafts: Route<typeof drafts.createDrafts> = { method: "POST", path: "/drafts", texts: [] };
export const deleteDraft: Route<typeof drafts.deleteDraft> = {
  method: "DELETE",
  path: "/drafts/{draft_id}",
  texts: [],
};
export const editDraft: Route<typeof drafts.editDraft> = { method: "PATCH", path: "/drafts/{draft_id}", texts: [] };
export const getDrafts: Route<typeof drafts.getDrafts> = { method: "GET", path: "/drafts", texts: [] };
export const getMessageHistory: Route<typeof edits.getMessageHistory> = {
  method: "GET",
  path: "/messages/{message_id}/history",
  texts: [],
};
export const updateMessage: Route<typeof edits.updateMessage> = {
  method: "PATCH",
  path: "/messages/{message_id}",
  texts: ["content", "topic", "propagate_mode"],
};
export const deactivateCustomEmoji: Route<typeof emoji.deactivateCustomEmoji> = {
  method: "DELETE",
  path: "/realm/emoji/{emoji_name}",
  texts: ["emoji_name"],
};
export const getCustomEmoji: Route<typeof emoji.getCustomEmoji> = { method: "GET", path: "/realm/emoji", texts: [] };
export const uploadCustomEmoji: Route<typeof emoji.uploadCustomEmoji> = {
  method: "POST",
  path: "/realm/emoji/{emoji_name}",
  texts: ["emoji_name"],
};
export const createExport: Route<typeof exports.createExport> = { method: "POST", path: "/export/realm", texts: [] };
export const getExportConsents: Route<typeof exports.getExportConsents> = {
  method: "GET",
  path: "/export/realm/consents",
  texts: [],
};
export const getExports: Route<typeof exports.getExports> = { method: "GET", path: "/export/realm", texts: [] };
export const removeExport: Route<typeof exports.removeExport> = {
  method: "DELETE",
  path: "/export/realm/{export_id}",
  texts: [],
};
export const getMessages: Route<typeof fetchMessages.getMessages> = {
  method: "GET",
  path: "/messages",
  texts: ["anchor"],
};
export const matchNarrow: Route<typeof fetchMessages.matchNarrow> = {
  method: "GET",
  path: "/messages/matches_narrow",
  texts: [],
};
export const markAllAsRead: Route<typeof flags.markAllAsRead> = {
  method: "POST",
  path: "/mark_all_as_read",
  texts: [],
};
export const markChannelAsRead: Route<typeof flags.markChannelAsRead> = {
  method: "POST",
  path: "/mark_stream_as_read",
  texts: [],
};
export const markTopicAsRead: Route<typeof flags.markTopicAsRead> = {
  method: "POST",
  path: "/mark_topic_as_read",
  texts: ["topic_name"],
};
export const updateMessageFlags: Route<typeof flags.updateMessageFlags> = {
  method: "POST",
  path: "/messages/flags",
  texts: ["op", "flag"],
};
export const updateMessageFlagsForNarrow: Route<typeof flags.updateMessageFlagsForNarrow> = {
  method: "POST",
  path: "/messages/flags/narrow",
  texts: ["anchor", "op", "flag"],
};
export const cancelImport: Route<typeof imports.cancelImport> = {
  method: "DELETE",
  path: "/import/realm/{import_id}",
  texts: [],
};
export const createImport: Route<typeof imports.createImport> = {
  method: "POST",
  path: "/import/realm",
  texts: ["file_name"],
};
export const getImportPlan: Route<typeof imports.getImportPlan> = {
  method: "GET",
  path: "/import/realm/{import_id}/plan",
  texts: [],
};
export const getImportReport: Route<typeof imports.getImportReport> = {
  method: "GET",
  path: "/import/realm/{import_id}/report",
  texts: [],
};
export const getImports: Route<typeof imports.getImports> = { method: "GET", path: "/import/realm", texts: [] };
export const inspectImport: Route<typeof imports.inspectImport> = {
  method: "POST",
  path: "/import/realm/{import_id}/inspect",
  texts: [],
};
export const runImport: Route<typeof imports.runImport> = {
  method: "POST",
  path: "/import/realm/{import_id}/run",
  texts: [],
};
export const updateImportPlan: Route<typeof imports.updateImportPlan> = {
  method: "PATCH",
  path: "/import/realm/{import_id}/plan",
  texts: ["unthreaded"],
};
export const createInvitationLink: Route<typeof invitations.createInvitationLink> = {
  method: "POST",
  path: "/invites/multiuse",
  texts: [],
};
export const getInvitations: Route<typeof invitations.getInvitations> = { method: "GET", path: "/invites", texts: [] };
export const resendInvitation: Route<typeof invitations.resendInvitation> = {
  method: "POST",
  path: "/invites/{invite_id}/resend",
  texts: [],
};
export const revokeInvitation: Route<typeof invitations.revokeInvitation> = {
  method: "DELETE",
  path: "/invites/{invite_id}",
  texts: [],
};
export const revokeInvitationLink: Route<typeof invitations.revokeInvitationLink> = {
  method: "DELETE",
  path: "/invites/multiuse/{invite_id}",
  texts: [],
};
export const sendInvitations: Route<typeof invitations.sendInvitations> = {
  method: "POST",
  path: "/invites",
  texts: ["invitee_emails"],
};
export const addLinkifier: Route<typeof linkifiers.addLinkifier> = {
  method: "POST",
  path: "/realm/filters",
  texts: ["pattern", "url_template"],
};
export const getLinkifiers: Route<typeof linkifiers.getLinkifiers> = {
  method: "GET",
  path: "/realm/linkifiers",
  texts: [],
};
export const removeLinkifier: Route<typeof linkifiers.removeLinkifier> = {
  method: "DELETE",
  path: "/realm/filters/{filter_id}",
  texts: [],
};
export const reorderLinkifiers: Route<typeof linkifiers.reorderLinkifiers> = {
  method: "PATCH",
  path: "/realm/linkifiers",
  texts: [],
};
export const updateLinkifier: Route<typeof linkifiers.updateLinkifier> = {
  method: "PATCH",
  path: "/realm/filters/{filter_id}",
  texts: ["pattern", "url_template"],
};
export const getMessage: Route<typeof messages.getMessage> = {
  method: "GET",
  path: "/messages/{message_id}",
  texts: [],
};
export const renderMessage: Route<typeof messages.renderMessage> = {
  method: "POST",
  path: "/messages/render",
  texts: ["content"],
};
export const sendMessage: Route<typeof messages.sendMessage> = {
  method: "POST",
  path: "/messages",
  texts: ["type", "content", "topic", "queue_id", "local_id"],
};
export const muteUser: Route<typeof mutedUsers.muteUser> = {
  method: "POST",
  path: "/users/me/muted_users/{muted_user_id}",
  texts: [],
};
export const unmuteUser: Route<typeof mutedUsers.unmuteUser> = {
  method: "DELETE",
  path: "/users/me/muted_users/{muted_user_id}",
  texts: [],
};
export const finishOnboardingStep: Route<typeof onboarding.finishOnboardingStep> = {
  method: "POST",
  path: "/users/me/onboarding_steps",
  texts: ["onboarding_step"],
};
export const addPlayground: Route<typeof playgrounds.addPlayground> = {
  method: "POST",
  path: "/realm/playgrounds",
  texts: ["name", "pygments_language", "url_template"],
};
export const removePlayground: Route<typeof playgrounds.removePlayground> = {
  method: "DELETE",
  path: "/realm/playgrounds/{playground_id}",
  texts: [],
};
export const getPresence: Route<typeof presence.getPresence> = { method: "GET", path: "/realm/presence", texts: [] };
export const getUserPresence: Route<typeof presence.getUserPresence> = {
  method: "GET",
  path: "/users/{user_id_or_email}/presence",
  texts: ["user_id_or_email"],
};
export const updatePresence: Route<typeof presence.updatePresence> = {
  method: "POST",
  path: "/users/me/presence",
  texts: ["status"],
};
export const createProfileField: Route<typeof profileFields.createProfileField> = {
  method: "POST",
  path: "/realm/profile_fields",
  texts: ["name", "hint"],
};
export const getProfileFields: Route<typeof profileFields.getProfileFields> = {
  method: "GET",
  path: "/realm/profile_fields",
  texts: [],
};
export const removeOwnProfile: Route<typeof profileFields.removeOwnProfile> = {
  method: "DELETE",
  path: "/users/me/profile_data",
  texts: [],
};
export const removeProfileField: Route<typeof profileFields.removeProfileField> = {
  method: "DELETE",
  path: "/realm/profile_fields/{field_id}",
  texts: [],
};
export const reorderProfileFields: Route<typeof profileFields.reorderProfileFields> = {
  method: "PATCH",
  path: "/realm/profile_fields",
  texts: [],
};
export const updateOwnProfile: Route<typeof profileFields.updateOwnProfile> = {
  method: "PATCH",
  path: "/users/me/profile_data",
  texts: [],
};
export const updateProfileField: Route<typeof profileFields.updateProfileField> = {
  method: "PATCH",
  path: "/realm/profile_fields/{field_id}",
  texts: ["name", "hint"],
};
export const addApnsToken: Route<typeof pushDevices.addApnsToken> = {
  method: "POST",
  path: "/users/me/apns_device_token",
  texts: ["token", "appid"],
};
export const addFcmToken: Route<typeof pushDevices.addFcmToken> = {
  method: "POST",
  path: "/users/me/android_gcm_reg_id",
  texts: ["token"],
};
export const addWebPushSubscription: Route<typeof pushDevices.addWebPushSubscription> = {
  method: "POST",
  path: "/users/me/web_push_subscriptions",
  texts: ["endpoint", "p256dh", "auth"],
};
export const getWebPushKey: Route<typeof pushDevices.getWebPushKey> = {
  method: "GET",
  path: "/web_push/key",
  texts: [],
};
export const removeApnsToken: Route<typeof pushDevices.removeApnsToken> = {
  method: "DELETE",
  path: "/users/me/apns_device_token",
  texts: ["token"],
};
export const removeFcmToken: Route<typeof pushDevices.removeFcmToken> = {
  method: "DELETE",
  path: "/users/me/android_gcm_reg_id",
  texts: ["token"],
};
export const removeWebPushSubscription: Route<typeof pushDevices.removeWebPushSubscription> = {
  method: "DELETE",
  path: "/users/me/web_push_subscriptions",
  texts: ["endpoint"],
};
export const testMobileNotification: Route<typeof pushDevices.testMobileNotification> = {
  method: "POST",
  path: "/mobile_push/test_notification",
  texts: ["token"],
};
export const testWebNotification: Route<typeof pushDevices.testWebNotification> = {
  method: "POST",
  path: "/web_push/test_notification",
  texts: ["endpoint"],
};
export const addReaction: Route<typeof reactions.addReaction> = {
  method: "POST",
  path: "/messages/{message_id}/reactions",
  texts: ["emoji_name", "emoji_code", "reaction_type"],
};
export const removeReaction: Route<typeof reactions.removeReaction> = {
  method: "DELETE",
  path: "/messages/{message_id}/reactions",
  texts: ["emoji_name", "emoji_code", "reaction_type"],
};
export const getReadReceipts: Route<typeof readReceipts.getReadReceipts> = {
  method: "GET",
  path: "/messages/{message_id}/read_receipts",
  texts: [],
};
export const addRealmDomain: Route<typeof realmDomains.addRealmDomain> = {
  method: "POST",
  path: "/realm/domains",
  texts: [],
};
export const getRealmDomains: Route<typeof realmDomains.getRealmDomains> = {
  method: "GET",
  path: "/realm/domains",
  texts: [],
};
export const removeRealmDomain: Route<typeof realmDomains.removeRealmDomain> = {
  method: "DELETE",
  path: "/realm/domains/{domain}",
  texts: ["domain"],
};
export const updateRealmDomain: Route<typeof realmDomains.updateRealmDomain> = {
  method: "PATCH",
  path: "/realm/domains/{domain}",
  texts: ["domain"],
};
export const getRealmIcon: Route<typeof realmIcon.getRealmIcon> = { method: "GET", path: "/realm/icon", texts: [] };
export const getRealmLogo: Route<typeof realmIcon.getRealmLogo> = { method: "GET", path: "/realm/logo", texts: [] };
export const removeRealmIcon: Route<typeof realmIcon.removeRealmIcon> = {
  method: "DELETE",
  path: "/realm/icon",
  texts: [],
};
export const removeRealmLogo: Route<typeof realmIcon.removeRealmLogo> = {
  method: "DELETE",
  path: "/realm/logo",
  texts: [],
};
export const uploadRealmIcon: Route<typeof realmIcon.uploadRealmIcon> = {
  method: "POST",
  path: "/realm/icon",
  texts: [],
};
export const uploadRealmLogo: Route<typeof realmIcon.uploadRealmLogo> = {
  method: "POST",
  path: "/realm/logo",
  texts: [],
};
export const deactivateRealm: Route<typeof realmSettings.deactivateRealm> = {
  method: "POST",
  path: "/realm/deactivate",
  texts: [],
};
export const updateRealm: Route<typeof realmSettings.updateRealm> = {
  method: "PATCH",
  path: "/realm",
  texts: [
    "name",
    "description",
    "default_language",
    "message_edit_history_visibility_policy",
    "default_code_block_language",
  ],
};
export const deleteQueue: Route<typeof registration.deleteQueue> = {
  method: "DELETE",
  path: "/events",
  texts: ["queue_id"],
};
export const getEvents: Route<typeof registration.getEvents> = { method: "GET", path: "/events", texts: ["queue_id"] };
export const register: Route<typeof registration.register> = { method: "POST", path: "/register", texts: [] };
export const createSavedSnippet: Route<typeof savedSnippets.createSavedSnippet> = {
  method: "POST",
  path: "/saved_snippets",
  texts: ["title", "content"],
};
export const deleteSavedSnippet: Route<typeof savedSnippets.deleteSavedSnippet> = {
  method: "DELETE",
  path: "/saved_snippets/{saved_snippet_id}",
  texts: [],
};
export const editSavedSnippet: Route<typeof savedSnippets.editSavedSnippet> = {
  method: "PATCH",
  path: "/saved_snippets/{saved_snippet_id}",
  texts: ["title", "content"],
};
export const getSavedSnippets: Route<typeof savedSnippets.getSavedSnippets> = {
  method: "GET",
  path: "/saved_snippets",
  texts: [],
};
export const createScheduledMessage: Route<typeof scheduledMessages.createScheduledMessage> = {
  method: "POST",
  path: "/scheduled_messages",
  texts: ["type", "content", "topic"],
};
export const deleteScheduledMessage: Route<typeof scheduledMessages.deleteScheduledMessage> = {
  method: "DELETE",
  path: "/scheduled_messages/{scheduled_message_id}",
  texts: [],
};
export const getScheduledMessages: Route<typeof scheduledMessages.getScheduledMessages> = {
  method: "GET",
  path: "/scheduled_messages",
  texts: [],
};
export const updateScheduledMessage: Route<typeof scheduledMessages.updateScheduledMessage> = {
  method: "PATCH",
  path: "/scheduled_messages/{scheduled_message_id}",
  texts: ["type", "content", "topic"],
};
export const confirmTotp: Route<typeof secondFactors.confirmTotp> = {
  method: "POST",
  path: "/users/me/totp/confirm",
  texts: ["code"],
};
export const getSecondFactors: Route<typeof secondFactors.getSecondFactors> = {
  method: "GET",
  path: "/users/me/second_factors",
  texts: [],
};
export const regenerateRecoveryCodes: Route<typeof secondFactors.regenerateRecoveryCodes> = {
  method: "POST",
  path: "/users/me/recovery_codes",
  texts: ["code"],
};
export const removeTotp: Route<typeof secondFactors.removeTotp> = {
  method: "DELETE",
  path: "/users/me/totp",
  texts: ["code"],
};
export const resetSecondFactors: Route<typeof secondFactors.resetSecondFactors> = {
  method: "DELETE",
  path: "/users/{user_id}/second_factors",
  texts: [],
};
export const startTotp: Route<typeof secondFactors.startTotp> = {
  method: "POST",
  path: "/users/me/totp",
  texts: ["password"],
};
export const getServerSettings: Route<typeof serverSettings.getServerSettings> = {
  method: "GET",
  path: "/server_settings",
  texts: [],
};
export const deleteOtherSessions: Route<typeof sessions.deleteOtherSessions> = {
  method: "DELETE",
  path: "/users/me/sessions",
  texts: [],
};
export const deleteSession: Route<typeof sessions.deleteSession> = {
  method: "DELETE",
  path: "/users/me/sessions/{session_id}",
  texts: [],
};
export const deleteUserSession: Route<typeof sessions.deleteUserSession> = {
  method: "DELETE",
  path: "/users/{user_id}/sessions/{session_id}",
  texts: [],
};
export const getSessions: Route<typeof sessions.getSessions> = { method: "GET", path: "/users/me/sessions", texts: [] };
export const getUserSessions: Route<typeof sessions.getUserSessions> = {
  method: "GET",
  path: "/users/{user_id}/sessions",
  texts: [],
};
export const updateDefaultSettings: Route<typeof settings.updateDefaultSettings> = {
  method: "PATCH",
  path: "/realm/user_settings_defaults",
  texts: ["web_home_view", "emojiset", "notification_sound", "web_animate_image_previews"],
};
export const updateDisplaySettings: Route<typeof settings.updateDisplaySettings> = {
  method: "PATCH",
  path: "/settings/display",
  texts: [
    "full_name",
    "email",
    "old_password",
    "new_password",
    "timezone",
    "default_language",
    "web_home_view",
    "emojiset",
    "notification_sound",
    "web_animate_image_previews",
  ],
};
export const updateNotificationSettings: Route<typeof settings.updateNotificationSettings> = {
  method: "PATCH",
  path: "/settings/notifications",
  texts: [
    "full_name",
    "email",
    "old_password",
    "new_password",
    "timezone",
    "default_language",
    "web_home_view",
    "emojiset",
    "notification_sound",
    "web_animate_image_previews",
  ],
};
export const updateSettings: Route<typeof settings.updateSettings> = {
  method: "PATCH",
  path: "/settings",
  texts: [
    "full_name",
    "email",
    "old_password",
    "new_password",
    "timezone",
    "default_language",
    "web_home_view",
    "emojiset",
    "notification_sound",
    "web_animate_image_previews",
  ],
};
export const runSlashCommand: Route<typeof slashCommands.runSlashCommand> = {
  method: "POST",
  path: "/zcommand",
  texts: ["command"],
};
export const getUserStatus: Route<typeof status.getUserStatus> = {
  method: "GET",
  path: "/users/{user_id}/status",
  texts: [],
};
export const updateStatus: Route<typeof status.updateStatus> = {
  method: "POST",
  path: "/users/me/status",
  texts: ["status_text", "emoji_name", "emoji_code", "reaction_type"],
};
export const checkSubdomain: Route<typeof subdomains.checkSubdomain> = {
  method: "GET",
  path: "/realm/subdomain/{subdomain}",
  texts: ["subdomain"],
};
export const addSubmessage: Route<typeof submessages.addSubmessage> = {
  method: "POST",
  path: "/submessage",
  texts: ["msg_type", "content"],
};
export const getSubscriptionStatus: Route<typeof subscriptions.getSubscriptionStatus> = {
  method: "GET",
  path: "/users/{user_id}/subscriptions/{stream_id}",
  texts: [],
};
export const getSubscriptions: Route<typeof subscriptions.getSubscriptions> = {
  method: "GET",
  path: "/users/me/subscriptions",
  texts: [],
};
export const subscribe: Route<typeof subscriptions.subscribe> = {
  method: "POST",
  path: "/users/me/subscriptions",
  texts: [],
};
export const unsubscribe: Route<typeof subscriptions.unsubscribe> = {
  method: "DELETE",
  path: "/users/me/subscriptions",
  texts: [],
};
export const updateSubscriptionSetting: Route<typeof subscriptions.updateSubscriptionSetting> = {
  method: "PATCH",
  path: "/users/me/subscriptions/{stream_id}",
  texts: ["property"],
};
export const updateSubscriptionSettings: Route<typeof subscriptions.updateSubscriptionSettings> = {
  method: "POST",
  path: "/users/me/subscriptions/properties",
  texts: [],
};
export const updateSubscriptions: Route<typeof subscriptions.updateSubscriptions> = {
  method: "PATCH",
  path: "/users/me/subscriptions",
  texts: [],
};
export const getMessagesSummary: Route<typeof summaries.getMessagesSummary> = {
  method: "GET",
  path: "/messages/summary",
  texts: [],
};
export const getTopics: Route<typeof topics.getTopics> = {
  method: "GET",
  path: "/users/me/{stream_id}/topics",
  texts: [],
};
export const setEditTypingStatus: Route<typeof typing.setEditTypingStatus> = {
  method: "POST",
  path: "/messages/{message_id}/typing",
  texts: ["op"],
};
export const setTypingStatus: Route<typeof typing.setTypingStatus> = {
  method: "POST",
  path: "/typing",
  texts: ["op", "type", "topic"],
};
export const getAttachments: Route<typeof uploads.getAttachments> = { method: "GET", path: "/attachments", texts: [] };
export const getFileTemporaryUrl: Route<typeof uploads.getFileTemporaryUrl> = {
  method: "GET",
  path: "/user_uploads/{realm_id_str}/{filename}",
  texts: ["filename"],
};
export const removeAttachment: Route<typeof uploads.removeAttachment> = {
  method: "DELETE",
  path: "/attachments/{attachment_id}",
  texts: [],
};
export const uploadFile: Route<typeof uploads.uploadFile> = { method: "POST", path: "/user_uploads", texts: [] };
export const createUserGroup: Route<typeof userGroups.createUserGroup> = {
  method: "POST",
  path: "/user_groups/create",
  texts: ["name", "description"],
};
export const deactivateUserGroup: Route<typeof userGroups.deactivateUserGroup> = {
  method: "POST",
  path: "/user_groups/{user_group_id}/deactivate",
  texts: [],
};
export const getIsUserGroupMember: Route<typeof userGroups.getIsUserGroupMember> = {
  method: "GET",
  path: "/user_groups/{user_group_id}/members/{user_id}",
  texts: [],
};
export const getUserGroupMembers: Route<typeof userGroups.getUserGroupMembers> = {
  method: "GET",
  path: "/user_groups/{user_group_id}/members",
  texts: [],
};
export const getUserGroupSubgroups: Route<typeof userGroups.getUserGroupSubgroups> = {
  method: "GET",
  path: "/user_groups/{user_group_id}/subgroups",
  texts: [],
};
export const getUserGroups: Route<typeof userGroups.getUserGroups> = { method: "GET", path: "/user_groups", texts: [] };
export const updateUserGroup: Route<typeof userGroups.updateUserGroup> = {
  method: "PATCH",
  path: "/user_groups/{user_group_id}",
  texts: ["name", "description"],
};
export const updateUserGroupMembers: Route<typeof userGroups.updateUserGroupMembers> = {
  method: "POST",
  path: "/user_groups/{user_group_id}/members",
  texts: [],
};
export const updateUserGroupSubgroups: Route<typeof userGroups.updateUserGroupSubgroups> = {
  method: "POST",
  path: "/user_groups/{user_group_id}/subgroups",
  texts: [],
};
export const muteTopic: Route<typeof userTopics.muteTopic> = {
  method: "PATCH",
  path: "/users/me/subscriptions/muted_topics",
  texts: ["stream", "topic", "op"],
};
export const updateUserTopic: Route<typeof userTopics.updateUserTopic> = {
  method: "POST",
  path: "/user_topics",
  texts: ["topic"],
};
export const createUser: Route<typeof users.createUser> = {
  method: "POST",
  path: "/users",
  texts: ["email", "password", "full_name"],
};
export const deactivateOwnUser: Route<typeof users.deactivateOwnUser> = {
  method: "DELETE",
  path: "/users/me",
  texts: [],
};
export const deactivateUser: Route<typeof users.deactivateUser> = {
  method: "DELETE",
  path: "/users/{user_id}",
  texts: ["deactivation_notification_comment"],
};
export const getOwnUser: Route<typeof users.getOwnUser> = { method: "GET", path: "/users/me", texts: [] };
export const getUser: Route<typeof users.getUser> = { method: "GET", path: "/users/{user_id}", texts: [] };
export const getUserByEmail: Route<typeof users.getUserByEmail> = {
  method: "GET",
  path: "/users/{email}",
  texts: ["email"],
};
export const getUsers: Route<typeof users.getUsers> = { method: "GET", path: "/users", texts: [] };
export const reactivateUser: Route<typeof users.reactivateUser> = {
  method: "POST",
  path: "/users/{user_id}/reactivate",
  texts: [],
};
export const updateUser: Route<typeof users.updateUser> = {
  method: "PATCH",
  path: "/users/{user_id}",
  texts: ["full_name", "new_email"],
};
export const updateUserByEmail: Route<typeof users.updateUserByEmail> = {
  method: "PATCH",
  path: "/users/{email}",
  texts: ["email", "full_name", "new_email"],
};
