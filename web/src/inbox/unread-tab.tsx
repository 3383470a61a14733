/** Everything unread: mentions, direct messages, followed topics, then channel by channel. */
import { computed } from "@preact/signals";
import { Lazy } from "../ui/lazy.tsx";
import { Empty } from "../ui/empty.tsx";
import { channelAddress } from "../navigation/router.ts";
import { ChannelName } from "../parts/conversation-name.tsx";
import { findChannel } from "../store/channels.ts";
import { findPerson } from "../store/people.ts";
import { part } from "../store/state.ts";
import { inboxGroups, inboxOrder, unreadCount, type UnreadConversation } from "../store/unread.ts";
import { t } from "../text/t.ts";
import { FirstSteps } from "./first-steps.tsx";
import styles from "./inbox.module.css";
import { UnreadGroups } from "./unread-groups.tsx";

/** More than anyone reads one by one. */
const tooMany = 500;
const catchUp = () => import("./catch-up.tsx");
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
        <FirstSteps />
        <Empty icon="check" title={t("inbox.empty")}>
          <p>{t("inbox.emptyHint")}</p>
        </Empty>
      </>
    );
  return (
    <>
      {failed}
      {order.every(isFromBot) && <FirstSteps />}
      {unreadCount.value > tooMany && <Lazy load={catchUp} props={{}} />}
      <UnreadGroups
        groups={[
          { key: "mentions", heading: t("messages.mentions"), conversations: mentions },
          { key: "direct", heading: t("sidebar.direct"), conversations: direct },
          { key: "followed", heading: t("inbox.followed"), conversations: followed },
        ]
          .filter(({ conversations }) => conversations.length > 0)
          .map((group) => ({ ...group, heading: <h2 class={styles.heading}>{group.heading}</h2>, showsChannel: true }))
          .concat(
            channels.map(({ channelId, topics }) => ({
              key: String(channelId),
              heading: <ChannelHeading channelId={channelId} />,
              conversations: topics,
              showsChannel: false,
            })),
          )}
      />
    </>
  );
}

const ChannelHeading = ({ channelId }: { channelId: number }) => (
  <h2 class={styles.heading}>
    <span class={styles.edge} style={{ "--channel": findChannel(channelId)?.color ?? "transparent" }} />
    <a href={channelAddress(channelId)}>
      <ChannelName channelId={channelId} />
    </a>
  </h2>
);

/** A welcome, when nobody has written yet. */
const isFromBot = ({ conversation }: UnreadConversation): boolean =>
  conversation.kind === "direct" && conversation.userIds.every((id) => findPerson(id).is_bot);
