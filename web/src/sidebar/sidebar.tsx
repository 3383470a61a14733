/** Main navigation: top-level places, direct messages, and channels with the topics of the open one. */
import { useRef } from "preact/hooks";
import { openDialog } from "../navigation/dialogs.ts";
import { hideSidebar } from "../navigation/drawer.ts";
import { go } from "../navigation/router.ts";
import { logOut } from "../commands/log-out.ts";
import { self } from "../store/people.ts";
import { part } from "../store/state.ts";
import { t } from "../text/t.ts";
import { Avatar } from "../ui/avatar.tsx";
import { classes } from "../ui/classes.ts";
import { Icon } from "../ui/icon.tsx";
import { IconButton } from "../ui/button.tsx";
import { Lazy } from "../ui/lazy.tsx";
import { MenuButton } from "../ui/menu.tsx";
import { ChannelSection } from "./channel-section.tsx";
import { DirectSection } from "./direct-section.tsx";
import { filter } from "./filter.ts";
import { filterField } from "../commands/selection.ts";
import { hidesSidebar, opensSidebar } from "../parts/page-header.tsx";
import styles from "./sidebar.module.css";
import { ViewRows } from "./view-rows.tsx";

const resizer = () => import("./resizer.tsx");

export function Sidebar({ isOpen }: { isOpen: boolean }) {
  const list = useRef<HTMLDivElement>(null);
  return (
    <nav class={classes(styles.sidebar, isOpen && styles.open)} aria-label={t("sidebar.label")}>
      <header class={styles.header}>
        <Avatar name={part("realm_name").value ?? ""} src={ownIcon()} size={28} />
        <span class={styles.organization}>{part("realm_name").value}</span>
        <IconButton icon="search" label={t("palette.title")} keys="Mod+K" onClick={() => openDialog("palette")} />
        <IconButton id={hidesSidebar} class={styles.hide} icon="panel-left" label={t("sidebar.hide")} onClick={hide} />
      </header>
      <div ref={list} class={styles.lists}>
        <ul class={styles.list}>
          <ViewRows />
        </ul>
        <div class={styles.filter}>
          <Icon name="list-filter" size={14} />
          <input
            ref={(element) => {
              filterField.current = element;
            }}
            type="search"
            placeholder={t("sidebar.filter")}
            aria-label={t("sidebar.filter")}
            value={filter.value}
            onInput={(event) => {
              filter.value = event.currentTarget.value;
            }}
            onKeyDown={(event) => {
              if (event.key === "Enter") list.current?.querySelector<HTMLElement>("[data-match] a")?.click();
              else if (event.key !== "Escape") return;
              event.stopPropagation();
              filter.value = "";
              event.currentTarget.blur();
            }}
          />
        </div>
        <DirectSection filter={filter.value} />
        <ChannelSection filter={filter.value} />
      </div>
      <footer class={styles.footer}>
        <Avatar name={self.value.full_name} src={self.value.avatar_url ?? `/avatar/${self.value.user_id}`} size={24} />
        <span class={styles.name} dir="auto">
          {self.value.full_name}
        </span>
        <MenuButton
          icon="settings"
          label={t("sidebar.you")}
          place="aboveEnd"
          entries={[
            {
              label: t("place.settings"),
              icon: "settings",
              onSelect: () => go({ kind: "settings", section: "" }),
            },
            {
              label: t("place.organization"),
              icon: "building-2",
              onSelect: () => go({ kind: "organization", section: "" }),
            },
            { label: t("views.title"), icon: "bookmark", onSelect: () => openDialog("views") },
            { label: t("keys.title"), icon: "keyboard", keys: "?", onSelect: () => openDialog("keys") },
            "line",
            { label: t("signOut.label"), icon: "log-out", onSelect: logOut },
          ]}
        />
      </footer>
      <Lazy load={resizer} props={{}} />
    </nav>
  );
}

/** Its button is gone then, so focus moves to the one that shows it again. */
function hide(): void {
  hideSidebar();
  document.getElementById(opensSidebar)?.focus();
}

/** Without an uploaded icon, the URL leads to a generated one on another site. */
const ownIcon = (): string | undefined =>
  part("realm_icon_source").value === "U" ? part("realm_icon_url").value : undefined;
