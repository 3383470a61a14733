/** A channel: its topics with a composer that starts one, or its feed. */
import "../text/chunks/channel.ts";
import { PageHeader } from "../parts/page-header.tsx";
import type { ChannelTab } from "../navigation/place.ts";
import { addressOf, go } from "../navigation/router.ts";
import { Nowhere } from "../parts/nowhere.tsx";
import { ChannelName } from "../parts/conversation-name.tsx";
import { plainText } from "../content/plain-text.ts";
import { findChannel } from "../store/channels.ts";
import { t } from "../text/t.ts";
import { tabPanel, Tabs } from "../ui/tabs.tsx";
import { ChannelActions } from "./channel-actions.tsx";
import styles from "./channel-page.module.css";
import { Feed } from "./feed.tsx";
import { Topics } from "./topics.tsx";

interface ChannelPageProps {
  channelId: number;
  tab: ChannelTab;
  near?: number;
}

export default function ChannelPage({ channelId, tab, near }: ChannelPageProps) {
  const channel = findChannel(channelId);
  if (!channel) return <Nowhere />;
  return (
    <div class={styles.page}>
      <PageHeader
        title={
          <>
            <h1 class={styles.name}>
              <ChannelName channelId={channelId} />
            </h1>
            {channel.description !== "" && (
              <span class={styles.description} dir="auto">
                {plainText(channel.rendered_description)}
              </span>
            )}
          </>
        }
        actions={<ChannelActions channel={channel} />}
      >
        <Tabs
          id="channel-tabs"
          label={t("channel.views")}
          class={styles.tabs}
          selected={tab}
          tabs={[
            { id: "topics", label: t("channel.topics") },
            { id: "feed", label: t("channel.feed") },
          ]}
          onSelect={(id) => go(addressOf({ kind: "channel", channelId, tab: id as ChannelTab }))} // one of the two above
        />
      </PageHeader>
      <div class={styles.panel} {...tabPanel("channel-tabs", tab)}>
        {tab === "topics" ? <Topics channel={channel} /> : <Feed channel={channel} near={near} />}
      </div>
    </div>
  );
}
