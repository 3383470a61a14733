/** The bar on top of every place: a way to the sidebar where there is none beside it, the title, what can be done here. */
import type { ComponentChildren } from "preact";
import { t } from "../text/t.ts";
import { IconButton } from "../ui/button.tsx";
import { openDrawer } from "./drawer.ts";
import styles from "./page-header.module.css";
import { goBack } from "./router.ts";

interface PageHeaderProps {
  title: ComponentChildren;
  actions?: ComponentChildren;
  /** A second line: tabs, a description. */
  children?: ComponentChildren;
  /** One of the main places: on a narrow screen there is nowhere to go back to. */
  isMain?: boolean;
}

export const PageHeader = ({ title, actions, children, isMain }: PageHeaderProps) => (
  <header class={styles["header"]}>
    <div class={styles["line"]}>
      <IconButton class={styles["menu"]} icon="menu" label={t("sidebar.open")} onClick={openDrawer} />
      {!isMain && <IconButton class={styles["back"]} icon="arrow-left" label={t("app.back")} onClick={goBack} />}
      <div class={styles["title"]}>{title}</div>
      {actions && <div class={styles["actions"]}>{actions}</div>}
    </div>
    {children}
  </header>
);
