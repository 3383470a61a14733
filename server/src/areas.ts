/** What there is: every area's endpoints, event shapes, parts of the registration answer, and jobs. */
import { greetLater } from "./domain/accounts/jobs.ts";
import { alertWordEndpoints } from "./domain/alert-words/endpoints.ts";
import { alertWordState } from "./domain/alert-words/state.ts";
import { authenticationEndpoints } from "./domain/auth/endpoints.ts";
import { botStorageEndpoints } from "./domain/bot-storage/endpoints.ts";
import { botEndpoints } from "./domain/bots/endpoints.ts";
import { botShape } from "./domain/bots/events.ts";
import { botState, embeddedBotState } from "./domain/bots/state.ts";
import { avatarEndpoints } from "./domain/avatars/endpoints.ts";
import { callEndpoints } from "./domain/calls/endpoints.ts";
import { channelEndpoints } from "./domain/channels/endpoints.ts";
import { channelEventShapes } from "./domain/channels/event-shapes.ts";
import { refreshChannelActivity } from "./domain/channels/jobs.ts";
import { channelState } from "./domain/channels/state.ts";
import { defaultChannelEndpoints } from "./domain/default-channels/endpoints.ts";
import { defaultChannelStates } from "./domain/default-channels/state.ts";
import { developmentEndpoints } from "./domain/development/endpoints.ts";
import { editEndpoints } from "./domain/edits/endpoints.ts";
import { deletionEndpoints } from "./domain/deletion/endpoints.ts";
import { emojiEndpoints } from "./domain/emoji/endpoints.ts";
import { emojiState } from "./domain/emoji/state.ts";
import { draftEndpoints } from "./domain/drafts/endpoints.ts";
import { draftState } from "./domain/drafts/state.ts";
import { exportEndpoints } from "./domain/exports/endpoints.ts";
import { failLostExports, makeExport } from "./domain/exports/jobs.ts";
import { flagEndpoints } from "./domain/flags/endpoints.ts";
import { flagEventShapes } from "./domain/flags/event-shapes.ts";
import { starredState, unreadState } from "./domain/flags/state.ts";
import { forgetDeliveries } from "./domain/incoming-webhooks/jobs.ts";
import { incomingWebhookState } from "./domain/incoming-webhooks/state.ts";
import { invitationEndpoints } from "./domain/invitations/endpoints.ts";
import { linkifierEndpoints } from "./domain/linkifiers/endpoints.ts";
import { filterState, linkifierEventShapes, linkifierState } from "./domain/linkifiers/state.ts";
import { deliverMail } from "./domain/mail/jobs.ts";
import { deletionShape } from "./domain/messages/delete-event.ts";
import { messageShape } from "./domain/messages/event.ts";
import { fetchEndpoints } from "./domain/messages/fetch-endpoints.ts";
import { sendEndpoints } from "./domain/messages/send-endpoints.ts";
import { messageState, recentConversationState } from "./domain/messages/state.ts";
import { updateShape } from "./domain/messages/update-event.ts";
import { onboardingEndpoints } from "./domain/onboarding/endpoints.ts";
import { onboardingState } from "./domain/onboarding/state.ts";
import { playgroundEndpoints } from "./domain/playgrounds/endpoints.ts";
import { playgroundState } from "./domain/playgrounds/state.ts";
import { previewLinks } from "./domain/previews/jobs.ts";
import { deliverMissedMessages } from "./domain/missed-messages/deliver.ts";
import { handOverMissedMessages } from "./domain/missed-messages/hand-over.ts";
import { followMessages } from "./domain/notifications/follow.ts";
import { mutedUserEndpoints } from "./domain/muted-users/endpoints.ts";
import { mutedUserState } from "./domain/muted-users/state.ts";
import { trimming } from "./domain/previews/plan-trimming.ts";
import { profileFieldEndpoints } from "./domain/profile-fields/endpoints.ts";
import { profileFieldState } from "./domain/profile-fields/state.ts";
import { cleanUpPushes } from "./domain/push-devices/clean-up.ts";
import { pushDeviceEndpoints } from "./domain/push-devices/endpoints.ts";
import { handOverDevicePushes } from "./domain/push-devices/hand-over.ts";
import { pushToDevice } from "./domain/push-devices/push.ts";
import { reactionEndpoints } from "./domain/reactions/endpoints.ts";
import { realmDomainEndpoints } from "./domain/realm-domains/endpoints.ts";
import { realmDomainState } from "./domain/realm-domains/state.ts";
import { presenceEndpoints } from "./domain/presence/endpoints.ts";
import { presenceEventShapes, presenceState } from "./domain/presence/state.ts";
import { readReceiptEndpoints } from "./domain/read-receipts/endpoints.ts";
import { realmIconEndpoints } from "./domain/realm-icon/endpoints.ts";
import { realmEndpoints } from "./domain/realm/endpoints.ts";
import { outsideServiceStates } from "./domain/realm/outside-services.ts";
import { announceRelease } from "./domain/releases/announce.ts";
import { releaseEventShapes } from "./domain/releases/event-shapes.ts";
import { realmState } from "./domain/realm/state.ts";
import { deliverScheduledMessage } from "./domain/scheduled-messages/deliver.ts";
import { scheduledMessageEndpoints } from "./domain/scheduled-messages/endpoints.ts";
import { scheduledMessageState } from "./domain/scheduled-messages/state.ts";
import { applyRetention } from "./domain/retention/jobs.ts";
import { savedSnippetEndpoints } from "./domain/saved-snippets/endpoints.ts";
import { savedSnippetState } from "./domain/saved-snippets/state.ts";
import { indexMessages } from "./domain/search/index-messages.ts";
import { stopWordState } from "./domain/search/stop-words.ts";
import { settingEndpoints } from "./domain/settings/endpoints.ts";
import { settingEventShapes } from "./domain/settings/event-shapes.ts";
import { settingStates } from "./domain/settings/state.ts";
import { slashCommandEndpoints } from "./domain/slash-commands/endpoints.ts";
import { statusEndpoints } from "./domain/status/endpoints.ts";
import { userStatusState } from "./domain/status/state.ts";
import { subdomainEndpoints } from "./domain/subdomains/endpoints.ts";
import { submessageEndpoints } from "./domain/submessages/endpoints.ts";
import { subscriptionEndpoints } from "./domain/subscriptions/endpoints.ts";
import { subscriptionShapes } from "./domain/subscriptions/event-shapes.ts";
import { sendSubscriptionNotices } from "./domain/subscriptions/notices.ts";
import { subscriptionState } from "./domain/subscriptions/state.ts";
import { summaryEndpoints } from "./domain/summaries/endpoints.ts";
import { typingEndpoints } from "./domain/typing/endpoints.ts";
import { typingEventShapes } from "./domain/typing/event-shapes.ts";
import { topicEndpoints } from "./domain/topics/endpoints.ts";
import { uploadEndpoints } from "./domain/uploads/endpoints.ts";
import { removeStored } from "./domain/uploads/jobs.ts";
import { userGroupEndpoints } from "./domain/user-groups/endpoints.ts";
import { userGroupEventShapes } from "./domain/user-groups/event-shapes.ts";
import { promoteFullMembers } from "./domain/user-groups/promotion.ts";
import { userGroupState } from "./domain/user-groups/state.ts";
import { userTopicEndpoints } from "./domain/user-topics/endpoints.ts";
import { mutedTopicState, userTopicEventShapes, userTopicState } from "./domain/user-topics/state.ts";
import { userEndpoints } from "./domain/users/endpoints.ts";
import { userEventShapes } from "./domain/users/event-shapes.ts";
import { userState } from "./domain/users/state.ts";
import { deliverWebhook } from "./domain/webhooks/jobs.ts";
import type { EventShape, EventShapes } from "./events/queue.ts";
import type { StatePart } from "./events/state-part.ts";
import type { BoundEndpoint } from "./http/handle.ts";
import type { Chore } from "./jobs/chore.ts";
import type { Job } from "./jobs/job.ts";
import type { SecretBox } from "./platform/secret-box.ts";

