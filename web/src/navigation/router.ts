/**
 * The address decides what is on screen. Each history entry has its own key, under which a view can store what it needs to
 * look the same on return.
 */
import { computed, signal } from "@preact/signals";
import { findChannel, findChannelByName } from "../store/channels.ts";
import type { Conversation } from "../store/conversations.ts";
import { findPerson } from "../store/people.ts";
import { ownId, part } from "../store/state.ts";
import { readStored, removeStored, store } from "../store/storage.ts";
import { formatPanel, parsePanel, withoutPanel, type Panel } from "./panel.ts";
import { formatPlace, parsePlace, type Names, type Place } from "./place.ts";

const names: Names = {
  get ownId() {
    return ownId.value;
  },
  channelName: (id) => findChannel(id)?.name,
  channelId: (name) => findChannelByName(name)?.stream_id,
  personName: (id) => findPerson(id).full_name,
};

const fragment = signal(location.hash);
export const entryKey = signal(keyOfEntry());

/** The current place. */
export const place = computed((): Place => {
  const address = withoutPanel(fragment.value);
  if (address === "" || address === "#") return homePlace();
  return parsePlace(address, names);
});

/** The content of the right panel; undefined while it is closed. */
export const panel = computed(() => parsePanel(fragment.value));
/** Whether the panel showed something else before. */
export const hasPanelBefore = signal(false);

function homePlace(): Place {
  const home = part("user_settings").value?.web_home_view;
  if (home?.startsWith("recent")) return { kind: "inbox", tab: "recent" };
  return home === "all_messages" ? { kind: "messages", narrow: [] } : { kind: "inbox", tab: "unread" };
}

export function openPanel(next: Panel): void {
  const hadPanel = panel.peek() !== undefined;
  const base = withoutPanel(location.hash) || addressOf(place.peek());
  const address = base + formatPanel(next);
  if (address === location.hash) return;
  history.pushState({ key: newKey(), hadPanel }, "", address);
  read();
}

export const closePanel = (): void => go(withoutPanel(location.hash) || addressOf(place.peek()));

export const addressOf = (to: Place): string => formatPlace(to, names);

/** The place at an address, with or without the #. */
export const placeAt = (address: string): Place => parsePlace(address, names);

/** The address of a place as a whole, whichever of its messages is shown. */
export const wholeAddress = (to: Place): string =>
  addressOf(Object.assign({}, to, { near: undefined, with: undefined }));

/** The address of a conversation; with one of its messages, the link survives renaming the topic. */
export const conversationAddress = (conversation: Conversation, withId?: number): string =>
  addressOf({
    kind: "conversation",
    conversation,
    ...(withId === undefined || conversation.kind === "direct" ? {} : { with: withId }),
  });

/** Where a click on a channel goes. */
export function channelAddress(channelId: number): string {
  const view = part("user_settings").value?.web_channel_default_view ?? 1;
  return addressOf({ kind: "channel", channelId, tab: view === 2 ? "feed" : "topics" });
}

export function go(to: Place | string): void {
  const address = typeof to === "string" ? to : addressOf(to);
  if (address === location.hash) return;
  history.pushState({ key: newKey() }, "", address);
  read();
}

/** Replaces the address with the canonical one, so that Back does not return to the old one. */
export function correct(to: Place): void {
  const shown = panel.peek();
  history.replaceState(history.state, "", addressOf(to) + (shown ? formatPanel(shown) : ""));
  read();
}

export function goBack(): void {
  if (history.length > 1) history.back();
  else go({ kind: "inbox", tab: "unread" });
}

export function startRouter(): void {
  addEventListener("hashchange", read);
  addEventListener("popstate", read);
  addEventListener("pagehide", keepForReload);
}

function read(): void {
  entryKey.value = keyOfEntry();
  hasPanelBefore.value = (history.state as { hadPanel?: boolean } | null)?.hadPanel ?? false;
  fragment.value = location.hash;
}

function newKey(): string {
  return Math.random().toString(36).slice(2, 10);
}

/** A link creates its history entry without a key; it gets one when it is first seen. */
function keyOfEntry(): string {
  const known = (history.state as { key?: string } | null)?.key;
  if (known !== undefined) return known;
  const key = newKey();
  history.replaceState({ key }, "");
  return key;
}

const keptKey = "skein-kept";
const kept = new Map<string, unknown>(keptBeforeReload());

/** A reload returns to the same history entry, and the page looks the same. */
function keptBeforeReload(): [string, unknown][] {
  const before = readStored("session", keptKey);
  removeStored("session", keptKey);
  return Array.isArray(before) ? before.filter(isEntry) : [];
}

function isEntry(value: unknown): value is [string, unknown] {
  return Array.isArray(value) && typeof value[0] === "string";
}

function keepForReload(): void {
  const here = [...kept].filter(([key, value]) => key.startsWith(`${entryKey.peek()} `) && value !== undefined);
  if (here.length > 0) store("session", keptKey, here);
}

/** What a view stored under a history entry. */
export const recall = (view: string): unknown => kept.get(`${entryKey.peek()} ${view}`);

/** Any JSON value. */
export function remember(view: string, value: unknown): void {
  kept.set(`${entryKey.peek()} ${view}`, value);
}
