/** Every endpoint there is; the one place that knows them all. */
import { addAlertWords, getAlertWords, removeAlertWords } from "./alert-words.ts";
import { fetchApiKey, fetchOwnApiKey, jwtFetchApiKey, regenerateApiKey } from "./authentication.ts";
import { removeOwnAvatar, uploadOwnAvatar } from "./avatars.ts";
import { getBotStorage, removeBotStorage, updateBotStorage } from "./bot-storage.ts";
import { createBot, deactivateBot, getBots, regenerateBotApiKey, updateBot } from "./bots.ts";
import { createBigBlueButtonCall, createZoomCall } from "./calls.ts";
import {
  archiveChannel,
  getChannel,
  getChannelEmailAddress,
  getChannelId,
  getChannels,
  getSubscribers,
  updateChannel,
} from "./channels.ts";
import {
  addDefaultChannel,
  createDefaultChannelGroup,
  removeDefaultChannel,
  removeDefaultChannelGroup,
  updateDefaultChannelGroup,
  updateDefaultChannelGroupChannels,
} from "./default-channels.ts";
import { deleteMessage, deleteTopic } from "./deletion.ts";
import { devFetchApiKey, devListUsers } from "./development.ts";
import { createDrafts, deleteDraft, editDraft, getDrafts } from "./drafts.ts";
import { deactivateCustomEmoji, getCustomEmoji, uploadCustomEmoji } from "./emoji.ts";
import { getMessageHistory, updateMessage } from "./edits.ts";
import type { Endpoint } from "./endpoint.ts";
import { createExport, getExportConsents, getExports, removeExport } from "./exports.ts";
import { getMessages, matchNarrow } from "./fetch-messages.ts";
import {
  markAllAsRead,
  markChannelAsRead,
  markTopicAsRead,
  updateMessageFlags,
  updateMessageFlagsForNarrow,
} from "./flags.ts";
import {
  createInvitationLink,
  getInvitations,
  resendInvitation,
  revokeInvitation,
  revokeInvitationLink,
  sendInvitations,
} from "./invitations.ts";
import { addLinkifier, getLinkifiers, removeLinkifier, reorderLinkifiers, updateLinkifier } from "./linkifiers.ts";
import { getMessage, renderMessage, sendMessage } from "./messages.ts";
import { finishOnboardingStep } from "./onboarding.ts";
import { addPlayground, removePlayground } from "./playgrounds.ts";
import { getReadReceipts } from "./read-receipts.ts";
import { getPresence, getUserPresence, updatePresence } from "./presence.ts";
import { addRealmDomain, getRealmDomains, removeRealmDomain, updateRealmDomain } from "./realm-domains.ts";
import { deactivateRealm, updateRealm } from "./realm-settings.ts";
import { deleteQueue, getEvents, register } from "./registration.ts";
import {
  createScheduledMessage,
  deleteScheduledMessage,
  getScheduledMessages,
  updateScheduledMessage,
} from "./scheduled-messages.ts";
import { muteUser, unmuteUser } from "./muted-users.ts";
import { createSavedSnippet, deleteSavedSnippet, editSavedSnippet, getSavedSnippets } from "./saved-snippets.ts";
import { getServerSettings } from "./server-settings.ts";
import { runSlashCommand } from "./slash-commands.ts";
import { getUserStatus, updateStatus } from "./status.ts";
import {
  updateDefaultSettings,
  updateDisplaySettings,
  updateNotificationSettings,
  updateSettings,
} from "./settings.ts";
import {
  addApnsToken,
  addFcmToken,
  addWebPushSubscription,
  getWebPushKey,
  removeApnsToken,
  removeFcmToken,
  removeWebPushSubscription,
  testMobileNotification,
  testWebNotification,
} from "./push-devices.ts";
import { addReaction, removeReaction } from "./reactions.ts";
import { checkSubdomain } from "./subdomains.ts";
import { addSubmessage } from "./submessages.ts";
import {
  getSubscriptions,
  getSubscriptionStatus,
  subscribe,
  unsubscribe,
  updateSubscriptions,
  updateSubscriptionSetting,
  updateSubscriptionSettings,
} from "./subscriptions.ts";
import { getMessagesSummary } from "./summaries.ts";
import { getTopics } from "./topics.ts";
import {
  createUserGroup,
  deactivateUserGroup,
  getIsUserGroupMember,
  getUserGroupMembers,
  getUserGroups,
  getUserGroupSubgroups,
  updateUserGroup,
  updateUserGroupMembers,
  updateUserGroupSubgroups,
} from "./user-groups.ts";
import { setEditTypingStatus, setTypingStatus } from "./typing.ts";
import {
  getRealmIcon,
  getRealmLogo,
  removeRealmIcon,
  removeRealmLogo,
  uploadRealmIcon,
  uploadRealmLogo,
} from "./realm-icon.ts";
import { getAttachments, getFileTemporaryUrl, removeAttachment, uploadFile } from "./uploads.ts";
import { muteTopic, updateUserTopic } from "./user-topics.ts";
import {
  createProfileField,
  getProfileFields,
  removeOwnProfile,
  removeProfileField,
  reorderProfileFields,
  updateOwnProfile,
  updateProfileField,
} from "./profile-fields.ts";
import {
  createUser,
  deactivateOwnUser,
  deactivateUser,
  getOwnUser,
  getUser,
  getUserByEmail,
  getUsers,
  reactivateUser,
  updateUser,
  updateUserByEmail,
} from "./users.ts";

