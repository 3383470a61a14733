/** One row of the sidebar: its label, whether it is current, and the unread count. */
import type { ComponentChildren } from "preact";
import { formatNumber, t } from "../text/t.ts";
import { classes } from "../ui/classes.ts";
import { Icon, type IconName } from "../ui/icon.tsx";
import styles from "./sidebar-row.module.css";

/** What is unread. */
export interface Tally {
  count?: number;
  /** Highlighted: a mention or a direct message. */
  isLoud?: boolean;
  /** Shows a dot instead of a number. */
  isMuted?: boolean;
  /** What the number counts, for screen readers; by default unread messages. */
  countText?: string | undefined;
}

export function Count({ count = 0, isLoud, isMuted, countText }: Tally) {
  if (count === 0) return null;
  if (isMuted && !isLoud) return <span class={styles.dot} role="img" aria-label={t("unread.some")} />;
  return (
    <span class={classes(styles.count, isLoud && styles.loud)}>
      <span class="visually-hidden">{countText ?? t("unread.count", { count })}</span>
      <span aria-hidden="true">{count > 999 ? "999+" : formatNumber(count)}</span>
    </span>
  );
}

/** Muted rows have dimmed text. */
interface SidebarRowProps extends Tally {
  label: ComponentChildren;
  address: string;
  icon?: IconName | undefined;
  /** Replaces the icon. */
  picture?: ComponentChildren;
  isCurrent?: boolean;
  /** The number counts all items, not unread ones. */
  isCalm?: boolean;
  /** Indented below a channel. */
  isNested?: boolean;
  /** The channel's color, as a dot. */
  color?: string | undefined;
  hasDraft?: boolean;
  isMatch?: boolean;
  actions?: ComponentChildren;
}

export function SidebarRow(props: SidebarRowProps) {
  const { label, address, icon, picture, isCurrent, count = 0, isMuted, isCalm, isNested, color, hasDraft } = props;
  return (
    <li
      class={classes(
        styles.row,
        isNested && styles.nested,
        isMuted && styles.muted,
        isCalm && styles.calm,
        count > 0 && styles.unread,
      )}
      data-match={props.isMatch || undefined}
    >
      <a class={styles.link} href={address} aria-current={isCurrent ? "page" : undefined}>
        {color !== undefined && <span class={styles.color} style={{ "--channel": color }} />}
        {picture ?? (icon && <Icon name={icon} class={styles.icon} />)}
        <span class={styles.label} dir="auto">
          {label}
        </span>
        {hasDraft && (
          <span class={styles.draft} role="img" aria-label={t("drafts.one")}>
            <Icon name="pencil" size={12} />
          </span>
        )}
        <Count {...props} />
      </a>
      {props.actions}
    </li>
  );
}
