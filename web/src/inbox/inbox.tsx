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
import { Lazy } from "../ui/lazy.tsx";
import { tabPanel, Tabs } from "../ui/tabs.tsx";
import styles from "./inbox.module.css";
import { UnreadTab } from "./unread-tab.tsx";

const laterTabs = {
  recent: () => import("./recent-tab.tsx"),
  followed: () => import("./followed-tab.tsx"),
};

export function Inbox({ tab }: { tab: InboxTab }) {
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
        {tab === "unread" ? <UnreadTab /> : <Lazy key={tab} load={laterTabs[tab]} props={{}} rows={8} />}
      </div>
    </div>
  );
}
