/** Warnings shown before a message is sent: mentioned people who will not see it, and how many people a wildcard mention notifies. */
import type { Conversation } from "../store/conversations.ts";
import { audienceOf, manyPeople, mentionedOutside, mentionsEveryone } from "../store/mentions.ts";
import { mayMentionMany, topicProblem } from "../store/permissions.ts";
import { addToChannel } from "../store/subscribers.ts";
import { listNames } from "../text/names.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import styles from "./composer-warnings.module.css";

interface WarningsProps {
  conversation: Conversation;
  text: string;
}

/** Why this cannot be sent as it is. */
export function reasonNotToSend(conversation: Conversation, text: string): string | undefined {
  if (conversation.kind === "direct") return undefined;
  const problem = topicProblem(conversation);
  if (problem) return t(`warning.${problem}`);
  if (!mentionsEveryone(text) || mayMentionMany()) return undefined;
  return (audienceOf(conversation.channelId) ?? 0) > manyPeople ? t("warning.mayNotMentionMany") : undefined;
}

export function ComposerWarnings({ conversation, text }: WarningsProps) {
  if (conversation.kind === "direct" || text === "") return null;
  const { channelId } = conversation;
  const outside = mentionedOutside(text, channelId);
  const audience = mentionsEveryone(text) ? (audienceOf(channelId) ?? 0) : 0;
  return (
    <>
      {outside.length > 0 && (
        <div class={styles.warning} role="status">
          <Icon name="triangle-alert" size={14} />
          <span>
            {t("warning.outside", {
              names: listNames(outside.map(({ full_name }) => full_name)),
              count: outside.length,
            })}
          </span>
          <Button
            kind="quiet"
            onClick={() =>
              void addToChannel(
                channelId,
                outside.map(({ user_id }) => user_id),
              )
            }
          >
            {t("warning.subscribe")}
          </Button>
        </div>
      )}
      {audience > manyPeople && (
        <div class={styles.warning} role="status">
          <Icon name="triangle-alert" size={14} />
          <span>{t("warning.many", { count: audience })}</span>
        </div>
      )}
    </>
  );
}
