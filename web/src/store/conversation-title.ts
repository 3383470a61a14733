/** A conversation's name as plain text, for labels and titles. */
import { listNames, shownTopic } from "../text/names.ts";
import { t } from "../text/t.ts";
import { emptyTopicName, findChannel } from "./channels.ts";
import type { Conversation } from "./conversations.ts";
import { findPerson, self } from "./people.ts";

export function conversationTitle(conversation: Conversation): string {
  if (conversation.kind === "direct") return peopleNames(conversation.userIds);
  const channel = findChannel(conversation.channelId)?.name ?? t("channel.unknown");
  return `#${channel} › ${shownTopic(conversation.topic, emptyTopicName.value).name}`;
}

export const peopleNames = (userIds: readonly number[]): string =>
  userIds.length === 0
    ? t("direct.self", { name: self.value.full_name })
    : listNames(userIds.map((id) => findPerson(id).full_name || t("person.unknown")));
