/**
 * A bar that announces a new version. The page reloads by itself once it is idle and no field has text in it. Place, scroll
 * position and drafts survive a reload, but text being written must not be disturbed.
 */
import { useEffect } from "preact/hooks";
import { isOutdated } from "../store/release.ts";
import { readStored, store } from "../store/storage.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { announce } from "../store/announcements.ts";
import styles from "./connection-bar.module.css";

const idleAfter = 60_000;
/** While servers are replaced one by one, the next response may be the old page again. */
const minReloadInterval = 10 * 60_000;
const reloadedKey = "skein-reloaded-at";
const signsOfUse = ["keydown", "pointerdown", "pointermove", "wheel"] as const;

export default function NewRelease() {
  const isNew = isOutdated.value;
  useEffect(() => (isNew ? reloadWhenIdle() : undefined), [isNew]);
  if (!isNew) return null;
  return (
    <div class={styles.bar}>
      {t("release.text")}
      <Button kind="quiet" icon="refresh-cw" onClick={() => location.reload()}>
        {t("release.reload")}
      </Button>
    </div>
  );
}

function reloadWhenIdle(): () => void {
  announce(t("release.text"));
  const stop = new AbortController();
  let timer: ReturnType<typeof setTimeout>;
  const wait = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (isWriting() || isTooSoon()) wait();
      else reload();
    }, idleAfter);
  };
  for (const sign of signsOfUse) addEventListener(sign, wait, { passive: true, signal: stop.signal });
  wait();
  return () => {
    clearTimeout(timer);
    stop.abort();
  };
}

/** In any field: a message, a topic, a dialog. */
const isWriting = (): boolean =>
  [...document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>("textarea, input")].some(
    ({ type, value }) => type !== "checkbox" && type !== "radio" && value.trim() !== "",
  );

const isTooSoon = (): boolean => Date.now() - Number(readStored("session", reloadedKey) ?? 0) < minReloadInterval;

function reload(): void {
  store("session", reloadedKey, Date.now());
  location.reload();
}
