/** An icon of the sprite. It says nothing by itself: what it stands for is told by the text or label beside it. */
import { classes } from "./classes.ts";
import type { IconName } from "./icon-names.ts";
import styles from "./icon.module.css";
// Inlined it would be a data address, which <use> refuses.
import sprite from "./icons.svg?no-inline";

export type { IconName };

interface IconProps {
  name: IconName;
  /** In pixels at the usual text size. */
  size?: number;
  class?: string | undefined;
}

export function Icon({ name, size = 16, class: className }: IconProps) {
  return (
    <svg class={classes(styles["icon"], className)} style={{ "--icon": `${size / 16}rem` }} aria-hidden="true">
      <use href={`${sprite}#${name}`} />
    </svg>
  );
}
