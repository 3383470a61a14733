/** All channels of the organization: who can read them, how much is written, how long it is kept. */
import "../text/chunks/channel-settings.ts";
import "../text/chunks/members.ts";
import "../text/chunks/privacy.ts";
import { useEffect, useState } from "preact/hooks";
import { ArchiveDialog } from "../controls/archive-dialog.tsx";
import { retentionText } from "../controls/retention-field.tsx";
import { Table, ToolSelect, type Column } from "../controls/table.tsx";
import { addressOf, channelAddress, go } from "../navigation/router.ts";
import { ChannelName } from "../parts/conversation-name.tsx";
import { channelListing } from "../store/channel-listing.ts";
import { mayAdminister, mayRead } from "../store/channel-permissions.ts";
import { privacyOf } from "../store/channel-privacy.ts";
import type { Channel } from "../store/channels.ts";
import { isDefaultChannel, saveDefaultChannel } from "../store/default-channels.ts";
import { toastFailure } from "../store/membership.ts";
import { forever, organizationRetention } from "../store/retention.ts";
import { isAdministrator } from "../store/roles.ts";
import { subscribersOf } from "../store/subscribers.ts";
import { formatNumber, t } from "../text/t.ts";
import { Empty } from "../ui/empty.tsx";
import type { MenuEntry } from "../ui/menu.tsx";
import styles from "./channels-section.module.css";

const columns = (): Column<Channel>[] => [
  {
    id: "name",
    label: t("channels.name"),
    width: "2fr",
    render: ({ stream_id }) => (
      <span class={styles.name}>
        <ChannelName channelId={stream_id} />
        {isDefaultChannel(stream_id) && <span class={styles.badge}>{t("channels.isDefault")}</span>}
      </span>
    ),
  },
  {
    id: "privacy",
    label: t("channels.privacy"),
    width: "1.6fr",
    render: (channel) => t(`privacy.${privacyOf(channel)}`),
  },
  {
    id: "people",
    label: t("channels.people"),
    width: "5rem",
    isLabelled: true,
    render: ({ stream_id }) => <PeopleCount channelId={stream_id} />,
  },
  {
    id: "traffic",
    label: t("channels.traffic"),
    width: "9rem",
    isLabelled: true,
    render: ({ stream_weekly_traffic: traffic }) => (traffic === null ? t("channels.tooNew") : formatNumber(traffic)),
  },
  {
    id: "retention",
    label: t("channels.retention"),
    width: "7rem",
    isLabelled: true,
    render: ({ message_retention_days: days }) => kept(days ?? organizationRetention()),
  },
];

const kept = (days: number): string =>
  days === forever ? t("channelSettings.retention.forever") : retentionText(days);

const soon = 300;

/** Asked for only where the reader stays: each channel is a request. */
function PeopleCount({ channelId }: { channelId: number }) {
  const [isAsked, setAsked] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(true), soon);
    return () => clearTimeout(timer);
  }, [channelId]);
  const count = isAsked ? subscribersOf(channelId).ids.value?.size : undefined;
  return <>{count === undefined ? "…" : formatNumber(count)}</>;
}

const isActive = ({ is_archived }: Channel): boolean => !is_archived;
const isArchived = ({ is_archived }: Channel): boolean => is_archived;
const filters: Readonly<Record<string, ((channel: Channel) => boolean) | undefined>> = {
  active: isActive,
  archived: isArchived,
};

const settingsOf = ({ stream_id }: Channel): string =>
  addressOf({ kind: "channel-settings", channelId: stream_id, section: "general" });

export default function ChannelsSection() {
  const [state, setState] = useState("active");
  const [asked, setAsked] = useState<Channel>();
  return (
    <>
      <Table
        id="channels"
        label={t("sidebar.channels")}
        listing={channelListing}
        columns={columns()}
        sortedBy="name"
        nameOf={({ name }) => name}
        filterLabel={t("channels.find")}
        countOf={(count) => t("channels.count", { count })}
        filters={
          <ToolSelect
            label={t("channels.which")}
            value={state}
            options={[
              { value: "active", label: t("channels.active") },
              { value: "archived", label: t("channels.archived") },
              { value: "all", label: t("channels.all") },
            ]}
            onChange={setState}
          />
        }
        isShown={filters[state]}
        onOpen={(channel) => go(settingsOf(channel))}
        actionsOf={(channel) => actionsOn(channel, () => setAsked(channel))}
        empty={<Empty icon="hash" title={t("channels.none")} />}
      />
      {asked && <ArchiveDialog channel={asked} onClose={() => setAsked(undefined)} />}
    </>
  );
}

function actionsOn(channel: Channel, askToArchive: () => void): MenuEntry[] {
  const { stream_id: id, is_archived } = channel;
  const isDefault = isDefaultChannel(id);
  return [
    { label: t("channels.settings"), icon: "settings", onSelect: () => go(settingsOf(channel)) },
    ...(mayRead(channel)
      ? [{ label: t("channels.open"), icon: "hash" as const, onSelect: () => go(channelAddress(id)) }]
      : []),
    ...(isAdministrator() && !channel.invite_only && !is_archived
      ? [
          {
            label: t(isDefault ? "channels.removeDefault" : "channels.makeDefault"),
            icon: "list" as const,
            onSelect: () => toastFailure(saveDefaultChannel(id, !isDefault)),
          },
        ]
      : []),
    ...(mayAdminister(channel)
      ? [
          "line" as const,
          {
            label: t(is_archived ? "channels.unarchive" : "channels.archive"),
            icon: is_archived ? ("undo-2" as const) : ("archive" as const),
            isDangerous: !is_archived,
            onSelect: askToArchive,
          },
        ]
      : []),
  ];
}
