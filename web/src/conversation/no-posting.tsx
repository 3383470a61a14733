/** Shown in place of the composer where the reader may not post. */
import { Icon } from "../ui/icon.tsx";
import styles from "./no-posting.module.css";

export const NoPosting = ({ reason }: { reason: string }) => (
  <p class={styles.notice}>
    <Icon name="lock" size={14} /> {reason}
  </p>
);
