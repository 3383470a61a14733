/** Subscribed channels: pinned, active by folder, then inactive. The open channel shows some of its topics. */
import type { ComponentChildren } from "preact";
import { openDialog } from "../navigation/dialogs.ts";
import { addressOf, channelAddress, place } from "../navigation/router.ts";
import { subscribedChannels, type Channel } from "../store/channels.ts";
import { folderOf, sidebarFolders } from "../store/folders.ts";
import { part } from "../store/state.ts";
import { unreadByChannel } from "../store/unread.ts";
import { t } from "../text/t.ts";
import { IconButton } from "../ui/button.tsx";
import { Section } from "./section.tsx";
import { SidebarRow, type Tally } from "./sidebar-row.tsx";
import { TopicRows } from "./topic-rows.tsx";

export function ChannelSection({ filter }: { filter: string }) {
  const { pinned, active, inactive } = subscribedChannels.value;
  const wanted = filter.trim().toLowerCase();
  /** Without channels it is not shown, unless there is more in it. */
  const section = (name: string, title: string, channels: readonly Channel[], more?: More) => {
    const matching = channels.filter((channel) => channel.name.toLowerCase().includes(wanted));
    return (
      (more || matching.length > 0) && (
        <Section key={name} name={name} title={title} actions={more?.actions} unread={() => sumOf(channels)}>
          {matching.map((channel) => (
            <ChannelRow key={channel.stream_id} channel={channel} isMatch={wanted !== ""} />
          ))}
          {more?.rows}
        </Section>
      )
    );
  };
  const byFolder = Map.groupBy(active, (channel) => folderOf(sidebarFolders.value, channel));
  const outside = byFolder.get(undefined) ?? [];
  const folders = [...byFolder].map(
    ([folder, channels]) => folder && section(`folder ${folder.id}`, folder.name, channels),
  );
  const mayCreate = part("can_create_streams").value ?? false;
  return (
    <>
      {section("pinned", t("sidebar.pinned"), pinned)}
      {folders}
      {section("channels", t(outside.length < active.length ? "sidebar.otherChannels" : "sidebar.channels"), outside, {
        actions: mayCreate && (
          <IconButton icon="plus" size={16} label={t("channel.create")} onClick={() => openDialog("create-channel")} />
        ),
        rows: <SidebarRow icon="ellipsis" label={t("channel.browse")} address={addressOf({ kind: "channels" })} />,
      })}
      {section("inactive", t("sidebar.inactive"), inactive)}
    </>
  );
}

interface More {
  actions: ComponentChildren;
  /** After the channels. */
  rows: ComponentChildren;
}

function tallyOf(channel: Channel): Required<Pick<Tally, "count" | "isMuted" | "isLoud">> {
  const unread = unreadByChannel.value.get(channel.stream_id);
  const isMuted = channel.is_muted === true || (unread?.count ?? 0) === 0;
  const policy = part("user_settings").value?.web_stream_unreads_count_display_policy ?? 2;
  return {
    count: (unread?.count ?? 0) + (isMuted ? (unread?.mutedCount ?? 0) : 0),
    isMuted: policy === 3 || (policy === 2 && isMuted) || channel.is_muted === true,
    isLoud: unread?.isMention ?? false,
  };
}

/** Of muted channels only mentions count, unless there is nothing else. */
function sumOf(channels: readonly Channel[]): Tally {
  const all = channels.map(tallyOf);
  const heard = all.filter(({ count, isMuted, isLoud }) => count > 0 && (isLoud || !isMuted));
  return {
    count: (heard.length > 0 ? heard : all).reduce((sum, { count }) => sum + count, 0),
    isMuted: heard.length === 0,
    isLoud: heard.some(({ isLoud }) => isLoud),
  };
}

function ChannelRow({ channel, isMatch }: { channel: Channel; isMatch: boolean }) {
  const { value: at } = place;
  const isHere = at.kind === "channel" && at.channelId === channel.stream_id;
  const isWithin =
    at.kind === "conversation" && at.conversation.kind === "topic" && at.conversation.channelId === channel.stream_id;
  return (
    <>
      <SidebarRow
        icon={channel.invite_only ? "lock" : channel.is_web_public ? "globe" : "hash"}
        color={channel.color}
        label={channel.name}
        address={channelAddress(channel.stream_id)}
        isCurrent={isHere}
        {...tallyOf(channel)}
        isMatch={isMatch}
      />
      {(isHere || isWithin) && <TopicRows channelId={channel.stream_id} />}
    </>
  );
}
