/** What the reader has muted: channels, topics and people. */
import "../text/chunks/settings.ts";
import type { ComponentChildren } from "preact";
import { elementId } from "../descriptors/setting.ts";
import { addressOf, channelAddress, conversationAddress } from "../navigation/router.ts";
import { ChannelName, ConversationName } from "../parts/conversation-name.tsx";
import { idsOf, suggestPeople } from "../parts/people-chips.ts";
import { byName, channelsById } from "../store/channels.ts";
import { conversationTitle } from "../store/conversation-title.ts";
import { conversationKey, topicConversation } from "../store/conversations.ts";
import { mutePerson } from "../store/muting.ts";
import { findPerson } from "../store/people.ts";
import { reasonOf } from "../store/reasons.ts";
import { subscriptionSettings } from "../store/setting-stores.ts";
import { ownId, part } from "../store/state.ts";
import { toast } from "../store/toasts.ts";
import { setVisibility, visibility } from "../store/visibility.ts";
import { t } from "../text/t.ts";
import { fullTime, listTime } from "../text/time.ts";
import { Avatar } from "../ui/avatar.tsx";
import { Button } from "../ui/button.tsx";
import { ChipsField } from "../ui/chips.tsx";
import styles from "./settings.module.css";

export default function Muted() {
  return (
    <>
      <section class={styles.group} id={elementId("muted-topics")}>
        <h3>{t("settings.mutedTopics")}</h3>
        <p class={styles.note}>{t("settings.mutedTopics.hint")}</p>
        <Topics />
      </section>
      <section class={styles.group} id={elementId("muted-channels")}>
        <h3>{t("settings.mutedChannels")}</h3>
        <Channels />
      </section>
      <section class={styles.group} id={elementId("muted-people")}>
        <h3>{t("settings.mutedPeople")}</h3>
        <p class={styles.note}>{t("settings.mutedPeople.hint")}</p>
        <ChipsField
          label={t("settings.muteSomeone")}
          chips={[]}
          suggest={(query) => suggestPeople(query).filter(({ key }) => key !== String(ownId.peek()))}
          onChange={(chips) => idsOf(chips).forEach((id) => mutePerson(id, true))}
        />
        <People />
      </section>
    </>
  );
}

interface RowProps {
  children: ComponentChildren;
  /** Since when. */
  since?: number;
  /** Of what is muted, for the button. */
  name: string;
  onUnmute: () => void;
}

const Row = ({ children, since, name, onUnmute }: RowProps) => (
  <li class={styles.row}>
    <div class={styles.main}>
      {children}
      {since !== undefined && (
        <span class={styles.detail} title={fullTime(since)}>
          {t("settings.mutedSince", { time: listTime(since) })}
        </span>
      )}
    </div>
    <Button aria-label={t("settings.unmuteOne", { name })} onClick={onUnmute}>
      {t("settings.unmute")}
    </Button>
  </li>
);

function Topics() {
  const muted = (part("user_topics").value ?? [])
    .filter(({ visibility_policy }) => visibility_policy === visibility.muted)
    .toSorted((a, b) => b.last_updated - a.last_updated);
  if (muted.length === 0) return <p class={styles.note}>{t("settings.noMutedTopics")}</p>;
  return (
    <ul class={styles.list}>
      {muted.map(({ stream_id, topic_name, last_updated }) => {
        const topic = topicConversation(stream_id, topic_name);
        return (
          <Row
            key={conversationKey(topic)}
            since={last_updated}
            name={conversationTitle(topic)}
            onUnmute={() => setVisibility(topic, visibility.inherit)}
          >
            <a href={conversationAddress(topic)}>
              <ConversationName conversation={topic} />
            </a>
          </Row>
        );
      })}
    </ul>
  );
}

function Channels() {
  const muted = [...channelsById.value.values()]
    .filter((channel) => channel.isSubscribed && channel.is_muted)
    .toSorted(byName);
  if (muted.length === 0) return <p class={styles.note}>{t("settings.noMutedChannels")}</p>;
  const unmute = (id: number): void => {
    subscriptionSettings(id)
      .save("is_muted", false)
      .catch((error: unknown) => toast(reasonOf(error), { kind: "danger" }));
  };
  return (
    <ul class={styles.list}>
      {muted.map(({ stream_id, name }) => (
        <Row key={stream_id} name={name} onUnmute={() => unmute(stream_id)}>
          <a href={channelAddress(stream_id)}>
            <ChannelName channelId={stream_id} />
          </a>
        </Row>
      ))}
    </ul>
  );
}

function People() {
  const muted = (part("muted_users").value ?? []).toSorted((a, b) => b.timestamp - a.timestamp);
  if (muted.length === 0) return <p class={styles.note}>{t("settings.noMutedPeople")}</p>;
  return (
    <ul class={styles.list}>
      {muted.map(({ id, timestamp }) => {
        const { full_name, avatar_url } = findPerson(id);
        return (
          <Row key={id} since={timestamp} name={full_name} onUnmute={() => mutePerson(id, false)}>
            <a class={styles.person} href={addressOf({ kind: "user", userId: id })}>
              <Avatar name={full_name} src={avatar_url ?? `/avatar/${id}`} size={24} />
              <span dir="auto">{full_name}</span>
            </a>
          </Row>
        );
      })}
    </ul>
  );
}
