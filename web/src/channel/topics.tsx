/** The topics of a channel, latest first, with resolved ones collapsed. Below them, a composer that starts one. */
import "../text/chunks/channel.ts";
import { useRef, useState } from "preact/hooks";
import { Empty } from "../ui/empty.tsx";
import { Failure } from "../ui/failure.tsx";
import { useRowKeys } from "../commands/row-keys.ts";
import { NoPosting } from "../conversation/no-posting.tsx";
import { plainText } from "../content/plain-text.ts";
import type { Channel } from "../store/channels.ts";
import { topicConversation } from "../store/conversations.ts";
import { finishTopicHint, isTopicHintDue } from "../store/hints.ts";
import { reasonNotToWrite } from "../store/permissions.ts";
import { loadTopics, topicList, type Topic } from "../store/topics.ts";
import { isResolvedTopic } from "../text/names.ts";
import { t } from "../text/t.ts";
import { FilterField } from "../ui/filter-field.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { StartTopic } from "./start-topic.tsx";
import { TopicRow } from "./topic-row.tsx";
import styles from "./topics.module.css";
import { useLastMessages } from "../parts/use-last-messages.ts";

const noteOpened = ({ target }: Event): void => {
  if (target instanceof Element && target.closest("a")) finishTopicHint();
};

/** More rows are shown on request: nobody reads a thousand names. */
const firstShown = 100;

export function Topics({ channel }: { channel: Channel }) {
  const { topics, failure } = topicList(channel.stream_id);
  const [query, setQuery] = useState("");
  const scroller = useRef<HTMLDivElement>(null);
  useRowKeys(scroller);
  const [limit, setLimit] = useState(firstShown);
  const list = useRef<HTMLUListElement>(null);
  const reason = reasonNotToWrite(topicConversation(channel.stream_id, ""));
  const wanted = query.trim().toLowerCase();
  const all = (topics.value ?? []).filter(({ name }) => name.toLowerCase().includes(wanted));
  const open = all.filter(({ name }) => !isResolvedTopic(name));
  const resolved = all.filter(({ name }) => isResolvedTopic(name));
  const shown = open.slice(0, limit);
  useLastMessages(shown);
  const rows = (some: readonly Topic[]) =>
    some.map((topic) => <TopicRow key={topic.name} channelId={channel.stream_id} topic={topic} />);
  return (
    <>
      <div ref={scroller} class={styles.scroller}>
        {(topics.value?.length ?? 0) > 8 && (
          <FilterField
            label={t("channel.filterTopics")}
            value={query}
            onChange={setQuery}
            onEnter={() => list.current?.querySelector<HTMLElement>("a")?.click()}
          />
        )}
        {failure.value !== undefined && <Failure error={failure.value} onRetry={() => loadTopics(channel.stream_id)} />}
        {!topics.value && failure.value === undefined && <Skeleton rows={8} height={56} />}
        {topics.value && all.length === 0 && (
          <Empty
            icon={wanted === "" ? "hash" : "search"}
            title={
              wanted === "" ? t("channel.noTopics", { name: channel.name }) : t("channel.noTopicsFound", { query })
            }
          >
            {channel.description !== "" && wanted === "" && <p dir="auto">{plainText(channel.rendered_description)}</p>}
            {wanted === "" && reason === undefined && <p>{t("channel.noTopicsHint")}</p>}
          </Empty>
        )}
        {all.length > 0 && reason === undefined && isTopicHintDue.value && (
          <p class={styles.hint}>{t("channel.topicHint")}</p>
        )}
        <ul ref={list} class={styles.rows} onClick={noteOpened}>
          {rows(shown)}
        </ul>
        {open.length > shown.length && (
          <button type="button" class={styles.more} onClick={() => setLimit(limit * 4)}>
            {t("channel.moreTopics", { count: open.length - shown.length })}
          </button>
        )}
        {resolved.length > 0 && (
          <details class={styles.resolved} open={wanted !== "" && open.length === 0}>
            <summary>{t("channel.resolvedTopics", { count: resolved.length })}</summary>
            <ul class={styles.rows}>{rows(resolved)}</ul>
          </details>
        )}
      </div>
      {reason === undefined ? (
        <StartTopic channel={channel} />
      ) : (
        <div class={styles.foot}>
          <NoPosting reason={reason} />
        </div>
      )}
    </>
  );
}
