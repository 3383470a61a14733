/** A conversation's name, as headers, bars and lists show it. */
import { emptyTopicName, findChannel } from "../store/channels.ts";
import type { Conversation } from "../store/conversations.ts";
import { decoded } from "../content/plain-text.ts";
import { peopleNames } from "../store/conversation-title.ts";
import { shownTopic } from "../text/names.ts";
import { t } from "../text/t.ts";
import { Icon } from "../ui/icon.tsx";
import styles from "./conversation-name.module.css";

interface ConversationNameProps {
  conversation: Conversation;
  /** The topic as HTML with the matches of a search highlighted. */
  match?: string | undefined;
}

export function ConversationName({ conversation, match }: ConversationNameProps) {
  if (conversation.kind === "direct")
    return (
      <span class={styles.name}>
        <Icon name={conversation.userIds.length > 1 ? "users" : "user"} class={styles.icon} />
        <span class={styles.text} dir="auto">
          {peopleNames(conversation.userIds)}
        </span>
      </span>
    );
  return (
    <span class={styles.name}>
      <ChannelName channelId={conversation.channelId} />
      <Icon name="chevron-right" size={14} class={styles.icon} />
      <TopicName topic={conversation.topic} match={match} />
    </span>
  );
}

/** The server's marks, shown as text. */
const marked = (html: string) =>
  html
    .replace(/^✔ /, "")
    .split(/<span class="highlight">(.*?)<\/span>/)
    .map((part, index) => (index % 2 === 0 ? decoded(part) : <mark class="highlight">{decoded(part)}</mark>));

export function ChannelName({ channelId }: { channelId: number }) {
  const channel = findChannel(channelId);
  const icon = channel?.invite_only ? "lock" : channel?.is_web_public ? "globe" : "hash";
  return (
    <span class={styles.name}>
      <Icon name={icon} class={styles.icon} />
      <span class={styles.text} dir="auto">
        {channel?.name ?? t("channel.unknown")}
      </span>
    </span>
  );
}

export function TopicName({ topic, match = "" }: { topic: string; match?: string | undefined }) {
  const { name, isUnnamed, isResolved } = shownTopic(topic, emptyTopicName.value);
  return (
    <span class={styles.name}>
      {isResolved && <Icon name="check" size={14} class={styles.resolved} />}
      {isResolved && <span class="visually-hidden">{t("topic.resolved")}</span>}
      <span class={isUnnamed ? styles.unnamed : styles.text} dir="auto">
        {match.includes("<") ? marked(match) : name}
      </span>
    </span>
  );
}
