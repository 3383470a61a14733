/** A thin bar while the server is read-only. What people write meanwhile is kept, and sent afterwards. */
import { useEffect } from "preact/hooks";
import { maintenance } from "../api/maintenance.ts";
import { announce } from "../store/announcements.ts";
import { Icon } from "../ui/icon.tsx";
import styles from "./connection-bar.module.css";

export function MaintenanceBar() {
  const message = maintenance.value;
  useEffect(() => {
    if (message !== undefined) announce(message);
  }, [message]);
  if (message === undefined) return null;
  return (
    <div class={styles.bar}>
      <Icon name="info" size={14} />
      <span>{message}</span>
    </div>
  );
}
