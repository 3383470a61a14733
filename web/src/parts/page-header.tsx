/** The header of every place: a button for the sidebar where that is hidden, the title, and actions. */
import type { ComponentChildren } from "preact";
import { t } from "../text/t.ts";
import { IconButton } from "../ui/button.tsx";
import { openSidebar } from "../navigation/drawer.ts";
import styles from "./page-header.module.css";
import { goBack } from "../navigation/router.ts";

/** The ids of the buttons that show and hide the sidebar: of the two, one is there. */
export const opensSidebar = "open-sidebar";
export const hidesSidebar = "hide-sidebar";

function open(): void {
  openSidebar();
  document.getElementById(hidesSidebar)?.focus();
}

interface PageHeaderProps {
  title: ComponentChildren;
  actions?: ComponentChildren;
  /** A second line: tabs, a description. */
  children?: ComponentChildren;
  /** A top-level place: on a narrow screen it has no Back button. */
  isMain?: boolean;
}

export const PageHeader = ({ title, actions, children, isMain }: PageHeaderProps) => (
  <header class={styles.header}>
    <div class={styles.line}>
      <IconButton id={opensSidebar} class={styles.menu} icon="menu" label={t("sidebar.open")} onClick={open} />
      {!isMain && <IconButton class={styles.back} icon="arrow-left" label={t("app.back")} onClick={goBack} />}
      <div class={styles.title}>{title}</div>
      {actions && <div class={styles.actions}>{actions}</div>}
    </div>
    {children}
  </header>
);
