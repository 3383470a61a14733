/** The topics of channels, fetched on first use and kept current by events. */
import { signal, type Signal } from "@preact/signals";
import type { Event } from "@skein/api/events.ts";
import { getTopics } from "@skein/api/routes/topics.ts";
import { call } from "../api/call.ts";
import { onEvent } from "./events.ts";

export interface Topic {
  readonly name: string;
  /** The id of the newest message. */
  readonly max_id: number;
}

export interface TopicList {
  readonly topics: Signal<readonly Topic[] | undefined>;
  readonly failure: Signal<unknown>;
}

const lists = new Map<number, TopicList>();
/** Incremented with each list that is added. */
const listsAdded = signal(0);
const inFlight = new Map<number, Promise<readonly Topic[]>>();

/** Newest first; undefined until they are known. Fetches them if nobody has. */
export function topicList(channelId: number): TopicList {
  let list = lists.get(channelId);
  if (list === undefined) {
    list = { topics: signal(undefined), failure: signal(undefined) };
    lists.set(channelId, list);
    listsAdded.value++;
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
  const asked = inFlight.get(channelId) ?? fetchTopics(channelId).finally(() => inFlight.delete(channelId));
  inFlight.set(channelId, asked);
  return asked;
}

async function fetchTopics(channelId: number): Promise<readonly Topic[]> {
  const { topics } = await call(getTopics, { stream_id: channelId, allow_empty_topic_name: true });
  topicList(channelId).topics.value = topics;
  return topics;
}

export const hasTopics = (channelId: number): boolean => lists.get(channelId)?.topics.peek() !== undefined;

/** All lists known so far; a reader is notified of new ones. */
export function knownTopics(): { channelId: number; topics: readonly Topic[] }[] {
  void listsAdded.value;
  return [...lists].flatMap(([channelId, { topics }]) => (topics.value ? [{ channelId, topics: topics.value }] : []));
}

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

/** Only the server knows the topics now; lists on screen are fetched at once. */
function forget(channelId: number | undefined): void {
  const list = channelId === undefined ? undefined : lists.get(channelId);
  if (channelId === undefined || !list?.topics.peek()) return;
  fetchTopics(channelId).catch(() => lists.delete(channelId));
}

/** Called after the queue was replaced. */
export function invalidateTopics(): void {
  for (const channelId of lists.keys()) forget(channelId);
}
