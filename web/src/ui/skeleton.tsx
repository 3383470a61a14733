/** Grey bars of the right height while something is awaited; nothing is seen for the first 150 ms. */
import { t } from "../text/t.ts";
import styles from "./skeleton.module.css";

interface SkeletonProps {
  rows: number;
  /** Of one row, in pixels: what comes must not be taller or lower. */
  height: number;
  /** A round picture before each row. */
  hasAvatar?: boolean;
}

export function Skeleton({ rows, height, hasAvatar = false }: SkeletonProps) {
  return (
    <div class={styles["skeleton"]} role="status">
      <span class="said">{t("ui.loading")}</span>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} class={styles["row"]} style={{ blockSize: `${height}px` }} aria-hidden="true">
          {hasAvatar && <span class={styles["avatar"]} />}
          <span class={styles["bar"]} style={{ inlineSize: `${35 + ((row * 37) % 50)}%` }} />
        </div>
      ))}
    </div>
  );
}