export const endpoints: readonly Endpoint[] = [
  sendMessage,
  renderMessage,
  getMessages,
  matchNarrow,
  getMessage,
  updateMessage,
  deleteMessage,
  deleteTopic,
  getMessageHistory,
  addReaction,
  removeReaction,
  addSubmessage,
  updateMessageFlags,
  updateMessageFlagsForNarrow,
  markAllAsRead,
  markChannelAsRead,
  markTopicAsRead,
  getReadReceipts,
  getMessagesSummary,
  getChannels,
  getChannel,
  getChannelId,
  getSubscribers,
  getChannelEmailAddress,
  updateChannel,
  archiveChannel,
  getTopics,
  createBigBlueButtonCall,
  createZoomCall,
  subscribe,
  getSubscriptions,
  unsubscribe,
  updateSubscriptions,
  updateSubscriptionSettings,
  updateSubscriptionSetting,
  getSubscriptionStatus,
  addDefaultChannel,
  removeDefaultChannel,
  createDefaultChannelGroup,
  updateDefaultChannelGroup,
  updateDefaultChannelGroupChannels,
  removeDefaultChannelGroup,
  getUsers,
  createUser,
  getOwnUser,
  getUser,
  getUserByEmail,
  updateUser,
  updateUserByEmail,
  deactivateUser,
  deactivateOwnUser,
  reactivateUser,
  uploadOwnAvatar,
  removeOwnAvatar,
  updateOwnProfile,
  removeOwnProfile,
  getProfileFields,
  createProfileField,
  reorderProfileFields,
  updateProfileField,
  removeProfileField,
  getUserGroups,
  createUserGroup,
  updateUserGroup,
  deactivateUserGroup,
  updateUserGroupMembers,
  getUserGroupMembers,
  getIsUserGroupMember,
  updateUserGroupSubgroups,
  getUserGroupSubgroups,
  getInvitations,
  sendInvitations,
  createInvitationLink,
  revokeInvitation,
  revokeInvitationLink,
  resendInvitation,
  register,
  getEvents,
  deleteQueue,
  fetchApiKey,
  fetchOwnApiKey,
  jwtFetchApiKey,
  regenerateApiKey,
  devFetchApiKey,
  devListUsers,
  getServerSettings,
  checkSubdomain,
  updateRealm,
  deactivateRealm,
  getRealmDomains,
  addRealmDomain,
  updateRealmDomain,
  removeRealmDomain,
  getScheduledMessages,
  createScheduledMessage,
  updateScheduledMessage,
  deleteScheduledMessage,
  updateSettings,
  updateDisplaySettings,
  updateNotificationSettings,
  updateDefaultSettings,
  runSlashCommand,
  finishOnboardingStep,
  getAlertWords,
  addAlertWords,
  removeAlertWords,
  getSavedSnippets,
  createSavedSnippet,
  editSavedSnippet,
  deleteSavedSnippet,
  addApnsToken,
  removeApnsToken,
  addFcmToken,
  removeFcmToken,
  testMobileNotification,
  getWebPushKey,
  addWebPushSubscription,
  removeWebPushSubscription,
  testWebNotification,
  muteUser,
  unmuteUser,
  getLinkifiers,
  addLinkifier,
  updateLinkifier,
  removeLinkifier,
  reorderLinkifiers,
  addPlayground,
  removePlayground,
  getExports,
  createExport,
  removeExport,
  getExportConsents,
  getCustomEmoji,
  uploadCustomEmoji,
  deactivateCustomEmoji,
  getBots,
  createBot,
  updateBot,
  deactivateBot,
  regenerateBotApiKey,
  getBotStorage,
  updateBotStorage,
  removeBotStorage,
  updateUserTopic,
  muteTopic,
  updateStatus,
  getUserStatus,
  getDrafts,
  createDrafts,
  editDraft,
  deleteDraft,
  updatePresence,
  getUserPresence,
  getPresence,
  setTypingStatus,
  setEditTypingStatus,
  uploadFile,
  getFileTemporaryUrl,
  getAttachments,
  removeAttachment,
  getRealmIcon,
  uploadRealmIcon,
  removeRealmIcon,
  getRealmLogo,
  uploadRealmLogo,
  removeRealmLogo,
];
