/** Buttons: one with text, and one with only an icon, whose text is its label and tooltip. */
import type { ButtonHTMLAttributes, ComponentChildren } from "preact";
import styles from "./button.module.css";
import { classes } from "./classes.ts";
import { Icon, type IconName } from "./icon.tsx";
import { tip } from "./tooltip.tsx";

interface Common extends Omit<ButtonHTMLAttributes, "class" | "icon" | "size" | "label"> {
  class?: string | undefined;
  /** In progress: a second click does nothing, and focus stays. */
  busy?: boolean | undefined;
}

interface ButtonProps extends Common {
  kind?: "primary" | "plain" | "quiet" | "danger";
  icon?: IconName | undefined;
  children: ComponentChildren;
}

export function Button({
  kind = "plain",
  icon,
  busy = false,
  class: className,
  children,
  onClick,
  "aria-disabled": isDisabled,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      class={classes(styles.button, kind !== "plain" && styles[kind], className)}
      aria-busy={busy || undefined}
      aria-disabled={busy || isDisabled || undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
    >
      {busy ? <span class={styles.spinner} /> : icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

interface IconButtonProps extends Common {
  icon: IconName;
  label: string;
  /** The equivalent shortcut, shown in the tooltip. */
  keys?: string | undefined;
  pressed?: boolean | undefined;
  size?: number;
}

export function IconButton({
  icon,
  label,
  keys,
  pressed,
  size = 18,
  busy = false,
  class: className,
  ...rest
}: IconButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      {...tip(label, keys)}
      class={classes(styles.iconButton, className)}
      aria-label={label}
      aria-pressed={pressed}
      aria-busy={busy || undefined}
    >
      {busy ? <span class={styles.spinner} /> : <Icon name={icon} size={size} />}
    </button>
  );
}
