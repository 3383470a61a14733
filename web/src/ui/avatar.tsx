/**
 * A person's picture, or initials on the person's color. The name is shown beside it, so the picture has no accessible
 * name.
 */
import { avatarColor } from "@skein/api/avatar-color.ts";
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

/**
 * `/avatar/{id}?version=…` is the server's URL for a generated picture of someone without one: initials are more useful and
 * need no request. Without a version, it is where this client requests a picture it knows nothing about.
 */
const drawn = /^\/avatar\/(\d+)(?:\/medium)?(\?version=)?/;

export function Avatar({ name, src, size = 32, presence, class: className }: AvatarProps) {
  const [failed, setFailed] = useState<string>();
  const [, userId, isDrawn] = drawn.exec(src ?? "") ?? [];
  const isShown = src && src !== failed && isDrawn === undefined;
  return (
    <span class={classes(styles.avatar, className)} style={{ "--avatar": `${size}px` }}>
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
        <span
          class={classes(styles.initials, userId !== undefined && styles.colored)}
          style={userId === undefined ? undefined : { "--color": avatarColor(Number(userId)) }}
          aria-hidden="true"
        >
          {initials(name)}
        </span>
      )}
      {presence && (
        <span
          class={classes(styles.dot, presence === "idle" && styles.idle)}
          role="img"
          aria-label={t(`avatar.${presence}`)}
        />
      )}
    </span>
  );
}
