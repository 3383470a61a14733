/** The options of a combobox, floating beside its field. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { Avatar } from "./avatar.tsx";
import { classes } from "./classes.ts";
import type { Combobox } from "./combobox.ts";
import { Icon, type IconName } from "./icon.tsx";
import styles from "./suggestion-list.module.css";
import { hideFromTop, showOnTop } from "./top-layer.ts";

export interface Shown {
  key: string;
  label: string;
  /** Beside the label, dimmed. */
  detail?: string | undefined;
  icon?: IconName | undefined;
  /** The person's name, if the label contains more. */
  name?: string | undefined;
  /** A person's picture; `null` shows initials. */
  avatar?: string | null | undefined;
  /** A character, such as an emoji. */
  glyph?: string | undefined;
  /** A small image, such as a custom emoji. */
  image?: string | undefined;
  isItalic?: boolean | undefined;
}

interface SuggestionListProps<Option extends Shown> {
  combobox: Combobox<Option>;
  label: string;
  anchor: { current: HTMLElement | null };
  /** Changes with the anchor's position, so that the list is placed again. */
  position?: string;
  place?: "above" | "below";
}

function OptionIcon({ option }: { option: Shown }) {
  if (option.avatar !== undefined) return <Avatar name={option.name ?? option.label} src={option.avatar} size={22} />;
  if (option.glyph !== undefined) return <span class={styles.glyph}>{option.glyph}</span>;
  if (option.image !== undefined) return <img src={option.image} alt="" width={20} height={20} />;
  return option.icon === undefined ? null : <Icon name={option.icon} />;
}

export function SuggestionList<Option extends Shown>(props: SuggestionListProps<Option>) {
  const { combobox, label, anchor, position, place = "below" } = props;
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    showOnTop(element, anchor.current);
    return () => hideFromTop(element);
  }, [position]);
  return (
    <div ref={box} popover="manual" class={classes(styles.box, styles[place])}>
      <ul {...combobox.list} aria-label={label} class={styles.list}>
        {combobox.options.map((option, index) => (
          // Rows are reused: creating new ones takes longer than a keystroke may.
          <li key={index} {...combobox.option(index)} class={styles.option}>
            <span class={styles.sign}>
              <OptionIcon option={option} />
            </span>
            <span class={classes(styles.label, option.isItalic && styles.italic)}>{option.label}</span>
            {option.detail !== undefined && <span class={styles.detail}>{option.detail}</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}
