/** How visible a topic is to a user: muted, unmuted in a muted channel, or followed. */
import { z } from "zod";
import { deprecated, endpoint, json, textUpTo } from "./endpoint.ts";
import { maxTopicLength } from "./messages.ts";

export const visibilityPolicies = { none: 0, muted: 1, unmuted: 2, followed: 3 } as const;
export type VisibilityPolicy = (typeof visibilityPolicies)[keyof typeof visibilityPolicies];

const area = "Users";
const topic = textUpTo(maxTopicLength).describe("The topic. It need not have any messages.");

export const updateUserTopic = endpoint({
  operation: "update-user-topic",
  method: "POST",
  path: "/user_topics",
  auth: "user",
  scope: "channels:manage",
  area,
  summary: "Update personal preferences for a topic",
  description: "Mute, unmute or follow a topic, or reset it to the visibility of its channel.",
  params: {
    stream_id: json(z.int()).describe("The channel."),
    topic,
    visibility_policy: json(z.literal([0, 1, 2, 3])).describe("0 as the channel, 1 muted, 2 unmuted, 3 followed."),
  },
  returns: {},
});

export const muteTopic = endpoint({
  operation: "mute-topic",
  method: "PATCH",
  path: "/users/me/subscriptions/muted_topics",
  auth: "user",
  scope: "channels:manage",
  area,
  summary: "Topic muting",
  description: "Mute a topic, or reset it to the visibility of its channel. POST /user_topics does this and more.",
  params: {
    stream_id: json(z.int()).optional().describe("The channel."),
    stream: deprecated(z.string().optional()).describe("The channel by its name, instead of by its ID."),
    topic,
    op: z.enum(["add", "remove"]).describe("Whether to mute or to unmute."),
  },
  returns: {},
  deprecated: true,
});

export const userTopic = z
  .strictObject({
    stream_id: z.int(),
    topic_name: z.string(),
    last_updated: z.int().describe("When it was chosen."),
    visibility_policy: z.literal([1, 2, 3]),
  })
  .meta({ id: "UserTopic" });
export type UserTopic = z.output<typeof userTopic>;

const mutedTopics = z
  .array(z.tuple([z.string(), z.string(), z.int()]))
  .describe("Deprecated: channel name, topic and time of each muted topic.");
export type MutedTopics = z.output<typeof mutedTopics>;

export const userTopicState = {
  user_topics: z.array(userTopic).describe("The topics whose visibility the user has set, by channel and name."),
};

/** Omitted for clients that request `user_topic`. */
export const mutedTopicState = { muted_topics: mutedTopics };

export const userTopicEvent = z
  .strictObject({
    type: z.literal("user_topic"),
    stream_id: z.int(),
    topic_name: z.string(),
    last_updated: z.int(),
    visibility_policy: z.literal([0, 1, 2, 3]),
  })
  .describe("The visibility of a topic has changed for the user, by their choice or by a setting.");

export const mutedTopicsEvent = z
  .strictObject({ type: z.literal("muted_topics"), muted_topics: mutedTopics })
  .describe("The muted topics have changed; this is the complete list. Not for clients that request user_topic.");

export const userTopicEvents = [userTopicEvent, mutedTopicsEvent] as const;

export const endpoints = [updateUserTopic, muteTopic];
