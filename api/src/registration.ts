import { z } from "zod";
import { alertWordState } from "./alert-words.ts";
import { botState, embeddedBotState, incomingWebhookState } from "./bots.ts";
import { channelState } from "./channels.ts";
import { defaultChannelGroupState, defaultChannelState } from "./default-channels.ts";
import { draftState } from "./drafts.ts";
import { customEmojiState } from "./emoji.ts";
import { endpoint, json, textUpTo } from "./endpoint.ts";
import { queuedEvent } from "./events.ts";
import { starredState, unreadState } from "./flags.ts";
import { filterState, linkifierState } from "./linkifiers.ts";
import { messageState, recentConversationState } from "./messages.ts";
import { mutedUserState } from "./muted-users.ts";
import { maxTerms } from "./narrow.ts";
import { onboardingState } from "./onboarding.ts";
import { playgroundState } from "./playgrounds.ts";
import { presenceState } from "./presence.ts";
import { profileFieldState } from "./profile-fields.ts";
import { billingState, giphyState, videoCallState } from "./outside-services.ts";
import { realmDomainState } from "./realm-domains.ts";
import { realmState } from "./realm.ts";
import { savedSnippetState } from "./saved-snippets.ts";
import { defaultSettingState, displaySettingState, notificationSettingState, settingState } from "./settings.ts";
import { userStatusState } from "./status.ts";
import { scheduledMessageState } from "./scheduled-messages.ts";
import { stopWordState } from "./stop-words.ts";
import { subscriptionState } from "./subscriptions.ts";
import { userGroupState } from "./user-groups.ts";
import { mutedTopicState, userTopicState } from "./user-topics.ts";
import { userState } from "./users.ts";

export const defaultQueueLifespanSeconds = 600;
export const maxQueueLifespanSeconds = 604800;
export const longPollTimeoutSeconds = 90;

const capability = (description: string) => z.boolean().optional().describe(description);

/** What a client says it can handle. Names that are not known here come from newer clients and mean nothing. */
export const clientCapabilities = z.object({
  notification_settings_null: z.boolean().describe("A channel's notification settings may be null. Always needed."),
  bulk_message_deletion: capability("One event may tell of several deleted messages."),
  user_avatar_url_field_optional: capability("Users long away may come without avatar_url."),
  stream_typing_notifications: capability("Typing in channels is of interest."),
  user_settings_object: capability("Settings are read from user_settings only."),
  linkifier_url_template: capability("Linkifiers have URL templates."),
  user_list_incomplete: capability("Users the caller may not see are left out."),
  include_deactivated_groups: capability("Deactivated user groups are of interest."),
  archived_channels: capability("Archived channels are of interest."),
  empty_topic_name: capability("Topics may be empty."),
});
export type ClientCapabilities = z.output<typeof clientCapabilities>;

const eventTypes = z.array(textUpTo(100)).max(1000).nullable();

/** What a queue delivers and in which form. */
const queueParams = {
  event_types: json(eventTypes).optional().describe("Which types of events; all of them when left out or null."),
  apply_markdown: json(z.boolean()).default(false).describe("Whether message events carry HTML, not Markdown."),
  client_gravatar: json(z.boolean())
    .default(true)
    .describe("Whether the client computes Gravatar addresses itself, and may be given null for avatar_url."),
  include_subscribers: json(z.boolean()).default(false).describe("Whether channels come with their subscribers."),
  slim_presence: json(z.boolean()).default(false).describe("Whether presence is keyed by user ID, in the newer form."),
  all_public_streams: json(z.boolean())
    .optional()
    .describe("Whether to deliver the messages of every public channel, subscribed or not."),
  narrow: json(z.array(z.tuple([textUpTo(100), textUpTo(1000)])).max(maxTerms))
    .default([])
    .describe("Which message events: pairs of operator and operand, all of which must hold."),
  client_capabilities: json(clientCapabilities).optional().describe("What the client can handle."),
  queue_lifespan_secs: json(z.int())
    .default(0)
    .describe("For how long an unread queue is kept; 0 stands for ten minutes, a week is the most."),
};

