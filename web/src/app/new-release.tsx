/**
 * There is a new version: said in a line, and the page is loaded anew by itself once nobody uses it and nothing is
 * written in any field. Place, scroll and drafts survive that; a text in the middle of a thought is nobody's to touch.
 */
import { useEffect } from "preact/hooks";
import { isOutdated } from "../store/release.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { announce } from "../ui/live-region.tsx";
import styles from "./connection-bar.module.css";

const idleAfter = 60_000;
/** While servers are replaced one by one, the next answer may be the old page again. */
const notAgainFor = 10 * 60_000;
const reloadedKey = "skein-reloaded-at";
const signsOfUse = ["keydown", "pointerdown", "pointermove", "wheel"] as const;

export function NewRelease() {
  const isNew = isOutdated.value;
  useEffect(() => (isNew ? reloadWhenIdle() : undefined), [isNew]);
  if (!isNew) return null;
  return (
    <div class={styles["bar"]}>
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

const isTooSoon = (): boolean => Date.now() - Number(sessionStorage.getItem(reloadedKey)) < notAgainFor;

function reload(): void {
  sessionStorage.setItem(reloadedKey, String(Date.now()));
  location.reload();
}
