/** A conversation by its name, as headers, bars and lists show it. */
import { emptyTopicName, findChannel } from "../store/channels.ts";
import type { Conversation } from "../store/conversations.ts";
import { findPerson, self } from "../store/people.ts";
import { listNames, shownTopic } from "../text/names.ts";
import { t } from "../text/t.ts";
import { Icon } from "../ui/icon.tsx";
import styles from "./conversation-name.module.css";

/** As plain text, for labels and titles. */
export function conversationTitle(conversation: Conversation): string {
  if (conversation.kind === "direct") return peopleNames(conversation.userIds);
  const channel = findChannel(conversation.channelId)?.name ?? t("channel.unknown");
  return `#${channel} › ${shownTopic(conversation.topic, emptyTopicName.value).name}`;
}

export const peopleNames = (userIds: readonly number[]): string =>
  userIds.length === 0
    ? t("direct.self", { name: self.value.full_name })
    : listNames(userIds.map((id) => findPerson(id).full_name || t("person.unknown")));

export function ConversationName({ conversation }: { conversation: Conversation }) {
  if (conversation.kind === "direct")
    return (
      <span class={styles["name"]}>
        <Icon name={conversation.userIds.length > 1 ? "users" : "user"} class={styles["icon"]} />
        <span class={styles["text"]}>{peopleNames(conversation.userIds)}</span>
      </span>
    );
  return (
    <span class={styles["name"]}>
      <ChannelName channelId={conversation.channelId} />
      <Icon name="chevron-right" size={14} class={styles["icon"]} />
      <TopicName topic={conversation.topic} />
    </span>
  );
}

export function ChannelName({ channelId }: { channelId: number }) {
  const channel = findChannel(channelId);
  const icon = channel?.invite_only ? "lock" : channel?.is_web_public ? "globe" : "hash";
  return (
    <span class={styles["name"]}>
      <Icon name={icon} class={styles["icon"]} />
      <span class={styles["text"]}>{channel?.name ?? t("channel.unknown")}</span>
    </span>
  );
}

export function TopicName({ topic }: { topic: string }) {
  const { name, isUnnamed, isResolved } = shownTopic(topic, emptyTopicName.value);
  return (
    <span class={styles["name"]}>
      {isResolved && <Icon name="check" size={14} class={styles["resolved"]} />}
      {isResolved && <span class="said">{t("topic.resolved")}</span>}
      <span class={isUnnamed ? styles["unnamed"] : styles["text"]}>{name}</span>
    </span>
  );
}
