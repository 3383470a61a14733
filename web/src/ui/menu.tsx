/** A menu of actions. Arrows move, letters jump, Enter activates; focus returns to the element that opened it. */
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { IconButton } from "./button.tsx";
import { classes } from "./classes.ts";
import { Icon, type IconName } from "./icon.tsx";
import { Keys } from "./key-caps.tsx";
import styles from "./menu.module.css";
import { type Anchor, Popover } from "./popover.tsx";

export interface MenuAction {
  label: string;
  icon?: IconName;
  /** One line that explains it. */
  hint?: string;
  keys?: string;
  /** One of several states, or on and off. */
  checked?: boolean;
  /** With `checked`: exactly one of the neighbors is. */
  isChoice?: boolean;
  isDangerous?: boolean;
  disabled?: boolean;
  onSelect: () => void;
}

export type MenuEntry = MenuAction | { heading: string } | "line";

interface MenuProps {
  anchor: Anchor;
  label: string;
  entries: readonly MenuEntry[];
  onClose: () => void;
  place?: "belowStart" | "belowEnd" | "aboveStart" | "aboveEnd";
  id?: string;
}

const roleOf = ({ checked, isChoice }: MenuAction) =>
  checked === undefined ? "menuitem" : isChoice ? "menuitemradio" : "menuitemcheckbox";

const itemsOf = (menu: HTMLElement | null): HTMLElement[] => [
  ...(menu?.querySelectorAll<HTMLElement>("[role^=menuitem]:not(:disabled)") ?? []),
];

/** Where a key moves to from the item at `index`. */
function target(key: string, items: readonly HTMLElement[], index: number): HTMLElement | undefined {
  if (key === "ArrowDown") return items[(index + 1) % items.length];
  if (key === "ArrowUp") return items.at(index <= 0 ? -1 : index - 1);
  if (key === "Home") return items[0];
  if (key === "End") return items.at(-1);
  if (key.length !== 1 || key === " ") return undefined;
  const after = [...items.slice(index + 1), ...items.slice(0, index + 1)];
  return after.find((item) => item.dataset["label"]?.startsWith(key.toLowerCase()));
}

export function Menu({ anchor, label, entries, onClose, place = "belowStart", id }: MenuProps) {
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const items = itemsOf(list.current);
    (items.find((item) => item.matches("[role=menuitemradio][aria-checked=true]")) ?? items[0])?.focus();
  }, []);
  return (
    <Popover anchor={anchor} onClose={onClose} label={label} role="group" place={place} class={styles.sheet}>
      <div
        ref={list}
        id={id}
        role="menu"
        aria-label={label}
        class={styles.menu}
        onKeyDown={(event) => {
          if (event.key === "Tab") {
            onClose();
            return;
          }
          if (event.ctrlKey || event.metaKey || event.altKey) return;
          const items = itemsOf(list.current);
          const next = target(event.key, items, items.indexOf(document.activeElement as HTMLElement));
          if (next === undefined) return;
          event.preventDefault();
          event.stopPropagation();
          next.focus();
        }}
      >
        {entries.map((entry, index) => {
          if (entry === "line") return <div key={index} role="separator" class={styles.line} />;
          if ("heading" in entry)
            return (
              <div key={index} role="presentation" class={styles.heading}>
                {entry.heading}
              </div>
            );
          const { label: text, icon, hint, keys, checked, isDangerous, disabled, onSelect } = entry;
          return (
            <button
              key={index}
              type="button"
              role={roleOf(entry)}
              aria-checked={checked}
              tabIndex={-1}
              disabled={disabled}
              data-label={text.toLowerCase()}
              class={classes(styles.item, isDangerous && styles.dangerous)}
              onPointerMove={(event) => event.currentTarget.focus({ preventScroll: true })}
              onClick={() => {
                onClose();
                onSelect();
              }}
            >
              <span class={styles.icon}>{icon ? <Icon name={icon} /> : checked && <Icon name="check" />}</span>
              <span class={styles.text}>
                {text}
                {hint && <span class={styles.hint}>{hint}</span>}
              </span>
              {icon && checked && <Icon name="check" />}
              {keys && <Keys keys={keys} class={styles.keys} />}
            </button>
          );
        })}
      </div>
    </Popover>
  );
}

interface MenuButtonProps {
  label: string;
  icon: IconName;
  entries: readonly MenuEntry[] | (() => readonly MenuEntry[]);
  place?: MenuProps["place"];
  class?: string | undefined;
  keys?: string;
  tabIndex?: number;
}

export function MenuButton({
  label,
  icon,
  entries,
  place = "belowEnd",
  class: className,
  keys,
  tabIndex,
}: MenuButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const menu = useId();
  return (
    <>
      <IconButton
        ref={button}
        icon={icon}
        label={label}
        keys={keys}
        class={className}
        tabIndex={tabIndex}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? menu : undefined}
        // The popover closes on pointer down; without this the click would open it again.
        onPointerDown={(event) => isOpen && event.preventDefault()}
        onClick={() => setOpen((open) => !open)}
        onKeyDown={(event) => {
          if (event.key !== "ArrowDown" || isOpen) return;
          event.preventDefault();
          setOpen(true);
        }}
      />
      {isOpen && (
        <Menu
          id={menu}
          anchor={button}
          label={label}
          place={place}
          entries={typeof entries === "function" ? entries() : entries}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}
