/** An empty state: says that there is nothing here, why, and what to do. */
import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon.tsx";
import styles from "./empty.module.css";

interface EmptyProps {
  icon: IconName;
  title: string;
  /** More text and buttons. */
  children?: ComponentChildren;
}

export const Empty = ({ icon, title, children }: EmptyProps) => (
  <div class={styles.empty}>
    <span class={styles.sign}>
      <Icon name={icon} size={22} />
    </span>
    <h2>{title}</h2>
    {children}
  </div>
);
