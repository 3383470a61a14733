/** The channels whose notifications differ from the general settings, each with a way back to them. */
import "../text/chunks/settings.ts";
import { addressOf } from "../navigation/router.ts";
import { ChannelName } from "../parts/conversation-name.tsx";
import { useSaving } from "../controls/use-saving.ts";
import { byName, channelsById, type Channel, type ChannelNotification } from "../store/channels.ts";
import { subscriptionSettings } from "../store/setting-stores.ts";
import { t, type TextKey } from "../text/t.ts";
import { IconButton } from "../ui/button.tsx";
import { FieldError } from "../ui/field.tsx";
import styles from "./settings.module.css";

const names = {
  desktop_notifications: "settings.column.desktop",
  audible_notifications: "settings.column.sound",
  push_notifications: "settings.column.mobile",
  email_notifications: "settings.column.email",
  wildcard_mentions_notify: "settings.exception.wildcards",
} as const satisfies Record<ChannelNotification, TextKey>;

const all = Object.keys(names) as ChannelNotification[]; // the keys of the table above

/** A channel's own settings; the others are null. */
const ownSettings = (channel: Channel): ChannelNotification[] =>
  all.filter((name) => typeof channel[name] === "boolean");

export function ChannelExceptions() {
  const channels = [...channelsById.value.values()]
    .filter((channel) => channel.isSubscribed && ownSettings(channel).length > 0)
    .toSorted(byName);
  if (channels.length === 0) return <p class={styles.note}>{t("settings.channelExceptions.none")}</p>;
  return (
    <ul class={styles.list}>
      {channels.map((channel) => (
        <Row key={channel.stream_id} channel={channel} />
      ))}
    </ul>
  );
}

function Row({ channel }: { channel: Channel }) {
  const { error, save } = useSaving();
  const own = ownSettings(channel);
  const store = subscriptionSettings(channel.stream_id);
  const errorId = `exception-${channel.stream_id}-error`;
  const texts = own.map((name) =>
    t(channel[name] ? "settings.exception.on" : "settings.exception.off", { where: t(names[name]) }),
  );
  return (
    <li class={styles.row}>
      <div class={styles.main}>
        <a href={addressOf({ kind: "channel-settings", channelId: channel.stream_id, section: "personal" })}>
          <ChannelName channelId={channel.stream_id} />
        </a>
        <span class={styles.detail}>{texts.join(" · ")}</span>
        <FieldError id={errorId} error={error} />
      </div>
      <IconButton
        icon="x"
        label={t("settings.exception.remove", { channel: channel.name })}
        aria-describedby={error === undefined ? undefined : errorId}
        onClick={() => void save(() => Promise.all(own.map((name) => store.save(name, null))))}
      />
    </li>
  );
}
