import type { z } from "zod";
import type { channelEvents } from "../channels.ts";
import type { userTopicEvents } from "../user-topics.ts";
import { change, type FollowedState } from "./followed-state.ts";
import { byPlace } from "./order.ts";
import { recount, topicKey } from "./unread.ts";

type ChannelEvent = z.output<(typeof channelEvents)[number]>;
type UserTopicEvent = z.output<(typeof userTopicEvents)[number]>;

export function applyUserTopicEvent(state: FollowedState, event: UserTopicEvent): FollowedState {
  if (event.type === "muted_topics") return change(state, "muted_topics", () => event.muted_topics);
  const { stream_id, topic_name, last_updated, visibility_policy } = event;
  const key = topicKey(stream_id, topic_name);
  const chosen = change(state, "user_topics", (topics) => {
    const others = topics.filter((one) => topicKey(one.stream_id, one.topic_name) !== key);
    if (visibility_policy === 0) return others;
    return [...others, { stream_id, topic_name, last_updated, visibility_policy }].toSorted(byPlace);
  });
  return recount(chosen);
}

/** Muted topics refer to their channels by name. */
export function renameMutedChannel(state: FollowedState, event: ChannelEvent): FollowedState {
  if (event.op !== "update" || event.property !== "name" || typeof event.value !== "string") return state;
  const { name: before, value: after } = event;
  return change(state, "muted_topics", (topics) =>
    topics.map(([channel, topic, time]) => [channel === before ? after : channel, topic, time]),
  );
}

/** Drops the topic settings of channels that the user can no longer see. */
export const dropUserTopics = (state: FollowedState, channelIds: readonly number[]): FollowedState =>
  change(state, "user_topics", (topics) => topics.filter(({ stream_id }) => !channelIds.includes(stream_id)));
