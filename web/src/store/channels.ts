/** Channels the reader knows about, subscribed or not. */
import { computed } from "@preact/signals";
import type { SubscriptionObject, UnfamiliarChannel } from "@skein/api/subscriptions.ts";
import { byFolder, sidebarFolders } from "./folders.ts";
import { part } from "./state.ts";

/** A channel's own notification settings; null where the general ones apply. */
export type ChannelNotification = Extract<
  keyof SubscriptionObject,
  | "desktop_notifications"
  | "audible_notifications"
  | "push_notifications"
  | "email_notifications"
  | "wildcard_mentions_notify"
>;

export type Channel = UnfamiliarChannel &
  Partial<Pick<SubscriptionObject, "color" | "is_muted" | "pin_to_top" | ChannelNotification>> & {
    isSubscribed: boolean;
  };

export const channelsById = computed((): ReadonlyMap<number, Channel> => {
  const channels = new Map<number, Channel>();
  for (const channel of part("never_subscribed").value ?? []) channels.set(channel.stream_id, outside(channel));
  // Personal settings of a channel are kept in case the reader resubscribes.
  for (const channel of part("unsubscribed").value ?? []) channels.set(channel.stream_id, outside(channel));
  for (const channel of part("subscriptions").value ?? [])
    channels.set(channel.stream_id, { ...channel, isSubscribed: true });
  return channels;
});

const outside = (channel: UnfamiliarChannel | SubscriptionObject): Channel => ({ ...channel, isSubscribed: false });

const channelsByName = computed(
  () => new Map([...channelsById.value.values()].map((channel) => [channel.name.toLowerCase(), channel])),
);

export const findChannel = (id: number): Channel | undefined => channelsById.value.get(id);

export const findChannelByName = (name: string): Channel | undefined => channelsByName.value.get(name.toLowerCase());

const collator = new Intl.Collator(undefined, { sensitivity: "base", numeric: true });
export const byName = (a: Channel, b: Channel): number => collator.compare(a.name, b.name);

const inactiveShownApart = 30;

export interface SubscribedChannels {
  pinned: Channel[];
  /** Folder by folder. */
  active: Channel[];
  inactive: Channel[];
}

/** In sidebar order: by name, with muted channels last in each section. */
export const subscribedChannels = computed((): SubscribedChannels => {
  const all = [...channelsById.value.values()].filter((channel) => channel.isSubscribed && !channel.is_archived);
  const policy = part("user_settings").value?.demote_inactive_streams ?? 1;
  const setsApart = policy === 2 || (policy === 1 && all.length >= inactiveShownApart);
  const ordered = all.toSorted((a, b) => Number(a.is_muted) - Number(b.is_muted) || byName(a, b));
  const isQuiet = (channel: Channel) => setsApart && !channel.is_recently_active;
  return {
    pinned: ordered.filter((channel) => channel.pin_to_top),
    active: ordered
      .filter((channel) => !channel.pin_to_top && !isQuiet(channel))
      .toSorted((a, b) => byFolder(sidebarFolders.value, a, b)),
    inactive: ordered.filter((channel) => !channel.pin_to_top && isQuiet(channel)),
  };
});

export const emptyTopicName = computed(() => part("realm_empty_topic_display_name").value ?? "");
