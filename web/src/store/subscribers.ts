/** The subscribers of a channel: fetched on first use and kept current by events. */
import { signal, type Signal } from "@preact/signals";
import type { Event } from "@skein/api/events.ts";
import { getSubscribers, subscribe } from "@skein/api/routes.ts";
import { call } from "../api/call.ts";
import { findChannel } from "./channels.ts";
import { onEvent } from "./events.ts";
import { reasonOf } from "./reasons.ts";
import { toast } from "./toasts.ts";

export interface SubscriberList {
  readonly ids: Signal<ReadonlySet<number> | undefined>;
  readonly failure: Signal<unknown>;
}

const lists = new Map<number, SubscriberList>();
let stop: (() => void) | undefined;

/** The ids are undefined until they are known. */
export function subscribersOf(channelId: number): SubscriberList {
  stop ??= onEvent(follow);
  let list = lists.get(channelId);
  if (list === undefined) {
    list = { ids: signal(undefined), failure: signal(undefined) };
    lists.set(channelId, list);
    loadSubscribers(channelId);
  }
  return list;
}

export function loadSubscribers(channelId: number): void {
  const { ids, failure } = subscribersOf(channelId);
  failure.value = undefined;
  call(getSubscribers, { stream_id: channelId })
    .then(({ subscribers }) => {
      ids.value = new Set(subscribers);
    })
    .catch((error: unknown) => {
      failure.value = error;
    });
}

function follow(event: Event): void {
  if (event.type !== "subscription" || (event.op !== "peer_add" && event.op !== "peer_remove")) return;
  for (const channelId of event.stream_ids) {
    const ids = lists.get(channelId)?.ids;
    const known = ids?.peek();
    if (!ids || !known) continue;
    const changed = new Set(event.user_ids);
    ids.value = event.op === "peer_add" ? known.union(changed) : known.difference(changed);
  }
}

/** Called after the queue was replaced. */
export function invalidateSubscribers(): void {
  for (const channelId of lists.keys()) loadSubscribers(channelId);
}

export async function addToChannel(channelId: number, userIds: readonly number[]): Promise<void> {
  const name = findChannel(channelId)?.name;
  if (name === undefined) return;
  try {
    await call(subscribe, { subscriptions: [{ name }], principals: [...userIds] });
  } catch (error) {
    toast(reasonOf(error), { kind: "danger" });
  }
}
