/** All visible channels: find one, join it, or create one. */
import "../text/chunks/channel.ts";
import { useState } from "preact/hooks";
import { openDialog } from "../navigation/dialogs.ts";
import { PageHeader } from "../parts/page-header.tsx";
import page from "../parts/page.module.css";
import { channelAddress } from "../navigation/router.ts";
import { ChannelName } from "../parts/conversation-name.tsx";
import { plainText } from "../content/plain-text.ts";
import { byName, channelsById } from "../store/channels.ts";
import { part } from "../store/state.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { FilterField } from "../ui/filter-field.tsx";
import { Rows } from "../ui/rows.tsx";
import { ChannelMenu } from "./channel-actions.tsx";
import styles from "./channels-page.module.css";

const rowHeight = 56;

export default function ChannelsPage() {
  const [query, setQuery] = useState("");
  const wanted = query.trim().toLowerCase();
  const channels = [...channelsById.value.values()]
    .filter((channel) => !channel.is_archived && channel.name.toLowerCase().includes(wanted))
    .toSorted((a, b) => Number(b.isSubscribed) - Number(a.isSubscribed) || byName(a, b));
  return (
    <div class={page.page}>
      <PageHeader
        isMain
        title={<h1>{t("sidebar.channels")}</h1>}
        actions={
          part("can_create_streams").value && (
            <Button icon="plus" class={page.action} onClick={() => openDialog("create-channel")}>
              {t("channel.create")}
            </Button>
          )
        }
      />
      <FilterField label={t("channel.filter")} value={query} onChange={setQuery} />
      <Rows
        class={styles.rows}
        label={t("sidebar.channels")}
        items={channels}
        height={rowHeight}
        keyOf={(channel) => channel.stream_id}
        render={(channel) => (
          <div class={styles.row}>
            <a class={styles.link} href={channelAddress(channel.stream_id)}>
              <span class={styles.name}>
                <ChannelName channelId={channel.stream_id} />
              </span>
              <span class={styles.description} dir="auto">
                {plainText(channel.rendered_description)}
              </span>
            </a>
            <ChannelMenu channel={channel} />
          </div>
        )}
      />
    </div>
  );
}
