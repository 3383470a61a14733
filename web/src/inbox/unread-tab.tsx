/** Everything unread: mentions, direct messages, followed topics, then channel by channel. */
import { computed } from "@preact/signals";
import { Lazy } from "../ui/lazy.tsx";
import { Empty } from "../ui/empty.tsx";
import { Icon } from "../ui/icon.tsx";
import { channelAddress } from "../navigation/router.ts";
import { ChannelName } from "../parts/conversation-name.tsx";
import { findChannel } from "../store/channels.ts";
import { folderOf, inboxFolders } from "../store/folders.ts";
import { findPerson } from "../store/people.ts";
import { part } from "../store/state.ts";
import { inboxGroups, inboxOrder, unreadCount, type InboxChannel, type UnreadConversation } from "../store/unread.ts";
import { t } from "../text/t.ts";
import styles from "./inbox.module.css";
import { UnreadGroups, type UnreadGroup } from "./unread-groups.tsx";

/** More than anyone reads one by one. */
const tooMany = 500;
const catchUp = () => import("./catch-up.tsx");
const firstSteps = () => import("./first-steps.tsx");
const failedMessages = () => import("./failed-messages.tsx");
const hasFailed = computed(() => part("scheduled_messages").value?.some(({ failed }) => failed));

export function UnreadTab() {
  const { mentions, direct, followed, channels } = inboxGroups.value;
  const order = inboxOrder.value;
  const failed = hasFailed.value && <Lazy load={failedMessages} props={{}} />;
  if (order.length === 0)
    return (
      <>
        {failed}
        <Lazy load={firstSteps} props={{}} />
        <Empty icon="check" title={t("inbox.empty")}>
          <p>{t("inbox.emptyHint")}</p>
        </Empty>
      </>
    );
  return (
    <>
      {failed}
      {order.every(isFromBot) && <Lazy load={firstSteps} props={{}} />}
      {unreadCount.value > tooMany && <Lazy load={catchUp} props={{}} />}
      <UnreadGroups
        groups={[
          ...[
            { key: "mentions", heading: t("messages.mentions"), conversations: mentions },
            { key: "direct", heading: t("sidebar.direct"), conversations: direct },
            { key: "followed", heading: t("inbox.followed"), conversations: followed },
          ]
            .filter(({ conversations }) => conversations.length > 0)
            .map((group) => ({
              ...group,
              heading: <h2 class={styles.heading}>{group.heading}</h2>,
              showsChannel: true,
            })),
          ...channelGroups(channels),
        ]}
      />
    </>
  );
}

/** The first channel of a folder comes after the folder's heading. */
function channelGroups(channels: readonly InboxChannel[]): UnreadGroup[] {
  const hasFolders = channels.some((channel) => folderName(channel) !== undefined);
  const Heading = hasFolders ? "h3" : "h2";
  let last: string | undefined;
  return channels.flatMap((channel) => {
    const { channelId, topics } = channel;
    const group = {
      key: channelId,
      heading: (
        <Heading class={styles.heading}>
          <span class={styles.edge} style={{ "--channel": findChannel(channelId)?.color ?? "transparent" }} />
          <a href={channelAddress(channelId)}>
            <ChannelName channelId={channelId} />
          </a>
        </Heading>
      ),
      conversations: topics,
      showsChannel: false,
    };
    const title = titleAbove(channel);
    if (!hasFolders || title === last) return group;
    last = title;
    const heading = (
      <h2 class={styles.heading}>
        <Icon name="folder" size={14} />
        <span dir="auto">{title}</span>
      </h2>
    );
    return [{ key: `above ${channelId}`, heading, conversations: [], showsChannel: false }, group];
  });
}

/** Pinned channels are in no folder here. */
const folderName = ({ channelId }: InboxChannel): string | undefined => {
  const channel = findChannel(channelId);
  return channel?.pin_to_top ? undefined : folderOf(inboxFolders.value, channel)?.name;
};

const titleAbove = (channel: InboxChannel): string =>
  folderName(channel) ?? t(findChannel(channel.channelId)?.pin_to_top ? "sidebar.pinned" : "sidebar.otherChannels");

/** A welcome, when nobody has written yet. */
const isFromBot = ({ conversation }: UnreadConversation): boolean =>
  conversation.kind === "direct" && conversation.userIds.every((id) => findPerson(id).is_bot);
