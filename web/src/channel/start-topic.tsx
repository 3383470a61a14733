/**
 * Starts a topic: the message first, then its topic. The first words are suggested as the topic, along with similar
 * existing topics.
 */
import "../text/chunks/fields.ts";
import "../text/chunks/channel.ts";
import { useMemo, useState } from "preact/hooks";
import { go, conversationAddress } from "../navigation/router.ts";
import { Composer, type Drafts } from "../composer/composer.tsx";
import { Matcher } from "../text/matching.ts";
import { composerHandle } from "../commands/composer-handle.ts";
import { composerSettings } from "../conversation/composer-settings.ts";
import { mayStartTopics } from "../store/channel-permissions.ts";
import type { Channel } from "../store/channels.ts";
import { emptyTopicName } from "../store/channels.ts";
import { conversationKey, topicConversation } from "../store/conversations.ts";
import { draftOf, keepDraft, onDraftFromElsewhere } from "../store/drafts.ts";
import { finishTopicHint } from "../store/hints.ts";
import { topicProblem } from "../store/permissions.ts";
import { sendTo } from "../store/sending.ts";
import { part } from "../store/state.ts";
import { topicList, type Topic } from "../store/topics.ts";
import { t } from "../text/t.ts";
import { Lazy } from "../ui/lazy.tsx";
import styles from "./start-topic.module.css";
import { suggestTopic } from "./suggest-topic.ts";

const maxSimilar = 3;
const scheduleMenu = () => import("../conversation/schedule-menu.tsx");

export function StartTopic({ channel }: { channel: Channel }) {
  const channelId = channel.stream_id;
  const [topic, setTopic] = useState<string>();
  const [text, setText] = useState(() => draftOf(topicConversation(channelId, ""))?.text ?? "");
  const topics = topicList(channelId).topics.value ?? [];
  const matcher = useMemo(() => new Matcher(topics, ({ name }) => name), [topics]);
  const suggested = suggestTopic(text);
  /** The channel is a single conversation. */
  const isWithoutTopics = channel.topics_policy === "empty_topic_only";
  const name = isWithoutTopics ? "" : (topic ?? suggested);
  const similar = name === "" ? [] : matcher.find(topic ?? firstWord(suggested), maxSimilar);
  // A draft without a topic yet is stored under the empty topic.
  const drafts = useMemo((): Drafts => {
    const unnamed = topicConversation(channelId, "");
    const unnamedKey = conversationKey(unnamed);
    return {
      read: () => draftOf(unnamed)?.text ?? "",
      write: (_key, draft) => keepDraft(unnamed, draft),
      watch: (_key, changed) => onDraftFromElsewhere((draft) => draft.key === unnamedKey && changed(draft.text)),
    };
  }, [channelId]);
  const isWriting = text.trim() !== "" || topic !== undefined;
  return (
    <div class={styles.start}>
      <Composer
        label={
          isWithoutTopics
            ? t("composer.label", { name: `#${channel.name}` })
            : t("channel.startTopic", { name: channel.name })
        }
        draftKey={`start:${channelId}`}
        drafts={drafts}
        {...composerSettings()}
        blocked={reasonNotToStart(channel, name.trim(), topics)}
        onTextChange={setText}
        onSend={(content) => {
          const conversation = topicConversation(channelId, name.trim());
          sendTo(conversation, content);
          finishTopicHint();
          setTopic(undefined);
          setText("");
          go(conversationAddress(conversation));
        }}
        sendLater={(menu) => (
          <Lazy
            load={scheduleMenu}
            props={{
              ...menu,
              conversation: topicConversation(channelId, name.trim()),
              draftIn: topicConversation(channelId, ""),
              onScheduled: () => setTopic(undefined),
            }}
          />
        )}
        handle={(handle) => {
          composerHandle.value = handle;
        }}
        header={
          isWriting &&
          !isWithoutTopics && (
            <div class={styles.topic}>
              <label class={styles.label} for="start-topic">
                {t("channel.topic")}
              </label>
              <input
                id="start-topic"
                class={styles.field}
                maxLength={part("max_topic_length").value}
                placeholder={suggested || emptyTopicName.value}
                value={topic ?? ""}
                onInput={(event) => setTopic(event.currentTarget.value || undefined)}
              />
              {similar.length > 0 && (
                <span class={styles.similar}>
                  {similar.map(({ name: known, max_id }) => (
                    <a key={known} href={conversationAddress(topicConversation(channelId, known), max_id)}>
                      {t("channel.continue", { topic: known || emptyTopicName.value })}
                    </a>
                  ))}
                </span>
              )}
            </div>
          )
        }
      />
    </div>
  );
}

const firstWord = (text: string): string => text.split(" ").find((word) => word.length > 3) ?? text;

function reasonNotToStart(channel: Channel, name: string, topics: readonly Topic[]): string | undefined {
  if (topicProblem(topicConversation(channel.stream_id, name))) return t("channel.topicNeeded");
  const exists = topics.some((topic) => topic.name.toLowerCase() === name.toLowerCase());
  return exists || mayStartTopics(channel) ? undefined : t("channel.mayNotStart");
}
