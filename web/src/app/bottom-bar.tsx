/** Navigation on narrow screens. */
import { mentionCount, unreadCount } from "../store/unread.ts";
import { t } from "../text/t.ts";
import { Icon, type IconName } from "../ui/icon.tsx";
import styles from "./bottom-bar.module.css";
import { openDialog } from "../navigation/dialogs.ts";
import { openSidebar } from "../navigation/drawer.ts";
import type { Place } from "../navigation/place.ts";
import { addressOf, place } from "../navigation/router.ts";

const links: { to: Place; icon: IconName; label: "inbox.title" | "sidebar.channels" | "app.direct" }[] = [
  { to: { kind: "inbox", tab: "unread" }, icon: "inbox", label: "inbox.title" },
  { to: { kind: "channels" }, icon: "hash", label: "sidebar.channels" },
  { to: { kind: "direct-messages" }, icon: "message-circle", label: "app.direct" },
];

export const BottomBar = () => (
  <nav class={styles.bar} aria-label={t("app.ways")}>
    {links.map(({ to, icon, label }) => (
      <a
        key={to.kind}
        class={styles.way}
        href={addressOf(to)}
        aria-current={place.value.kind === to.kind ? "page" : undefined}
      >
        <span class={styles.icon}>
          <Icon name={icon} size={20} />
          {to.kind === "inbox" && unreadCount.value > 0 && (
            <span class={mentionCount.value > 0 ? styles.loud : styles.dot} />
          )}
        </span>
        {t(label)}
      </a>
    ))}
    <button type="button" class={styles.way} onClick={() => openDialog("search")}>
      <span class={styles.icon}>
        <Icon name="search" size={20} />
      </span>
      {t("app.search")}
    </button>
    <button type="button" class={styles.way} onClick={openSidebar}>
      <span class={styles.icon}>
        <Icon name="menu" size={20} />
      </span>
      {t("app.more")}
    </button>
  </nav>
);
