import { z } from "zod";
import { channelFields, maxChannelDescriptionLength, maxPrincipals, newChannelParams } from "./channels.ts";
import { endpoint, json, jsonOrText, list, textUpTo } from "./endpoint.ts";

const subscribers = z
  .array(z.int())
  .optional()
  .describe("IDs of the active subscribers, ascending; only with include_subscribers.");

const partialSubscribers = z
  .array(z.int())
  .optional()
  .describe(
    "Instead of subscribers, in a large channel with include_subscribers=partial: bots and people who were active lately.",
  );

/** Old clients know only whether. */
export const includeSubscribers = jsonOrText(z.literal([true, false, "partial"]));

const override = (setting: string) =>
  z.boolean().nullable().describe(`Null: as the user's ${setting} says for all channels.`);

/** A channel together with one subscriber's personal settings for it. */
export const subscriptionObject = z
  .strictObject({
    ...channelFields,
    subscribers,
    partial_subscribers: partialSubscribers,
    desktop_notifications: override("enable_stream_desktop_notifications"),
    audible_notifications: override("enable_stream_audible_notifications"),
    push_notifications: override("enable_stream_push_notifications"),
    email_notifications: override("enable_stream_email_notifications"),
    wildcard_mentions_notify: override("wildcard_mentions_notify"),
    pin_to_top: z.boolean(),
    is_muted: z.boolean(),
    in_home_view: z.boolean().describe("Deprecated: the opposite of is_muted."),
    color: z.string().describe("Of the form #76ce90."),
  })
  .meta({ id: "Subscription" });
export type SubscriptionObject = z.output<typeof subscriptionObject>;

/** A channel the user has never been subscribed to. */
export const unfamiliarChannel = z
  .strictObject({ ...channelFields, subscribers, partial_subscribers: partialSubscribers })
  .meta({ id: "UnfamiliarChannel" });
export type UnfamiliarChannel = z.output<typeof unfamiliarChannel>;

const principals = json(z.union([list(z.int(), maxPrincipals), list(z.string(), maxPrincipals)]), maxPrincipals + 1)
  .optional()
  .describe("The users, by ID or e-mail address; the caller when omitted.");

const removed = {
  removed: z.array(z.string()).describe("Channels from which somebody was unsubscribed."),
  not_removed: z.array(z.string()).describe("Channels from which nobody had to be unsubscribed."),
};

/** Limited, because changing subscribers locks the channels, and a transaction can only hold so many locks. */
export const maxChannelsAtOnce = 1000;
const channelNames = list(z.string(), maxChannelsAtOnce);

const channelNamesByUser = z.record(z.string(), z.array(z.string()));

const added = {
  subscribed: channelNamesByUser.describe("By user ID: the channels that user is newly subscribed to."),
  already_subscribed: channelNamesByUser.describe("By user ID: the channels that user already was in."),
};

/** If more people are subscribed at once, nobody is notified. */
export const maxNewSubscriptionMessages = 100;

const noticesSent = {
  new_subscription_messages_sent: z
    .boolean()
    .optional()
    .describe(
      "Whether people were to be notified, and were not too many: see max_bulk_new_subscription_messages. Absent if " +
        "send_new_subscription_messages is false.",
    ),
};

const namedChannel = {
  name: z.string().describe("The channel's name."),
  description: textUpTo(maxChannelDescriptionLength)
    .optional()
    .describe("For a new channel: its description, in Markdown."),
};

export const subscribe = endpoint({
  operation: "subscribe",
  method: "POST",
  path: "/users/me/subscriptions",
  auth: "user",
  scope: "channels:manage",
  area: "Channels",
  summary: "Subscribe to channels",
  description:
    "Subscribe the caller or others to channels. Channels that do not exist yet are created; parameters for a new " +
    "channel have no effect on existing ones.",
  params: {
    subscriptions: json(list(z.object(namedChannel), maxChannelsAtOnce)).describe("The channels, by name."),
    principals,
    authorization_errors_fatal: json(z.boolean())
      .default(true)
      .describe("Whether one channel that may not be joined fails the whole request."),
    send_new_subscription_messages: json(z.boolean())
      .default(true)
      .describe("Whether the notification bot tells people whom somebody else has subscribed to existing channels."),
    announce: json(z.boolean()).default(false).describe("Whether the notification bot announces new channels."),
    ...newChannelParams,
  },
  returns: {
    ...added,
    ...noticesSent,
    unauthorized: z
      .array(z.string())
      .optional()
      .describe("Channels that could not be joined; only when authorization_errors_fatal is false."),
  },
});

export const getSubscriptions = endpoint({
  operation: "get-subscriptions",
  method: "GET",
  path: "/users/me/subscriptions",
  auth: "user",
  scope: "channels:read",
  area: "Channels",
  summary: "Get own subscriptions",
  description: "The channels the caller is subscribed to.",
  params: {
    include_subscribers: includeSubscribers
      .default(false)
      .describe(
        "Whether to list each channel's subscribers: true, false, or partial for some of those of large channels.",
      ),
  },
  returns: { subscriptions: z.array(subscriptionObject) },
});

export const unsubscribe = endpoint({
  operation: "unsubscribe",
  method: "DELETE",
  path: "/users/me/subscriptions",
  auth: "user",
  scope: "channels:manage",
  area: "Channels",
  summary: "Unsubscribe from channels",
  description: "Unsubscribe the caller or others from channels.",
  params: {
    subscriptions: json(channelNames).describe("The channels, by name."),
    principals,
  },
  returns: removed,
});

