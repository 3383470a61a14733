import "../../text/chunks/imports.ts";
import type { RealmImport } from "@skein/api/imports.ts";
import { formatNumber, t } from "../../text/t.ts";
import lists from "../lists.module.css";
import { Meter } from "./meter.tsx";
import { phaseText } from "./texts.ts";
import styles from "./imports.module.css";

export const Inspecting = ({ one: { file_name: name, progress } }: { one: RealmImport }) => (
  <>
    <h3 class={styles.heading}>{t("imports.inspecting", { name })}</h3>
    <Meter
      label={t("imports.inspecting", { name })}
      done={0}
      total={0}
      text={t("imports.inspecting.count", { count: progress?.done ?? 0 })}
    />
  </>
);

export function Running({ one: { file_name: name, progress } }: { one: RealmImport }) {
  const { phase = "", done = 0, total = 0, per_second: rate = 0 } = progress ?? {};
  const parts = [
    total > 0
      ? t("imports.running.count", { done, total })
      : done > 0 && t("imports.running.done", { done: formatNumber(done) }),
    rate > 0 && t("imports.running.rate", { rate: Math.round(rate) }),
    rate > 0 && total > done && t("imports.running.left", { time: timeText((total - done) / rate) }),
  ].filter((part) => part !== false);
  return (
    <>
      <h3 class={styles.heading}>{t("imports.running", { name })}</h3>
      {/* Only the phase is announced: numbers change each second. */}
      <p role="status" class={styles.phase}>
        {progress ? phaseText(phase) : t("imports.running.waiting")}
      </p>
      <Meter label={t("imports.running", { name })} done={done} total={total} text={parts.join(" · ")} />
      <p class={lists.note}>{t("imports.running.leave")}</p>
    </>
  );
}

function timeText(seconds: number): string {
  if (seconds < 60) return t("imports.left.seconds");
  if (seconds < 5400) return t("imports.left.minutes", { count: Math.round(seconds / 60) });
  return t("imports.left.hours", { count: Math.round(seconds / 3600) });
}
