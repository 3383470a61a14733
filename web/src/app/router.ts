/**
 * The address decides what is on screen. Each entry of the history has a key of its own, under which a view may leave
 * what it needs to look the same when one comes back.
 */
import { computed, signal } from "@preact/signals";
import { findChannel, findChannelByName } from "../store/channels.ts";
import type { Conversation } from "../store/conversations.ts";
import { findPerson } from "../store/people.ts";
import { ownId, part } from "../store/state.ts";
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

/** Where one is. */
export const place = computed((): Place => {
  const address = withoutPanel(fragment.value);
  if (address === "" || address === "#") return homePlace();
  return parsePlace(address, names);
});

/** What the right panel shows; undefined while it is closed. */
export const panel = computed(() => parsePanel(fragment.value));
/** Whether the panel showed something else before. */
export const hasPanelBefore = signal(false);

function homePlace(): Place {
  const home = part("user_settings").value?.web_home_view;
  if (home === "recent_topics") return { kind: "inbox", tab: "recent" };
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

/** The address of a conversation; with a message of it the link follows a new name. */
export const conversationAddress = (conversation: Conversation, withId?: number): string =>
  addressOf({
    kind: "conversation",
    conversation,
    ...(withId === undefined || conversation.kind === "direct" ? {} : { with: withId }),
  });

/** Where a click on a channel leads. */
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

/** The same place under its proper address: Back does not lead to the old one. */
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

/** A link gives its entry no key; it gets one when it is first seen. */
function keyOfEntry(): string {
  const known = (history.state as { key?: string } | null)?.key;
  if (known !== undefined) return known;
  const key = newKey();
  history.replaceState({ key }, "");
  return key;
}

const keptKey = "skein-kept";
const kept = new Map<string, unknown>(keptBeforeReload());

/** A reload comes back to the same entry of the history, and looks the same. */
function keptBeforeReload(): [string, unknown][] {
  const text = sessionStorage.getItem(keptKey);
  sessionStorage.removeItem(keptKey);
  return text === null ? [] : (JSON.parse(text) as [string, unknown][]); // written below
}

function keepForReload(): void {
  const here = [...kept].filter(([key, value]) => key.startsWith(`${entryKey.peek()} `) && value !== undefined);
  if (here.length > 0) sessionStorage.setItem(keptKey, JSON.stringify(here));
}

/** What a view left under an entry of the history. */
export const recall = (view: string): unknown => kept.get(`${entryKey.peek()} ${view}`);

/** Of what JSON can hold. */
export function remember(view: string, value: unknown): void {
  kept.set(`${entryKey.peek()} ${view}`, value);
}
