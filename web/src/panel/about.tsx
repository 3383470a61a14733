/** About a conversation or a channel. */
import "../text/chunks/fields.ts";
import "../text/chunks/panel.ts";
import "../text/chunks/privacy.ts";
import type { ComponentChildren } from "preact";
import { TopicName, ChannelName } from "../parts/conversation-name.tsx";
import { plainText } from "../content/plain-text.ts";
import { privacyOf } from "../store/channel-privacy.ts";
import { findChannel } from "../store/channels.ts";
import { findPerson } from "../store/people.ts";
import { t } from "../text/t.ts";
import { dayName } from "../text/time.ts";
import type { Subject } from "./details.tsx";
import styles from "./details.module.css";

export function About({ subject }: { subject: Subject }) {
  if (subject.kind === "direct") return <p class={styles.none}>{t("details.aboutDirect")}</p>;
  const channel = findChannel(subject.channelId);
  if (!channel) return null;
  const maker = channel.creator_id === null ? "" : findPerson(channel.creator_id).full_name;
  return (
    <dl class={styles.facts}>
      {subject.kind === "topic" && (
        <Fact name={t("channel.topic")}>
          <TopicName topic={subject.topic} />
        </Fact>
      )}
      <Fact name={t("move.channel")}>
        <ChannelName channelId={subject.channelId} />
      </Fact>
      {channel.description !== "" && (
        <Fact name={t("channel.description")}>
          <span dir="auto">{plainText(channel.rendered_description)}</span>
        </Fact>
      )}
      <Fact name={t("channel.privacy")}>{t(`privacy.${privacyOf(channel)}Hint`)}</Fact>
      <Fact name={t("details.created")}>
        {maker === ""
          ? dayName(channel.date_created)
          : t("details.createdBy", { name: maker, day: dayName(channel.date_created) })}
      </Fact>
      {channel.stream_weekly_traffic !== null && (
        <Fact name={t("details.traffic")}>{t("details.perWeek", { count: channel.stream_weekly_traffic })}</Fact>
      )}
    </dl>
  );
}

const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);
