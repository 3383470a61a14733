/** What a combobox offers: a listbox whose active option is told by aria-activedescendant of the field. */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Avatar } from "./avatar.tsx";
import { classes } from "./classes.ts";
import { Icon, type IconName } from "./icon.tsx";
import styles from "./suggestion-list.module.css";
import { hideFromTop, showOnTop } from "./top-layer.ts";

export interface Shown {
  key: string;
  label: string;
  /** Beside the label, in a quieter voice. */
  detail?: string | undefined;
  icon?: IconName | undefined;
  /** Somebody's picture; `null` shows initials. */
  avatar?: string | null | undefined;
  /** A character, such as an emoji. */
  glyph?: string | undefined;
  /** A small picture, such as a custom emoji. */
  image?: string | undefined;
  isItalic?: boolean | undefined;
}

interface SuggestionListProps<Option extends Shown> {
  id: string;
  label: string;
  options: readonly Option[];
  active: number;
  anchor: { current: HTMLElement | null };
  /** Moves with the anchor: the list finds its place anew when it changes. */
  position?: string;
  place?: "above" | "below";
  footer?: ComponentChildren;
  onHover: (index: number) => void;
  onChoose: (option: Option) => void;
}

export const optionId = (list: string, index: number): string => `${list}-${index}`;

function Sign({ option }: { option: Shown }) {
  if (option.avatar !== undefined) return <Avatar name={option.label} src={option.avatar} size={22} />;
  if (option.glyph !== undefined) return <span class={styles["glyph"]}>{option.glyph}</span>;
  if (option.image !== undefined) return <img src={option.image} alt="" width={20} height={20} />;
  return option.icon === undefined ? null : <Icon name={option.icon} />;
}

export function SuggestionList<Option extends Shown>(props: SuggestionListProps<Option>) {
  const { id, label, options, active, anchor, position, place = "below", footer, onHover, onChoose } = props;
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    showOnTop(element, anchor.current);
    return () => hideFromTop(element);
  }, [position]);
  useLayoutEffect(() => {
    box.current?.querySelector("[aria-selected=true]")?.scrollIntoView?.({ block: "nearest" });
  }, [active]);
  return (
    <div ref={box} popover="manual" class={classes(styles["box"], styles[place])}>
      <ul id={id} role="listbox" aria-label={label} class={styles["list"]}>
        {options.map((option, index) => (
          <li
            // A row is used again for what stands there next: to make it anew takes longer than a key stroke may.
            key={index}
            id={optionId(id, index)}
            role="option"
            aria-selected={index === active}
            class={styles["option"]}
            onPointerMove={() => index !== active && onHover(index)}
            // Focus stays in the field.
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => onChoose(option)}
          >
            <span class={styles["sign"]}>
              <Sign option={option} />
            </span>
            <span class={classes(styles["label"], option.isItalic && styles["italic"])}>{option.label}</span>
            {option.detail !== undefined && <span class={styles["detail"]}>{option.detail}</span>}
          </li>
        ))}
      </ul>
      {footer}
    </div>
  );
}
