/** The home page: unread, recent and followed conversations. */
import { useRef } from "preact/hooks";
import { go, addressOf } from "../navigation/router.ts";
import { PageHeader } from "../parts/page-header.tsx";
import page from "../parts/page.module.css";
import { useRowKeys } from "../commands/row-keys.ts";
import type { InboxTab } from "../navigation/place.ts";
import { inboxOrder, unreadCount } from "../store/unread.ts";
import { markAllRead } from "../store/reading.ts";
import { t } from "../text/t.ts";
import { IconButton } from "../ui/button.tsx";
import { tabPanel, Tabs } from "../ui/tabs.tsx";
import { FollowedTab } from "./followed-tab.tsx";
import styles from "./inbox.module.css";
import { RecentTab } from "./recent-tab.tsx";
import { UnreadTab } from "./unread-tab.tsx";

const tabs = { unread: UnreadTab, recent: RecentTab, followed: FollowedTab };

export function Inbox({ tab }: { tab: InboxTab }) {
  const Tab = tabs[tab];
  const panel = useRef<HTMLDivElement>(null);
  useRowKeys(panel);
  return (
    <div class={page.page}>
      <PageHeader
        isMain
        title={<h1>{t("inbox.title")}</h1>}
        actions={
          unreadCount.value > 0 && (
            <IconButton
              icon="check-check"
              label={t("inbox.markAllRead")}
              onClick={() => markAllRead(inboxOrder.peek().flatMap(({ ids }) => ids))}
            />
          )
        }
      >
        <Tabs
          id="inbox-tabs"
          label={t("inbox.title")}
          selected={tab}
          class={styles.tabs}
          tabs={[
            { id: "unread", label: t("inbox.unread"), count: unreadCount.value },
            { id: "recent", label: t("inbox.recent") },
            { id: "followed", label: t("inbox.followed") },
          ]}
          onSelect={(id) => go(addressOf({ kind: "inbox", tab: id as InboxTab }))} // one of the three above
        />
      </PageHeader>
      <div ref={panel} class={styles.panel} {...tabPanel("inbox-tabs", tab)}>
        <Tab />
      </div>
    </div>
  );
}
