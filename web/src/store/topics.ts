/** The topics of channels, asked for when they are first wanted and kept up by what arrives. */
import { signal, type Signal } from "@preact/signals";
import type { Event } from "@skein/api/events.ts";
import { getTopics } from "@skein/api/routes.ts";
import { call } from "../api/call.ts";
import { onEvent } from "./events.ts";

export interface Topic {
  readonly name: string;
  /** Of the newest message. */
  readonly max_id: number;
}

export interface TopicList {
  readonly topics: Signal<readonly Topic[] | undefined>;
  readonly failure: Signal<unknown>;
}

const lists = new Map<number, TopicList>();
const underWay = new Map<number, Promise<readonly Topic[]>>();

/** The newest first; undefined while they are not known. Asks for them when nobody has. */
export function topicList(channelId: number): TopicList {
  let list = lists.get(channelId);
  if (list === undefined) {
    list = { topics: signal(undefined), failure: signal(undefined) };
    lists.set(channelId, list);
    loadTopics(channelId);
  }
  return list;
}

export function loadTopics(channelId: number): void {
  const { failure } = topicList(channelId);
  failure.value = undefined;
  topicsOf(channelId).catch((error: unknown) => {
    failure.value = error;
  });
}

export function topicsOf(channelId: number): Promise<readonly Topic[]> {
  const known = lists.get(channelId)?.topics.peek();
  if (known) return Promise.resolve(known);
  const asked = underWay.get(channelId) ?? fetchTopics(channelId).finally(() => underWay.delete(channelId));
  underWay.set(channelId, asked);
  return asked;
}

async function fetchTopics(channelId: number): Promise<readonly Topic[]> {
  const { topics } = await call(getTopics, { stream_id: channelId, allow_empty_topic_name: true });
  topicList(channelId).topics.value = topics;
  return topics;
}

/** All that have been asked for so far. */
export const knownTopics = (): { channelId: number; name: string }[] =>
  [...lists].flatMap(([channelId, { topics }]) => (topics.value ?? []).map(({ name }) => ({ channelId, name })));

export function startTopics(): void {
  onEvent(follow);
}

function follow(event: Event): void {
  if (event.type === "message" && event.message.stream_id !== undefined) {
    const { stream_id, subject, id } = event.message;
    const known = lists.get(stream_id)?.topics;
    const topics = known?.peek();
    if (!known || !topics) return;
    const others = topics.filter(({ name }) => name.toLowerCase() !== subject.toLowerCase());
    known.value = [{ name: subject, max_id: id }, ...others];
  } else if (event.type === "update_message" && event.orig_subject !== undefined) {
    forget(event.stream_id);
    forget(event.new_stream_id);
  } else if (event.type === "delete_message") forget(event.stream_id);
}

/** What they are now only the server knows; those on screen are asked for at once. */
function forget(channelId: number | undefined): void {
  const list = channelId === undefined ? undefined : lists.get(channelId);
  if (channelId === undefined || !list?.topics.peek()) return;
  fetchTopics(channelId).catch(() => lists.delete(channelId));
}

/** After the queue was replaced. */
export function distrustTopics(): void {
  for (const channelId of lists.keys()) forget(channelId);
}
