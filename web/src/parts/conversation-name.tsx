/** A conversation's name, as headers, bars and lists show it. */
import { emptyTopicName, findChannel } from "../store/channels.ts";
import type { Conversation } from "../store/conversations.ts";
import { peopleNames } from "../store/conversation-title.ts";
import { shownTopic } from "../text/names.ts";
import { t } from "../text/t.ts";
import { Icon } from "../ui/icon.tsx";
import styles from "./conversation-name.module.css";

export function ConversationName({ conversation }: { conversation: Conversation }) {
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
      <TopicName topic={conversation.topic} />
    </span>
  );
}

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

export function TopicName({ topic }: { topic: string }) {
  const { name, isUnnamed, isResolved } = shownTopic(topic, emptyTopicName.value);
  return (
    <span class={styles.name}>
      {isResolved && <Icon name="check" size={14} class={styles.resolved} />}
      {isResolved && <span class="visually-hidden">{t("topic.resolved")}</span>}
      <span class={isUnnamed ? styles.unnamed : styles.text} dir="auto">
        {name}
      </span>
    </span>
  );
}
