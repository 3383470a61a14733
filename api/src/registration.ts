import { channelFolderState } from "./channel-folders.ts";
import { z } from "zod";
import { alertWordState } from "./alert-words.ts";
import { botState, embeddedBotState, incomingWebhookState } from "./bots.ts";
import { channelState } from "./channels.ts";
import { defaultChannelGroupState, defaultChannelState } from "./default-channels.ts";
import { draftState } from "./drafts.ts";
import { customEmojiState } from "./emoji.ts";
import { endpoint, json, jsonOrText, list, textUpTo } from "./endpoint.ts";
import { eventTypeNames, queuedEvent } from "./events.ts";
import { starredState, unreadState } from "./flags.ts";
import { filterState, linkifierState } from "./linkifiers.ts";
import { messageState, recentConversationState } from "./messages.ts";
import { mutedUserState } from "./muted-users.ts";
import { maxTerms } from "./narrow.ts";
import { navigationViewState } from "./navigation-views.ts";
import { onboardingState } from "./onboarding.ts";
import { playgroundState } from "./playgrounds.ts";
import { presenceState } from "./presence.ts";
import { profileFieldState } from "./profile-fields.ts";
import { billingState, giphyState, tenorState, videoCallState } from "./outside-services.ts";
import { realmDomainState } from "./realm-domains.ts";
import { realmState } from "./realm.ts";
import { reminderState } from "./reminders.ts";
import { savedSnippetState } from "./saved-snippets.ts";
import { defaultSettingState, displaySettingState, notificationSettingState, settingState } from "./settings.ts";
import { userStatusState } from "./status.ts";
import { scheduledMessageState } from "./scheduled-messages.ts";
import { stopWordState } from "./stop-words.ts";
import { includeSubscribers, subscriptionState } from "./subscriptions.ts";
import { userGroupState } from "./user-groups.ts";
import { mutedTopicState, userTopicState } from "./user-topics.ts";
import { userState } from "./users.ts";

export const defaultQueueLifespanSeconds = 600;
export const maxQueueLifespanSeconds = 604800;
export const longPollTimeoutSeconds = 90;

const capability = (description: string) => z.boolean().optional().describe(description);

/** The features that a client supports. Unknown names come from newer clients and are ignored. */
export const clientCapabilities = z.object({
  notification_settings_null: z.boolean().describe("A channel's notification settings may be null. Always needed."),
  bulk_message_deletion: capability("One event may report several deleted messages."),
  user_avatar_url_field_optional: capability("Users long away may come without avatar_url."),
  stream_typing_notifications: capability("The client wants typing notifications of channels."),
  user_settings_object: capability("Settings are read from user_settings only."),
  linkifier_url_template: capability("Linkifiers have URL templates."),
  user_list_incomplete: capability("Users the caller may not see are left out."),
  include_deactivated_groups: capability("The client wants deactivated user groups."),
  archived_channels: capability("The client wants archived channels."),
  empty_topic_name: capability("Topics may be empty."),
  simplified_presence_events: capability("Presence events have only presences, by user ID, in the newer form."),
});
export type ClientCapabilities = z.output<typeof clientCapabilities>;

const eventTypes = list(textUpTo(100)).nullable();

/** Which events a queue delivers, and in which form. */
const queueParams = {
  event_types: json(eventTypes).optional().describe("Which types of events; all of them when left out or null."),
  apply_markdown: json(z.boolean()).default(false).describe("Whether message events carry HTML, not Markdown."),
  client_gravatar: json(z.boolean())
    .default(true)
    .describe("Whether the client computes Gravatar addresses itself, and may be given null for avatar_url."),
  include_subscribers: includeSubscribers
    .default(false)
    .describe(
      "Whether channels come with their subscribers: true, false, or partial for some of those of large channels.",
    ),
  slim_presence: json(z.boolean()).default(false).describe("Whether presence is keyed by user ID, in the newer form."),
  all_public_streams: json(z.boolean())
    .optional()
    .describe("Whether to deliver the messages of every public channel, subscribed or not."),
  narrow: json(list(z.tuple([textUpTo(100), textUpTo(1000)]), maxTerms))
    .default([])
    .describe("Which message events: pairs of operator and operand, all of which must hold."),
  client_capabilities: json(clientCapabilities).optional().describe("What the client can handle."),
  queue_lifespan_secs: json(z.int())
    .default(0)
    .describe("For how many seconds an idle queue is kept; 0 means ten minutes, and a week is the maximum."),
};

/** How long the queue of an app lives that a phone may suspend for hours. */
export const mobileQueueLifespanSeconds = 43_200;

/** The parts of the registration response, by their names in `fetch_event_types`. */
export const registrationParts = {
  message: messageState,
  realm: realmState,
  realm_domains: realmDomainState,
  giphy: giphyState,
  tenor: tenorState,
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
  channel_folders: channelFolderState,
  subscription: subscriptionState,
  recent_private_conversations: recentConversationState,
  scheduled_messages: scheduledMessageState,
  reminders: reminderState,
  navigation_views: navigationViewState,
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
  /** Not for clients that request `user_topic`. */
  muted_topics: mutedTopicState,
  user_status: userStatusState,
  drafts: draftState,
  presence: presenceState,
  /** These two only without the `user_settings_object` capability. */
  update_display_settings: displaySettingState,
  update_global_notifications: notificationSettingState,
};
export type RegistrationPart = keyof typeof registrationParts;

