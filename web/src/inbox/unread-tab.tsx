/** Everything unread: mentions, direct messages, followed topics, then channel by channel. */
import { Lazy } from "../ui/lazy.tsx";
import { Empty } from "../ui/empty.tsx";
import { channelAddress } from "../navigation/router.ts";
import { ChannelName } from "../parts/conversation-name.tsx";
import { findChannel } from "../store/channels.ts";
import { findMessage } from "../store/messages.ts";
import { findPerson } from "../store/people.ts";
import { inboxGroups, inboxOrder, unreadCount, type UnreadConversation } from "../store/unread.ts";
import { t } from "../text/t.ts";
import { ConversationRow } from "../parts/conversation-row.tsx";
import { useMessages } from "../parts/use-messages.ts";
import { FirstSteps } from "./first-steps.tsx";
import styles from "./inbox.module.css";

/** This many rows load their last message; more than fit on any screen. */
const maxPreviews = 120;
const messagesForFaces = 6;
/** More than anyone reads one by one. */
const tooMany = 500;
const catchUp = () => import("./catch-up.tsx");

export function UnreadTab() {
  const { mentions, direct, followed, channels } = inboxGroups.value;
  const order = inboxOrder.value;
  usePreviews(order);
  if (order.length === 0)
    return (
      <>
        <FirstSteps />
        <Empty icon="check" title={t("inbox.empty")}>
          <p>{t("inbox.emptyHint")}</p>
        </Empty>
      </>
    );
  return (
    <>
      {order.every(isFromBot) && <FirstSteps />}
      {unreadCount.value > tooMany && <Lazy load={catchUp} props={{}} />}
      <Group title={t("messages.mentions")} conversations={mentions} showsChannel />
      <Group title={t("sidebar.direct")} conversations={direct} showsChannel />
      <Group title={t("inbox.followed")} conversations={followed} showsChannel />
      {channels.map(({ channelId, topics }) => (
        <section key={channelId} class={styles.group}>
          <h2 class={styles.heading}>
            <span class={styles.edge} style={{ "--channel": findChannel(channelId)?.color ?? "transparent" }} />
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

/** A welcome, when nobody has written yet. */
const isFromBot = ({ conversation }: UnreadConversation): boolean =>
  conversation.kind === "direct" && conversation.userIds.every((id) => findPerson(id).is_bot);

interface GroupProps {
  title: string;
  conversations: readonly UnreadConversation[];
  showsChannel: boolean;
}

const Group = ({ title, conversations, showsChannel }: GroupProps) =>
  conversations.length === 0 ? null : (
    <section class={styles.group}>
      <h2 class={styles.heading}>{title}</h2>
      <UnreadRows conversations={conversations} showsChannel={showsChannel} />
    </section>
  );

const UnreadRows = ({ conversations, showsChannel }: Omit<GroupProps, "title">) => (
  <ul class={styles.rows}>
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

/** Loads the last messages of all rows in one request. */
function usePreviews(order: readonly UnreadConversation[]): void {
  const wanted = order.slice(0, maxPreviews).flatMap(({ ids }) => ids.slice(-messagesForFaces));
  useMessages(wanted);
}
