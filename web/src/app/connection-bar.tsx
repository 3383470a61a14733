/** A thin bar while the server has not responded for some time. It never covers anything. */
import { useEffect, useState } from "preact/hooks";
import { connection, retryNow } from "../store/sync.ts";
import { t } from "../text/t.ts";
import { Icon } from "../ui/icon.tsx";
import { announce } from "../store/announcements.ts";
import styles from "./connection-bar.module.css";

const shownAfter = 5000;

export function ConnectionBar() {
  const state = connection.value;
  const isLost = state === "reconnecting" || state === "offline" || state === "late";
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    if (!isLost) {
      if (isShown) announce(t("connection.back"));
      setShown(false);
      return undefined;
    }
    const timer = setTimeout(() => {
      setShown(true);
      announce(t("connection.offline"));
    }, shownAfter);
    return () => clearTimeout(timer);
  }, [isLost]);
  if (!isShown || !isLost) return null;
  return (
    <div class={styles.bar}>
      <Icon name="wifi-off" size={14} />
      <span>{t(state === "offline" ? "connection.offline" : "connection.reconnecting")}</span>
      <button type="button" class={styles.retry} onClick={retryNow}>
        {t("connection.retry")}
      </button>
    </div>
  );
}
