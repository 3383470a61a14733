/** An icon from the sprite. It is hidden from screen readers: the text or label beside it has the meaning. */
import { classes } from "./classes.ts";
import type { IconName } from "./icon-names.ts";
import styles from "./icon.module.css";
// Inlined, it would be a data: URL, which <use> refuses.
import sprite from "./icons.svg?no-inline";

export type { IconName };

interface IconProps {
  name: IconName;
  /** In pixels at the default text size. */
  size?: number;
  class?: string | undefined;
}

export function Icon({ name, size = 16, class: className }: IconProps) {
  return (
    <svg class={classes(styles.icon, className)} style={{ "--icon": `${size / 16}rem` }} aria-hidden="true">
      <use href={`${sprite}#${name}`} />
    </svg>
  );
}