/** What the registration answer can hold, by the name it is asked for in `fetch_event_types`. */
export const registrationParts = {
  message: messageState,
  realm: realmState,
  realm_domains: realmDomainState,
  giphy: giphyState,
  video_calls: videoCallState,
  realm_billing: billingState,
  realm_linkifiers: linkifierState,
  realm_playgrounds: playgroundState,
  realm_emoji: customEmojiState,
  /** Kept for old clients. */
  realm_filters: filterState,
  realm_user: userState,
  custom_profile_fields: profileFieldState,
  realm_bot: botState,
  realm_embedded_bots: embeddedBotState,
  realm_incoming_webhook_bots: incomingWebhookState,
  realm_user_groups: userGroupState,
  stream: channelState,
  default_streams: defaultChannelState,
  default_stream_groups: defaultChannelGroupState,
  subscription: subscriptionState,
  recent_private_conversations: recentConversationState,
  scheduled_messages: scheduledMessageState,
  starred_messages: starredState,
  /** Only together with `message`. */
  update_message_flags: unreadState,
  user_settings: settingState,
  realm_user_settings_defaults: defaultSettingState,
  onboarding_steps: onboardingState,
  stop_words: stopWordState,
  alert_words: alertWordState,
  saved_snippets: savedSnippetState,
  muted_users: mutedUserState,
  user_topic: userTopicState,
  /** Not for clients that name `user_topic`. */
  muted_topics: mutedTopicState,
  user_status: userStatusState,
  drafts: draftState,
  presence: presenceState,
  /** These two only without the `user_settings_object` capability. */
  update_display_settings: displaySettingState,
  update_global_notifications: notificationSettingState,
};
export type RegistrationPart = keyof typeof registrationParts;

export const registrationState = {
  ...registrationParts.message,
  ...registrationParts.realm,
  ...registrationParts.realm_domains,
  ...registrationParts.giphy,
  ...registrationParts.video_calls,
  ...registrationParts.realm_billing,
  ...registrationParts.realm_linkifiers,
  ...registrationParts.realm_playgrounds,
  ...registrationParts.realm_emoji,
  ...registrationParts.realm_filters,
  ...registrationParts.realm_user,
  ...registrationParts.custom_profile_fields,
  ...registrationParts.realm_bot,
  ...registrationParts.realm_embedded_bots,
  ...registrationParts.realm_incoming_webhook_bots,
  ...registrationParts.realm_user_groups,
  ...registrationParts.stream,
  ...registrationParts.default_streams,
  ...registrationParts.default_stream_groups,
  ...registrationParts.subscription,
  ...registrationParts.recent_private_conversations,
  ...registrationParts.scheduled_messages,
  ...registrationParts.starred_messages,
  ...registrationParts.update_message_flags,
  ...registrationParts.user_settings,
  ...registrationParts.realm_user_settings_defaults,
  ...registrationParts.onboarding_steps,
  ...registrationParts.stop_words,
  ...registrationParts.alert_words,
  ...registrationParts.saved_snippets,
  ...registrationParts.muted_users,
  ...registrationParts.user_topic,
  ...registrationParts.muted_topics,
  ...registrationParts.user_status,
  ...registrationParts.drafts,
  ...registrationParts.presence,
  ...registrationParts.update_display_settings,
  ...registrationParts.update_global_notifications,
};

const optionalState = z.strictObject(registrationState).partial();
export type RegistrationState = z.output<typeof optionalState>;

export const register = endpoint({
  operation: "register-queue",
  method: "POST",
  path: "/register",
  auth: "user",
  area: "Events",
  summary: "Register an event queue",
  description:
    "Make a queue that gathers events from now on, and get the state those events begin from. State and events " +
    "together are exact: nothing is missing and nothing comes twice.",
  params: {
    ...queueParams,
    fetch_event_types: json(eventTypes)
      .optional()
      .describe("Which parts of the state to give; as event_types when left out or null."),
    presence_history_limit_days: json(z.int()).optional().describe("How far back presence goes, in days."),
  },
  returns: {
    queue_id: z.string().describe("The queue, for GET /events."),
    last_event_id: z.int().describe("What to give GET /events at first."),
    zulip_feature_level: z.int().describe("The protocol level."),
    zulip_version: z.string().describe("The protocol release, for people to read."),
    zulip_merge_base: z.string().describe("The release this version was branched from; empty when unknown."),
    ...optionalState.shape,
  },
});

export const getEvents = endpoint({
  operation: "get-events",
  method: "GET",
  path: "/events",
  auth: "user",
  area: "Events",
  summary: "Get events",
  description:
    "Read what has come into a queue, waiting for it if need be. While nothing happens a heartbeat event comes from " +
    "time to time. Without queue_id a queue is made, by the parameters of registration.",
  params: {
    queue_id: z.string().optional().describe("The queue, from the answer to its registration."),
    last_event_id: json(z.int())
      .optional()
      .describe("The newest event the client has; later ones are given, and earlier ones need not be kept."),
    dont_block: json(z.boolean()).default(false).describe("Whether to answer at once, even with no events."),
    ...queueParams,
  },
  returns: {
    events: z.array(queuedEvent).describe("In order. IDs grow, and may skip numbers."),
    queue_id: z.string().describe("The queue."),
  },
});

export const deleteQueue = endpoint({
  operation: "delete-queue",
  method: "DELETE",
  path: "/events",
  auth: "user",
  area: "Events",
  summary: "Delete an event queue",
  description: "Give up a queue before it would expire.",
  params: { queue_id: z.string().describe("The queue.") },
  returns: {},
});
