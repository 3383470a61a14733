import type { z } from "zod";
import type { SubscriptionObject, subscriptionEvents } from "../subscriptions.ts";
import { byChannelId, changeEveryList, exceptChannels, recounted, recountKnown } from "./channels.ts";
import { change, insertSorted, without, type FollowedState } from "./followed-state.ts";
import { dropChannelUnreads, recount } from "./unread.ts";

type SubscriptionEvent = z.output<(typeof subscriptionEvents)[number]>;
type Update = Extract<SubscriptionEvent, { op: "update" }>;
type Peers = Extract<SubscriptionEvent, { op: "peer_add" | "peer_remove" }>;

export function applySubscriptionEvent(state: FollowedState, event: SubscriptionEvent): FollowedState {
  switch (event.op) {
    case "add":
      return subscribed(state, event.subscriptions);
    case "remove":
      return unsubscribed(
        state,
        event.subscriptions.map((channel) => channel.stream_id),
      );
    case "update":
      return updated(state, event);
    case "peer_add":
    case "peer_remove":
      return peersChanged(state, event);
  }
}

function subscribed(state: FollowedState, added: SubscriptionObject[]): FollowedState {
  const ids = added.map((channel) => channel.stream_id);
  const mine = change(state, "subscriptions", (channels) => byChannelId([...exceptChannels(channels, ids), ...added]));
  const left = change(mine, "unsubscribed", (channels) => exceptChannels(channels, ids));
  const known = change(left, "never_subscribed", (channels) => exceptChannels(channels, ids));
  const counts = new Map(added.map((channel) => [channel.stream_id, channel.subscriber_count]));
  return recountKnown(known, ({ stream_id, subscriber_count }) => counts.get(stream_id) ?? subscriber_count);
}

/** Leaving a channel marks its messages as read. */
function unsubscribed(state: FollowedState, ids: number[]): FollowedState {
  const leaving = (state.subscriptions ?? [])
    .filter((channel) => ids.includes(channel.stream_id))
    .map((channel) => ({
      ...channel,
      ...(channel.subscribers ? { subscribers: without(channel.subscribers, [state.user_id]) } : {}),
      subscriber_count: channel.subscriber_count - 1,
    }));
  const mine = change(state, "subscriptions", (channels) => exceptChannels(channels, ids));
  const left = change(mine, "unsubscribed", (channels) => byChannelId([...exceptChannels(channels, ids), ...leaving]));
  const known = recountKnown(left, (channel) => channel.subscriber_count - (ids.includes(channel.stream_id) ? 1 : 0));
  return dropChannelUnreads(known, ids);
}

function updated(state: FollowedState, { stream_id, property, value }: Update): FollowedState {
  const mine = change(state, "subscriptions", (channels) =>
    channels.map((channel) => (channel.stream_id === stream_id ? { ...channel, [property]: value } : channel)),
  );
  return recount(mine);
}

function peersChanged(state: FollowedState, { op, stream_ids, user_ids }: Peers): FollowedState {
  const [next, sign] = op === "peer_add" ? [insertSorted, 1] : [without, -1];
  const countAfter = ({ stream_id, subscriber_count }: { stream_id: number; subscriber_count: number }) =>
    subscriber_count + (stream_ids.includes(stream_id) ? sign * user_ids.length : 0);
  const listed = changeEveryList(state, (channel) =>
    recounted(
      channel.subscribers && stream_ids.includes(channel.stream_id)
        ? { ...channel, subscribers: next(channel.subscribers, user_ids) }
        : channel,
      countAfter(channel),
    ),
  );
  return recountKnown(listed, countAfter);
}