/** Names that older or newer clients may request, and that have no meaning on this server. */
const namesOfOtherReleases = [
  "device",
  "devices",
  "has_zoom_token",
  "hotspots",
  "pointer",
  "push_device",
  "zulip_version",
];

/** The valid names in `event_types` and `fetch_event_types`: types of events, or parts of the response. */
export const requestableTypes: ReadonlySet<string> = new Set([
  ...eventTypeNames,
  ...Object.keys(registrationParts),
  ...namesOfOtherReleases,
]);

export const registrationState = {
  ...registrationParts.message,
  ...registrationParts.realm,
  ...registrationParts.realm_domains,
  ...registrationParts.giphy,
  ...registrationParts.tenor,
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
  ...registrationParts.channel_folders,
  ...registrationParts.subscription,
  ...registrationParts.recent_private_conversations,
  ...registrationParts.scheduled_messages,
  ...registrationParts.reminders,
  ...registrationParts.navigation_views,
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
  scope: "events",
  area: "Events",
  summary: "Register an event queue",
  description:
    "Create a queue that collects events from now on, and get the state to apply them to. State and events " +
    "are consistent: nothing is missing and nothing is delivered twice.",
  params: {
    ...queueParams,
    fetch_event_types: json(eventTypes)
      .optional()
      .describe("Which parts of the state to return; defaults to event_types."),
    idle_queue_timeout: jsonOrText(z.union([z.int().min(1), z.literal("mobile")]))
      .optional()
      .describe(
        "For how many seconds an idle queue is kept, at most a week; or mobile, for apps that may be suspended for hours.",
      ),
    presence_history_limit_days: json(z.int()).optional().describe("How far back presence goes, in days."),
  },
  returns: {
    queue_id: z.string().describe("The queue, for GET /events."),
    last_event_id: z.int().describe("The last_event_id for the first GET /events request."),
    idle_queue_timeout_secs: z.int().describe("For how many seconds the queue is kept while nobody reads it."),
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
  scope: "events",
  area: "Events",
  summary: "Get events",
  description:
    "Get the events of a queue, waiting for some if there are none. During quiet periods, a heartbeat event arrives from " +
    "time to time. Without queue_id, a queue is created, with the parameters of registration.",
  params: {
    queue_id: z.string().optional().describe("The queue, from the registration response."),
    last_event_id: json(z.int())
      .optional()
      .describe("The newest event the client has. Later events are returned, and earlier ones may be discarded."),
    dont_block: json(z.boolean()).default(false).describe("Whether to return at once, even without events."),
    ...queueParams,
  },
  returns: {
    events: z.array(queuedEvent).describe("In order. IDs grow, and may skip numbers."),
    queue_id: z.string().describe("The queue."),
  },
});

export const getEventStream = endpoint({
  operation: "get-event-stream",
  method: "GET",
  path: "/events/stream",
  auth: "user",
  scope: "events",
  area: "Events",
  summary: "Stream events",
  description:
    "Get the events of a queue as a stream of server-sent events, which costs no request per delivery. Each event is one " +
    "`data` line with the JSON that GET /events returns, and its `id` is the event's ID. A client that loses its connection " +
    "sends the last `id` it received in the header Last-Event-ID, or as last_event_id, and continues exactly there, at any " +
    "node. Comments and ids without data arrive at once and every 25 seconds or so. The last frame of a stream is either " +
    "`event: error`, with the JSON that GET /events would answer, or `event: end`, after which the client may connect again. " +
    "`event: maintenance` says that the server becomes read-only, or with a `message` of null that it no longer is. A new " +
    "stream or read of the queue ends an older stream.",
  params: {
    queue_id: z.string().describe("The queue, from the registration response."),
    last_event_id: json(z.int())
      .optional()
      .describe("The newest event the client has. The header Last-Event-ID takes precedence."),
  },
  streamsEvents: "server-sent events",
  returns: {},
});

export const getEventSocket = endpoint({
  operation: "get-event-socket",
  method: "GET",
  path: "/events/socket",
  auth: "user",
  scope: "events",
  area: "Events",
  summary: "Open a WebSocket for events",
  description:
    'Get the events of a queue over a WebSocket, in text frames of JSON: `{"type":"events","events":[…]}`, with heartbeats among ' +
    'the events. The last frame is `{"type":"error",…}` with the JSON that GET /events would answer, or `{"type":"end",…}`, after ' +
    'which the client may connect again from its last event, at any node. `{"type":"maintenance","message":…}` says that the server ' +
    "becomes read-only, or with null that it no longer is. The client may send " +
    '`{"type":"ack","last_event_id":…}` and nothing else: the queue may then begin after that event, and readers that give no ' +
    "last_event_id begin there. Browsers can open it only from pages of the server itself. A new stream or read of the queue " +
    "ends an older one.",
  params: {
    queue_id: z.string().describe("The queue, from the registration response."),
    last_event_id: json(z.int()).optional().describe("The newest event the client has."),
  },
  streamsEvents: "WebSocket",
  returns: {},
});

export const deleteQueue = endpoint({
  operation: "delete-queue",
  method: "DELETE",
  path: "/events",
  auth: "user",
  scope: "events",
  area: "Events",
  summary: "Delete an event queue",
  description: "Delete a queue before it expires.",
  params: { queue_id: z.string().describe("The queue.") },
  returns: {},
});

export const endpoints = [register, getEvents, deleteQueue];

/** Operations without a JSON response, which the typed clients cannot call. */
export const streamEndpoints = [getEventStream, getEventSocket];
