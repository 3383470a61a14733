import type { z } from "zod";
import type { channelEvents } from "../channels.ts";
import { change, type RegistrationOptions, type FollowedState } from "./followed-state.ts";
import { dropChannelUnreads } from "./unread.ts";

type ChannelEvent = z.output<(typeof channelEvents)[number]>;
type Update = Extract<ChannelEvent, { op: "update" }>;
type Create = Extract<ChannelEvent, { op: "create" }>;

interface Channel {
  stream_id: number;
}

export const byChannelId = <T extends Channel>(channels: readonly T[]): T[] =>
  channels.toSorted((a, b) => a.stream_id - b.stream_id);

export const exceptChannels = <T extends Channel>(channels: readonly T[], ids: readonly number[]): T[] =>
  channels.filter((channel) => !ids.includes(channel.stream_id));

interface Counted extends Channel {
  subscriber_count: number;
}

/** The same object if the number is the same, so that nobody has to draw it again. */
export const recounted = <T extends Counted>(channel: T, subscriber_count: number): T =>
  subscriber_count === channel.subscriber_count ? channel : { ...channel, subscriber_count };

/** Changes the number of subscribers of some channels in the list of all channels. */
export const recountKnown = (state: FollowedState, next: (channel: Counted) => number): FollowedState =>
  change(state, "streams", (channels) => channels.map((channel) => recounted(channel, next(channel))));

/** Applies a change to every list that a channel can be in. */
export function changeEveryList(
  state: FollowedState,
  next: <T extends Counted & { subscribers?: number[] | undefined }>(channel: T) => T,
): FollowedState {
  const subscribed = change(state, "subscriptions", (channels) => channels.map(next));
  const left = change(subscribed, "unsubscribed", (channels) => channels.map(next));
  return change(left, "never_subscribed", (channels) => channels.map(next));
}

export function applyChannelEvent(
  state: FollowedState,
  event: ChannelEvent,
  options: RegistrationOptions,
): FollowedState {
  switch (event.op) {
    case "create":
      return create(state, event, options);
    case "delete":
      return remove(state, event.stream_ids);
    case "update":
      return update(state, event);
  }
}

/** A channel that is already in a list (archived, for clients that see archived channels) keeps its settings. */
function create(state: FollowedState, { streams }: Create, options: RegistrationOptions): FollowedState {
  const ids = streams.map((channel) => channel.stream_id);
  const known = change(state, "streams", (channels) => byChannelId([...exceptChannels(channels, ids), ...streams]));
  const lists = [state.subscriptions, state.unsubscribed, state.never_subscribed];
  const familiar = new Set(lists.flatMap((channels) => (channels ?? []).map((channel) => channel.stream_id)));
  const added = streams
    .filter((channel) => !familiar.has(channel.stream_id))
    .map((channel) => (options.include_subscribers ? { ...channel, subscribers: [] } : channel));
  return change(known, "never_subscribed", (channels) => byChannelId([...channels, ...added]));
}

/** Deleted means inaccessible, or archived, for clients that do not see archived channels. */
function remove(state: FollowedState, ids: number[]): FollowedState {
  const unknown = change(state, "streams", (channels) => exceptChannels(channels, ids));
  const left = change(unknown, "unsubscribed", (channels) => exceptChannels(channels, ids));
  const others = change(left, "never_subscribed", (channels) => exceptChannels(channels, ids));
  const gone = change(others, "subscriptions", (channels) => exceptChannels(channels, ids));
  return dropChannelUnreads(gone, ids);
}

function update(state: FollowedState, event: Update): FollowedState {
  const fields: Record<string, unknown> = { [event.property]: event.value };
  for (const name of ["rendered_description", "history_public_to_subscribers", "is_web_public"] as const) {
    if (event[name] !== undefined) fields[name] = event[name];
  }
  const next = <T extends Channel>(channel: T): T =>
    channel.stream_id === event.stream_id ? { ...channel, ...fields } : channel;
  // Archiving a channel marks its messages as read.
  const isArchived = event.property === "is_archived" && event.value === true;
  const before = isArchived ? dropChannelUnreads(state, [event.stream_id]) : state;
  const known = change(before, "streams", (channels) => channels.map(next));
  return changeEveryList(known, next);
}
