/** A thin line while the server has not been heard of for some time. Never in the way of anything. */
import { useEffect, useState } from "preact/hooks";
import { connection } from "../store/sync.ts";
import { t } from "../text/t.ts";
import { Icon } from "../ui/icon.tsx";
import { announce } from "../ui/live-region.tsx";
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
    <div class={styles["bar"]}>
      <Icon name="wifi-off" size={14} /> {t(state === "offline" ? "connection.offline" : "connection.reconnecting")}
    </div>
  );
}
