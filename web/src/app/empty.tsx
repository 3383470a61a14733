/** What a place shows that has nothing to show: that this is so, why, and what to do about it. */
import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "../ui/icon.tsx";
import styles from "./empty.module.css";

interface EmptyProps {
  icon: IconName;
  title: string;
  /** Further words, and what to press. */
  children?: ComponentChildren;
}

export const Empty = ({ icon, title, children }: EmptyProps) => (
  <div class={styles["empty"]}>
    <span class={styles["sign"]}>
      <Icon name={icon} size={22} />
    </span>
    <h2>{title}</h2>
    {children}
  </div>
);