export const endpoints: BoundEndpoint[] = [
  ...alertWordEndpoints,
  ...authenticationEndpoints,
  ...avatarEndpoints,
  ...botEndpoints,
  ...botStorageEndpoints,
  ...callEndpoints,
  ...channelEndpoints,
  ...defaultChannelEndpoints,
  ...deletionEndpoints,
  ...developmentEndpoints,
  ...editEndpoints,
  ...emojiEndpoints,
  ...fetchEndpoints,
  ...draftEndpoints,
  ...exportEndpoints,
  ...flagEndpoints,
  ...invitationEndpoints,
  ...linkifierEndpoints,
  ...onboardingEndpoints,
  ...playgroundEndpoints,
  ...profileFieldEndpoints,
  ...pushDeviceEndpoints,
  ...reactionEndpoints,
  ...realmDomainEndpoints,
  ...presenceEndpoints,
  ...mutedUserEndpoints,
  ...readReceiptEndpoints,
  ...realmEndpoints,
  ...realmIconEndpoints,
  ...scheduledMessageEndpoints,
  ...savedSnippetEndpoints,
  ...sendEndpoints,
  ...settingEndpoints,
  ...slashCommandEndpoints,
  ...subdomainEndpoints,
  ...submessageEndpoints,
  ...subscriptionEndpoints,
  ...summaryEndpoints,
  ...topicEndpoints,
  ...typingEndpoints,
  ...uploadEndpoints,
  ...userEndpoints,
  ...userGroupEndpoints,
  ...statusEndpoints,
  ...userTopicEndpoints,
];

