/** The subscribers of a channel: fetched on first use and kept current by events. */
import { signal, type Signal } from "@preact/signals";
import type { Event } from "@skein/api/events.ts";
import { getSubscribers } from "@skein/api/routes/channels.ts";
import { subscribe, unsubscribe } from "@skein/api/routes/subscriptions.ts";
import { call } from "../api/call.ts";
import { findChannel } from "./channels.ts";
import { onEvent } from "./events.ts";
import { reasonOf } from "./reasons.ts";
import { ownId } from "./state.ts";
import { toast } from "./toasts.ts";

export interface SubscriberList {
  readonly ids: Signal<ReadonlySet<number> | undefined>;
  readonly failure: Signal<unknown>;
}

type Step = (ids: ReadonlySet<number>) => ReadonlySet<number>;

interface Followed extends SubscriberList {
  /** Changes since the request that is in flight: its response may be older than they are. */
  since: Step[] | undefined;
}

const lists = new Map<number, Followed>();
let stop: (() => void) | undefined;

/** The ids are undefined until they are known. */
export function subscribersOf(channelId: number): SubscriberList {
  stop ??= onEvent(follow);
  let list = lists.get(channelId);
  if (list === undefined) {
    list = { ids: signal(undefined), failure: signal(undefined), since: undefined };
    lists.set(channelId, list);
    load(channelId, list);
  }
  return list;
}

export function loadSubscribers(channelId: number): void {
  const list = lists.get(channelId);
  if (list) load(channelId, list);
  else subscribersOf(channelId);
}

function load(channelId: number, list: Followed): void {
  const since: Step[] = [];
  list.since = since;
  list.failure.value = undefined;
  call(getSubscribers, { stream_id: channelId })
    .then(({ subscribers }) => {
      // A later request has its own changes.
      if (list.since !== since) return;
      list.since = undefined;
      list.ids.value = since.reduce<ReadonlySet<number>>((ids, step) => step(ids), new Set(subscribers));
    })
    .catch((error: unknown) => {
      if (list.since !== since) return;
      list.since = undefined;
      list.failure.value = error;
    });
}

function follow(event: Event): void {
  if (event.type === "stream" && event.op === "create") {
    // After access was lost and regained, events are missing.
    for (const { stream_id } of event.streams) if (lists.has(stream_id)) loadSubscribers(stream_id);
    return;
  }
  if (event.type !== "subscription") return;
  switch (event.op) {
    case "peer_add":
    case "peer_remove":
      for (const channelId of event.stream_ids) change(channelId, event.op === "peer_add", event.user_ids);
      return;
    // The reader's own changes are no peer events.
    case "add":
    case "remove":
      for (const { stream_id } of event.subscriptions) change(stream_id, event.op === "add", [ownId.peek()]);
      return;
    case "update":
  }
}

function change(channelId: number, isAdded: boolean, userIds: readonly number[]): void {
  const list = lists.get(channelId);
  if (!list) return;
  const changed = new Set(userIds);
  const step: Step = (ids) => (isAdded ? ids.union(changed) : ids.difference(changed));
  list.since?.push(step);
  const known = list.ids.peek();
  if (known) list.ids.value = step(known);
}

/** Called after the queue was replaced. */
export function invalidateSubscribers(): void {
  for (const channelId of lists.keys()) loadSubscribers(channelId);
}

export async function addToChannel(channelId: number, userIds: readonly number[]): Promise<void> {
  try {
    await addSubscribers(channelId, userIds);
  } catch (error) {
    toast(reasonOf(error), { kind: "danger" });
  }
}

/** Resolves to those who were not subscribed before. */
export async function addSubscribers(channelId: number, userIds: readonly number[]): Promise<number[]> {
  const name = findChannel(channelId)?.name;
  if (name === undefined) return [];
  const { subscribed } = await call(subscribe, { subscriptions: [{ name }], principals: [...userIds] });
  return Object.keys(subscribed).map(Number);
}

export async function removeSubscribers(channelId: number, userIds: readonly number[]): Promise<void> {
  const name = findChannel(channelId)?.name;
  if (name !== undefined) await call(unsubscribe, { subscriptions: [name], principals: [...userIds] });
}
