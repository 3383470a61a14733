/** The actions in a channel's header. */
import "../text/chunks/channel.ts";
import { updateSubscriptionSettings } from "@skein/api/routes/subscriptions.ts";
import { call } from "../api/call.ts";
import { closePanel, go, openPanel, panel } from "../navigation/router.ts";
import { mayJoin } from "../store/channel-permissions.ts";
import type { Channel } from "../store/channels.ts";
import { join, leave, toastFailure } from "../store/membership.ts";
import { markAllRead } from "../store/reading.ts";
import { unreadConversations } from "../store/unread.ts";
import { t } from "../text/t.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { MenuButton, type MenuEntry } from "../ui/menu.tsx";

const set = ({ stream_id }: Channel, property: string, value: boolean): void =>
  toastFailure(call(updateSubscriptionSettings, { subscription_data: [{ stream_id, property, value }] }));

export const ChannelActions = ({ channel }: { channel: Channel }) => (
  <>
    <IconButton
      icon="users"
      label={t("channel.people")}
      keys="w"
      pressed={panel.value?.kind === "details"}
      onClick={() => (panel.peek()?.kind === "details" ? closePanel() : openPanel({ kind: "details", tab: "people" }))}
    />
    <IconButton icon="settings" label={t("channel.settings")} onClick={() => openSettings(channel)} />
    <ChannelMenu channel={channel} />
  </>
);

/** The actions in a list of channels. */
export const ChannelMenu = ({ channel }: { channel: Channel }) => (
  <>
    {mayJoin(channel) && (
      <Button kind="primary" onClick={() => join(channel)}>
        {t("channel.join")}
      </Button>
    )}
    <MenuButton icon="ellipsis" label={t("channel.more")} entries={() => entriesFor(channel)} />
  </>
);

const openSettings = ({ stream_id }: Channel): void =>
  go({ kind: "channel-settings", channelId: stream_id, section: "" });

function entriesFor(channel: Channel): MenuEntry[] {
  const settings: MenuEntry = {
    label: t("channel.settings"),
    icon: "settings",
    onSelect: () => openSettings(channel),
  };
  if (!channel.isSubscribed) return [settings];
  const unread = unreadConversations
    .peek()
    .filter(({ conversation }) => conversation.kind === "topic" && conversation.channelId === channel.stream_id)
    .flatMap(({ ids }) => ids);
  return [
    {
      label: t("conversation.markRead"),
      icon: "check-check",
      disabled: unread.length === 0,
      onSelect: () => markAllRead(unread),
    },
    {
      label: t(channel.pin_to_top ? "channel.unpin" : "channel.pin"),
      icon: "pin",
      onSelect: () => set(channel, "pin_to_top", !channel.pin_to_top),
    },
    {
      label: t(channel.is_muted ? "channel.unmute" : "channel.mute"),
      icon: channel.is_muted ? "bell" : "bell-off",
      onSelect: () => set(channel, "is_muted", !channel.is_muted),
    },
    "line",
    settings,
    { label: t("channel.leave"), icon: "log-out", onSelect: () => toastFailure(leave(channel)) },
  ];
}