const color = z.string().regex(/^#[0-9a-fA-F]{3,6}$/);
const colorableChannel = z.object({ ...namedChannel, color: color.optional().describe("Of the form #76ce90.") });

export const updateSubscriptions = endpoint({
  operation: "update-subscriptions",
  method: "PATCH",
  path: "/users/me/subscriptions",
  auth: "user",
  scope: "channels:manage",
  area: "Channels",
  summary: "Subscribe to some channels and unsubscribe from others",
  description: "Do both in one step: either everything succeeds or nothing changes.",
  params: {
    add: json(list(colorableChannel, maxChannelsAtOnce))
      .default([])
      .describe("Channels to subscribe to; those that do not exist yet are created."),
    delete: json(channelNames).default([]).describe("Channels to unsubscribe from, by name."),
  },
  returns: { ...added, ...noticesSent, ...removed },
});

export const subscriptionProperties = [
  "color",
  "is_muted",
  "in_home_view",
  "pin_to_top",
  "desktop_notifications",
  "audible_notifications",
  "push_notifications",
  "email_notifications",
  "wildcard_mentions_notify",
] as const;
export type SubscriptionProperty = (typeof subscriptionProperties)[number];

const property = z
  .string()
  .describe(`What to change: ${subscriptionProperties.join(", ")}. in_home_view is the opposite of is_muted.`);
const propertyValue = z
  .union([z.boolean(), z.string(), z.null()])
  .describe("The new value: a color of the form #76ce90, else a boolean; null for a notification goes by the default.");

export const updateSubscriptionSettings = endpoint({
  operation: "update-subscription-settings",
  method: "POST",
  path: "/users/me/subscriptions/properties",
  auth: "user",
  scope: "channels:manage",
  area: "Channels",
  summary: "Change settings of subscriptions",
  description: "Change the caller's personal settings for channels: color, muting, pinning and notifications.",
  params: {
    subscription_data: json(
      list(z.object({ stream_id: z.int().describe("The channel's ID."), property, value: propertyValue })),
    ).describe("The changes, in order."),
  },
  returns: {},
});

export const updateSubscriptionSetting = endpoint({
  operation: "update-subscription-setting",
  method: "PATCH",
  path: "/users/me/subscriptions/{stream_id}",
  auth: "user",
  scope: "channels:manage",
  area: "Channels",
  summary: "Change a setting of a subscription",
  description: "The same for one setting of one channel.",
  params: {
    stream_id: json(z.int()).describe("The channel's ID."),
    property,
    value: jsonOrText(propertyValue).describe("The new value; a color as text."),
  },
  returns: {},
});

export const getSubscriptionStatus = endpoint({
  operation: "get-subscription-status",
  method: "GET",
  path: "/users/{user_id}/subscriptions/{stream_id}",
  auth: "user",
  scope: "channels:read",
  area: "Channels",
  summary: "Get subscription status",
  description: "Whether a user is subscribed to a channel.",
  params: {
    user_id: json(z.int()).describe("The user's ID."),
    stream_id: json(z.int()).describe("The channel's ID."),
  },
  returns: { is_subscribed: z.boolean().describe("Whether the user is subscribed.") },
});

export const getUserChannels = endpoint({
  operation: "get-user-channels",
  method: "GET",
  path: "/users/{user_id}/channels",
  auth: "user",
  scope: "channels:read",
  area: "Channels",
  summary: "Get a user's channels",
  description: "The channels that a user is subscribed to, as far as the caller may know of them.",
  params: { user_id: json(z.int()).describe("The user's ID.") },
  returns: { subscribed_channel_ids: z.array(z.int()).describe("Ascending; archived channels included.") },
});

/** The fields of the registration response under `subscription`. */
export const subscriptionState = {
  subscriptions: z.array(subscriptionObject).describe("Channels the caller is subscribed to, by ID."),
  unsubscribed: z.array(subscriptionObject).describe("Channels the caller once was subscribed to, by ID."),
  never_subscribed: z.array(unfamiliarChannel).describe("Other channels the caller may know of, by ID."),
};

export const subscriptionAddEvent = z.strictObject({
  type: z.literal("subscription"),
  op: z.literal("add"),
  subscriptions: z.array(subscriptionObject),
});

export const subscriptionRemoveEvent = z.strictObject({
  type: z.literal("subscription"),
  op: z.literal("remove"),
  subscriptions: z.array(z.strictObject({ stream_id: z.int(), name: z.string() })),
});

export const subscriptionUpdateEvent = z.strictObject({
  type: z.literal("subscription"),
  op: z.literal("update"),
  stream_id: z.int(),
  property: z.string(),
  value: z.union([z.int(), z.boolean(), z.string(), z.null()]),
});

export const peerEvent = z.strictObject({
  type: z.literal("subscription"),
  op: z.enum(["peer_add", "peer_remove"]),
  stream_ids: z.array(z.int()),
  user_ids: z.array(z.int()),
});

export const subscriptionEvents = [
  subscriptionAddEvent,
  subscriptionRemoveEvent,
  subscriptionUpdateEvent,
  peerEvent,
] as const;

export const endpoints = [
  subscribe,
  getSubscriptions,
  unsubscribe,
  updateSubscriptions,
  updateSubscriptionSettings,
  updateSubscriptionSetting,
  getSubscriptionStatus,
  getUserChannels,
];
