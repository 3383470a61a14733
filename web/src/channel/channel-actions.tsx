/** The actions in a channel's header. */
import { subscribe, unsubscribe, updateSubscriptionSettings } from "@skein/api/routes.ts";
import { call } from "../api/call.ts";
import type { Channel } from "../store/channels.ts";
import { reasonOf } from "../store/reasons.ts";
import { markAllRead } from "../store/reading.ts";
import { unreadConversations } from "../store/unread.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { MenuButton, type MenuEntry } from "../ui/menu.tsx";
import { toast } from "../store/toasts.ts";

const toastFailure = (request: Promise<unknown>): void => {
  request.catch((error: unknown) => toast(reasonOf(error), { kind: "danger" }));
};

const join = ({ name }: Channel): void => toastFailure(call(subscribe, { subscriptions: [{ name }] }));

function leave(channel: Channel): void {
  toastFailure(
    call(unsubscribe, { subscriptions: [channel.name] }).then(() =>
      toast(t("channel.left", { name: channel.name }), { undo: () => join(channel) }),
    ),
  );
}

const set = ({ stream_id }: Channel, property: string, value: boolean): void =>
  toastFailure(call(updateSubscriptionSettings, { subscription_data: [{ stream_id, property, value }] }));

export function ChannelActions({ channel }: { channel: Channel }) {
  if (!channel.isSubscribed)
    return (
      <Button kind="primary" onClick={() => join(channel)}>
        {t("channel.join")}
      </Button>
    );
  return <MenuButton icon="ellipsis" label={t("channel.more")} entries={() => entriesFor(channel)} />;
}

function entriesFor(channel: Channel): MenuEntry[] {
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
    { label: t("channel.leave"), icon: "log-out", onSelect: () => leave(channel) },
  ];
}
