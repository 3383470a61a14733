/** Gray bars of the right height while loading; invisible for the first 150 ms. */
import { t } from "../text/t.ts";
import styles from "./skeleton.module.css";

interface SkeletonProps {
  rows: number;
  /** Of one row, in pixels: the loaded rows must have the same height. */
  height: number;
  /** A round picture before each row. */
  hasAvatar?: boolean;
}

export function Skeleton({ rows, height, hasAvatar = false }: SkeletonProps) {
  return (
    <div class={styles.skeleton} role="status">
      <span class="visually-hidden">{t("ui.loading")}</span>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} class={styles.row} style={{ blockSize: `${height}px` }} aria-hidden="true">
          {hasAvatar && <span class={styles.avatar} />}
          <span class={styles.bar} style={{ inlineSize: `${35 + ((row * 37) % 50)}%` }} />
        </div>
      ))}
    </div>
  );
}