const shapes: [string, EventShape][] = [
  ["message", messageShape],
  ["update_message", updateShape],
  ["delete_message", deletionShape],
  ...channelEventShapes,
  ...flagEventShapes,
  ...linkifierEventShapes,
  ...settingEventShapes,
  ...presenceEventShapes,
  ...releaseEventShapes,
  ...subscriptionShapes,
  ...typingEventShapes,
  ...userEventShapes,
  ...userGroupEventShapes,
  ...userTopicEventShapes,
];
/** With the box that opens what travels sealed. */
export const eventShapes = (secretBox: SecretBox): EventShapes =>
  new Map([...shapes, ["realm_bot", botShape(secretBox)]]);

export const stateParts: StatePart[] = [
  alertWordState,
  botState,
  embeddedBotState,
  incomingWebhookState,
  channelState,
  ...defaultChannelStates,
  emojiState,
  draftState,
  filterState,
  linkifierState,
  messageState,
  mutedUserState,
  onboardingState,
  playgroundState,
  profileFieldState,
  realmDomainState,
  presenceState,
  ...outsideServiceStates,
  realmState,
  recentConversationState,
  savedSnippetState,
  ...settingStates,
  scheduledMessageState,
  starredState,
  stopWordState,
  subscriptionState,
  unreadState,
  userGroupState,
  userStatusState,
  mutedTopicState,
  userTopicState,
  userState,
];

/** Each of another payload, which it reads itself. */
export const jobs: Job[] = [
  promoteFullMembers,
  deliverWebhook,
  refreshChannelActivity,
  sendSubscriptionNotices,
  deliverScheduledMessage,
  deliverMail,
  deliverMissedMessages,
  pushToDevice,
  cleanUpPushes,
  previewLinks,
  trimming,
  removeStored,
  applyRetention,
  forgetDeliveries,
  greetLater,
  announceRelease,
  makeExport,
  failLostExports,
];

/** What workers do again and again. */
export const chores: Chore[] = [followMessages, handOverMissedMessages, handOverDevicePushes, indexMessages];
