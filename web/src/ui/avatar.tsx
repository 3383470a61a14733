/** A person's picture, or initials where there is none. The name stands beside it, so the picture says nothing. */
import { useState } from "preact/hooks";
import { initials } from "../text/names.ts";
import { t } from "../text/t.ts";
import styles from "./avatar.module.css";
import { classes } from "./classes.ts";

export type Presence = "active" | "idle";

interface AvatarProps {
  name: string;
  src?: string | null | undefined;
  /** In pixels. */
  size?: number;
  presence?: Presence | undefined;
  class?: string | undefined;
}

export function Avatar({ name, src, size = 32, presence, class: className }: AvatarProps) {
  const [failed, setFailed] = useState<string>();
  const isShown = src && src !== failed;
  return (
    <span class={classes(styles["avatar"], className)} style={{ "--avatar": `${size}px` }}>
      {isShown ? (
        <img
          src={src}
          alt=""
          width={size}
          height={size}
          loading="lazy"
          decoding="async"
          onError={() => setFailed(src)}
        />
      ) : (
        <span class={styles["initials"]} aria-hidden="true">
          {initials(name)}
        </span>
      )}
      {presence && (
        <span class={classes(styles["dot"], styles[presence])} role="img" aria-label={t(`avatar.${presence}`)} />
      )}
    </span>
  );
}
