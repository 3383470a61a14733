/** Home: what is unread, what was last written to, what is followed. */
import { go, addressOf } from "../app/router.ts";
import { PageHeader } from "../app/page-header.tsx";
import page from "../app/page.module.css";
import type { InboxTab } from "../app/place.ts";
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
  return (
    <div class={page["page"]}>
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
          class={styles["tabs"]}
          tabs={[
            { id: "unread", label: t("inbox.unread"), count: unreadCount.value },
            { id: "recent", label: t("inbox.recent") },
            { id: "followed", label: t("inbox.followed") },
          ]}
          onSelect={(id) => go(addressOf({ kind: "inbox", tab: id as InboxTab }))} // of the three above
        />
      </PageHeader>
      <div class={styles["panel"]} {...tabPanel("inbox-tabs", tab)}>
        <Tab />
      </div>
    </div>
  );
}
