/** One row of the sidebar: what it is, whether one is there, and how much is unread. */
import type { ComponentChildren } from "preact";
import { formatNumber, t } from "../text/t.ts";
import { classes } from "../ui/classes.ts";
import { Icon, type IconName } from "../ui/icon.tsx";
import styles from "./sidebar-row.module.css";

interface SidebarRowProps {
  label: ComponentChildren;
  address: string;
  icon?: IconName | undefined;
  /** In place of an icon. */
  picture?: ComponentChildren;
  isCurrent?: boolean;
  count?: number;
  /** Coloured: a mention or a direct message. */
  isLoud?: boolean;
  /** A dot instead of a number, and a quieter voice. */
  isMuted?: boolean;
  /** The number counts what is there, not what is unread. */
  isCalm?: boolean;
  /** Below a channel. */
  isNested?: boolean;
  /** Of the channel, as a dot. */
  color?: string | undefined;
  hasDraft?: boolean;
  isMatch?: boolean;
  actions?: ComponentChildren;
}

export function SidebarRow(props: SidebarRowProps) {
  const {
    label,
    address,
    icon,
    picture,
    isCurrent,
    count = 0,
    isLoud,
    isMuted,
    isCalm,
    isNested,
    color,
    hasDraft,
  } = props;
  return (
    <li
      class={classes(
        styles["row"],
        isNested && styles["nested"],
        isMuted && styles["muted"],
        isCalm && styles["calm"],
        count > 0 && styles["unread"],
      )}
      data-match={props.isMatch || undefined}
    >
      <a class={styles["link"]} href={address} aria-current={isCurrent ? "page" : undefined}>
        {color !== undefined && <span class={styles["color"]} style={{ "--channel": color }} />}
        {picture ?? (icon && <Icon name={icon} class={styles["icon"]} />)}
        <span class={styles["label"]}>{label}</span>
        {hasDraft && (
          <span class={styles["draft"]} role="img" aria-label={t("drafts.one")}>
            <Icon name="pencil" size={12} />
          </span>
        )}
        {count > 0 &&
          (isMuted && !isLoud ? (
            <span class={styles["dot"]} role="img" aria-label={t("unread.some")} />
          ) : (
            <span class={classes(styles["count"], isLoud && styles["loud"])}>
              <span class="said">{t("unread.count", { count })}</span>
              <span aria-hidden="true">{count > 999 ? "999+" : formatNumber(count)}</span>
            </span>
          ))}
      </a>
      {props.actions}
    </li>
  );
}
