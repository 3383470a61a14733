/** The unread messages that a client counts, by conversation. */
import type { MessageDetails, UnreadMessages } from "../flags.ts";
import type { DeliveredMessage } from "../messages.ts";
import type { visibilityPolicies } from "../user-topics.ts";
import { change, insertSorted, without, type FollowedState } from "./followed-state.ts";

/** The conversation of a message: a topic, or a set of other users (empty for notes to oneself). */
export type Place = { channel: number; topic: string } | { others: number[] };

export function placeOfMessage(message: DeliveredMessage, ownId: number): Place {
  if (message.stream_id !== undefined) return { channel: message.stream_id, topic: message.subject };
  const people = typeof message.display_recipient === "string" ? [] : message.display_recipient;
  return {
    others: insertSorted(
      [],
      people.map((person) => person.id).filter((id) => id !== ownId),
    ),
  };
}

export const placeOfDetails = (details: MessageDetails): Place =>
  details.stream_id === undefined
    ? { others: details.user_ids ?? [] }
    : { channel: details.stream_id, topic: details.topic ?? "" };

export const addUnread = (state: FollowedState, id: number, place: Place, mentioned: boolean): FollowedState =>
  recount(
    change(state, "unread_msgs", (unread) => ({
      ...placed(unread, id, place, state.user_id),
      mentions: mentioned ? insertSorted(unread.mentions, [id]) : unread.mentions,
    })),
  );

export const removeUnread = (state: FollowedState, ids: number[]): FollowedState =>
  recount(
    change(state, "unread_msgs", (unread) => ({
      ...unread,
      pms: remaining(unread.pms, ids),
      streams: remaining(unread.streams, ids),
      huddles: remaining(unread.huddles, ids),
      mentions: without(unread.mentions, ids),
    })),
  );

/** The conversation of an unread message; undefined for a message that is not unread. */
export function placeOfUnread(state: FollowedState, id: number): Place | undefined {
  const has = (entry: Entry) => entry.unread_message_ids.includes(id);
  const topic = state.unread_msgs?.streams.find(has);
  if (topic) return { channel: topic.stream_id, topic: topic.topic };
  const one = state.unread_msgs?.pms.find(has);
  if (one) return { others: one.other_user_id === state.user_id ? [] : [one.other_user_id] };
  const several = state.unread_msgs?.huddles.find(has);
  if (!several) return undefined;
  return {
    others: several.user_ids_string
      .split(",")
      .map(Number)
      .filter((party) => party !== state.user_id),
  };
}

/** Moves unread messages. Messages moved to a channel without a subscription are no longer unread. */
export function moveUnread(state: FollowedState, ids: number[], to: { channel: number; topic: string }): FollowedState {
  const moved = new Set(ids);
  const unread = (state.unread_msgs?.streams ?? [])
    .flatMap((topic) => topic.unread_message_ids)
    .filter((id) => moved.has(id));
  if (unread.length === 0) return state;
  const mentions = new Set(state.unread_msgs?.mentions);
  const isOutside = state.subscriptions?.every((own) => own.stream_id !== to.channel) ?? false;
  const left = removeUnread(state, unread);
  if (isOutside) return left;
  return unread.reduce((next, id) => addUnread(next, id, to, mentions.has(id)), left);
}

export const clearUnread = (state: FollowedState): FollowedState =>
  change(state, "unread_msgs", (unread) => ({ ...unread, count: 0, pms: [], streams: [], huddles: [], mentions: [] }));

export function dropChannelUnreads(state: FollowedState, channels: number[]): FollowedState {
  const topics = state.unread_msgs?.streams ?? [];
  const dropped = topics.filter((topic) => channels.includes(topic.stream_id));
  return removeUnread(
    state,
    dropped.flatMap((topic) => topic.unread_message_ids),
  );
}

/** The count excludes muted messages, so it also changes when a channel or a topic is muted or unmuted. */
export const recount = (state: FollowedState): FollowedState =>
  change(state, "unread_msgs", (unread) => {
    const isMuted = mutedTopics(state);
    const counted = [
      ...unread.pms,
      ...unread.huddles,
      ...unread.streams.filter(({ stream_id, topic }) => !isMuted(stream_id, topic)),
    ];
    return { ...unread, count: counted.reduce((sum, entry) => sum + entry.unread_message_ids.length, 0) };
  });

/** Not imported, so that clients that apply events need not load the declarations. */
const mutedPolicy: (typeof visibilityPolicies)["muted"] = 1;

/** Which topics are muted. A topic's setting overrides that of its channel. */
export function mutedTopics(state: FollowedState): (channel: number, topic: string) => boolean {
  const muted = new Set(
    (state.subscriptions ?? []).filter((channel) => channel.is_muted).map((channel) => channel.stream_id),
  );
  const chosen = new Map(
    (state.user_topics ?? []).map((one) => [topicKey(one.stream_id, one.topic_name), one.visibility_policy]),
  );
  return (channel, topic) => {
    const policy = chosen.get(topicKey(channel, topic));
    return policy === undefined ? muted.has(channel) : policy === mutedPolicy;
  };
}

/** Topic names are case-insensitive within a channel. */
export const topicKey = (channel: number, topic: string): string => `${channel} ${topic.toLowerCase()}`;

interface Entry {
  unread_message_ids: number[];
}

/** Removes some messages from the entries, and then the entries that are empty. */
const remaining = <T extends Entry>(entries: T[], ids: number[]): T[] =>
  entries
    .map((entry) => ({ ...entry, unread_message_ids: without(entry.unread_message_ids, ids) }))
    .filter((entry) => entry.unread_message_ids.length > 0);

function withMessage<T extends Entry>(entries: T[], id: number, isIt: (entry: T) => boolean, fresh: T): T[] {
  const entry = entries.find(isIt) ?? fresh;
  const grown = { ...entry, unread_message_ids: insertSorted(entry.unread_message_ids, [id]) };
  return [...entries.filter((other) => other !== entry), grown];
}

function placed(unread: UnreadMessages, id: number, place: Place, ownId: number): UnreadMessages {
  if ("channel" in place) {
    const { channel: stream_id, topic } = place;
    const key = topicKey(stream_id, topic);
    const isIt = (entry: UnreadMessages["streams"][number]) =>
      entry.stream_id === stream_id && topicKey(stream_id, entry.topic) === key;
    // Messages of a topic may spell it differently; the newest one counts.
    const streams = withMessage(unread.streams, id, isIt, { stream_id, topic, unread_message_ids: [] }).map((entry) =>
      isIt(entry) && entry.unread_message_ids.at(-1) === id ? { ...entry, topic } : entry,
    );
    return { ...unread, streams: streams.toSorted((a, b) => a.stream_id - b.stream_id || compare(a.topic, b.topic)) };
  }
  if (place.others.length < 2) {
    const other = place.others[0] ?? ownId;
    const fresh = { other_user_id: other, sender_id: other, unread_message_ids: [] };
    const pms = withMessage(unread.pms, id, (entry) => entry.other_user_id === other, fresh);
    return { ...unread, pms: pms.toSorted((a, b) => a.other_user_id - b.other_user_id) };
  }
  const user_ids_string = insertSorted(place.others, [ownId]).join(",");
  const fresh = { user_ids_string, unread_message_ids: [] };
  const huddles = withMessage(unread.huddles, id, (entry) => entry.user_ids_string === user_ids_string, fresh);
  return { ...unread, huddles: huddles.toSorted((a, b) => compare(a.user_ids_string, b.user_ids_string)) };
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
