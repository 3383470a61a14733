/** Everything unread: mentions, direct messages, followed topics, then channel by channel. */
import { useEffect } from "preact/hooks";
import { channelAddress } from "../app/router.ts";
import { ChannelName } from "../conversation/conversation-name.tsx";
import { findChannel } from "../store/channels.ts";
import { fetchMessages } from "../store/lists.ts";
import { findMessage } from "../store/messages.ts";
import { inboxGroups, inboxOrder, type UnreadConversation } from "../store/unread.ts";
import { t } from "../text/t.ts";
import { Icon } from "../ui/icon.tsx";
import { ConversationRow } from "./conversation-row.tsx";
import { FirstSteps } from "./first-steps.tsx";
import styles from "./inbox.module.css";

/** So many rows get their last line; more than fit on any screen. */
const mostPreviews = 120;
const messagesForFaces = 6;

export function UnreadTab() {
  const { mentions, direct, followed, channels } = inboxGroups.value;
  const order = inboxOrder.value;
  usePreviews(order);
  if (order.length === 0)
    return (
      <>
        <FirstSteps />
        <div class={styles["empty"]}>
          <Icon name="circle-check" size={40} class={styles["emptyIcon"]} />
          <h2>{t("inbox.empty")}</h2>
          <p>{t("inbox.emptyHint")}</p>
        </div>
      </>
    );
  return (
    <>
      <Group title={t("messages.mentions")} conversations={mentions} showsChannel />
      <Group title={t("sidebar.direct")} conversations={direct} showsChannel />
      <Group title={t("inbox.followed")} conversations={followed} showsChannel />
      {channels.map(({ channelId, topics }) => (
        <section key={channelId} class={styles["group"]}>
          <h2 class={styles["heading"]}>
            <span class={styles["edge"]} style={{ "--channel": findChannel(channelId)?.color ?? "transparent" }} />
            <a href={channelAddress(channelId)}>
              <ChannelName channelId={channelId} />
            </a>
          </h2>
          <UnreadRows conversations={topics} showsChannel={false} />
        </section>
      ))}
    </>
  );
}

interface GroupProps {
  title: string;
  conversations: readonly UnreadConversation[];
  showsChannel: boolean;
}

const Group = ({ title, conversations, showsChannel }: GroupProps) =>
  conversations.length === 0 ? null : (
    <section class={styles["group"]}>
      <h2 class={styles["heading"]}>{title}</h2>
      <UnreadRows conversations={conversations} showsChannel={showsChannel} />
    </section>
  );

const UnreadRows = ({ conversations, showsChannel }: Omit<GroupProps, "title">) => (
  <ul class={styles["rows"]}>
    {conversations.map(({ key, conversation, ids }) => (
      <ConversationRow
        key={key}
        conversation={conversation}
        lastId={ids.at(-1)}
        senderIds={sendersOf(ids)}
        showsChannel={showsChannel}
      />
    ))}
  </ul>
);

const sendersOf = (ids: readonly number[]): number[] => [
  ...new Set(
    ids
      .slice(-messagesForFaces)
      .toReversed()
      .flatMap((id) => findMessage(id)?.value.sender_id ?? []),
  ),
];

/** The last lines of all rows come in one request. */
function usePreviews(order: readonly UnreadConversation[]): void {
  const wanted = order.slice(0, mostPreviews).flatMap(({ ids }) => ids.slice(-messagesForFaces));
  const missing = wanted.filter((id) => !findMessage(id));
  const key = missing.join();
  useEffect(() => {
    // Rows without a last line are still rows.
    if (missing.length > 0) fetchMessages(missing).catch(() => undefined);
  }, [key]);
}
