/** Subscribed channels: pinned, active, then inactive. The open channel shows some of its topics. */
import { openDialog } from "../navigation/dialogs.ts";
import { addressOf, channelAddress, place } from "../navigation/router.ts";
import { subscribedChannels, type Channel } from "../store/channels.ts";
import { part } from "../store/state.ts";
import { unreadByChannel } from "../store/unread.ts";
import { t } from "../text/t.ts";
import { IconButton } from "../ui/button.tsx";
import { Section } from "./section.tsx";
import { SidebarRow } from "./sidebar-row.tsx";
import { TopicRows } from "./topic-rows.tsx";

export function ChannelSection({ filter }: { filter: string }) {
  const { pinned, active, inactive } = subscribedChannels.value;
  const wanted = filter.trim().toLowerCase();
  const matching = (channels: Channel[]): Channel[] =>
    wanted === "" ? channels : channels.filter(({ name }) => name.toLowerCase().includes(wanted));
  const rows = (channels: Channel[]) =>
    matching(channels).map((channel) => (
      <ChannelRow key={channel.stream_id} channel={channel} isMatch={wanted !== ""} />
    ));
  const mayCreate = part("can_create_streams").value ?? false;
  return (
    <>
      {matching(pinned).length > 0 && <Section title={t("sidebar.pinned")}>{rows(pinned)}</Section>}
      <Section
        title={t("sidebar.channels")}
        actions={
          mayCreate && (
            <IconButton
              icon="plus"
              size={16}
              label={t("channel.create")}
              onClick={() => openDialog("create-channel")}
            />
          )
        }
      >
        {rows(active)}
        <SidebarRow icon="ellipsis" label={t("channel.browse")} address={addressOf({ kind: "channels" })} />
      </Section>
      {matching(inactive).length > 0 && <Section title={t("sidebar.inactive")}>{rows(inactive)}</Section>}
    </>
  );
}

function ChannelRow({ channel, isMatch }: { channel: Channel; isMatch: boolean }) {
  const { value: at } = place;
  const isHere = at.kind === "channel" && at.channelId === channel.stream_id;
  const isWithin =
    at.kind === "conversation" && at.conversation.kind === "topic" && at.conversation.channelId === channel.stream_id;
  const unread = unreadByChannel.value.get(channel.stream_id);
  const isMuted = channel.is_muted === true || (unread?.count ?? 0) === 0;
  const policy = part("user_settings").value?.web_stream_unreads_count_display_policy ?? 2;
  const count = (unread?.count ?? 0) + (isMuted ? (unread?.mutedCount ?? 0) : 0);
  return (
    <>
      <SidebarRow
        icon={channel.invite_only ? "lock" : channel.is_web_public ? "globe" : "hash"}
        color={channel.color}
        label={channel.name}
        address={channelAddress(channel.stream_id)}
        isCurrent={isHere}
        count={count}
        isMuted={policy === 3 || (policy === 2 && isMuted) || channel.is_muted === true}
        isLoud={unread?.isMention ?? false}
        isMatch={isMatch}
      />
      {(isHere || isWithin) && <TopicRows channelId={channel.stream_id} />}
    </>
  );
}
