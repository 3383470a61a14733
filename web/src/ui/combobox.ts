/**
 * A combobox: a text field with a list or grid of options. Focus stays in the field, and aria-activedescendant points to the
 * active option: the first one after each change of the query, then the one that arrow keys or the pointer moved to. Arrow keys
 * also scroll it into view. All other keys belong to the field: Home and End move the caret, shortcuts and input methods work.
 */
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";

interface ComboboxProps<Option> {
  /** Without any, the list counts as closed. */
  options: readonly Option[];
  onChoose: (option: Option) => void;
  /** The options were found for this; when it changes, the first option becomes active. */
  query: unknown;
  /** The keys that choose the active option. */
  choosesBy?: readonly ("Enter" | "Tab")[];
  /** Called on Escape. Without it, Escape closes the dialog or popover that contains the field. */
  onDismiss?: () => void;
  popup?: "listbox" | "grid";
  /** The option that a key moves to. By default, up and down wrap around at the ends of the list. */
  move?: (key: string, active: number) => number | undefined;
  /** Scrolls to an option; needed where options outside the view are not rendered. */
  reveal?: (index: number) => void;
}

export interface Combobox<Option> {
  options: readonly Option[];
  active: number;
  /** Call it on the field's keydown. Returns true if the list handled the key. */
  handleKey: (event: KeyboardEvent) => boolean;
  field: FieldAttributes;
  list: { id: string; role: "listbox" | "grid" };
  option: (index: number) => OptionAttributes;
}

interface FieldAttributes {
  role: "combobox";
  autocomplete: "off";
  "aria-autocomplete": "list";
  "aria-haspopup": "listbox" | "grid";
  "aria-expanded": boolean;
  "aria-controls": string | undefined;
  "aria-activedescendant": string | undefined;
}

interface OptionAttributes {
  id: string;
  role: "option" | "gridcell";
  "aria-selected": boolean;
  onPointerMove: () => void;
  onPointerDown: (event: Event) => void;
  onClick: () => void;
}

const byEnter = ["Enter"] as const;

export const isShortcutOrComposing = (event: KeyboardEvent): boolean =>
  event.isComposing || event.ctrlKey || event.metaKey || event.altKey;

function upOrDown(key: string, active: number, count: number): number | undefined {
  if (key === "ArrowDown") return (active + 1) % count;
  return key === "ArrowUp" ? (active + count - 1) % count : undefined;
}

export function useCombobox<Option>(props: ComboboxProps<Option>): Combobox<Option> {
  const { options, onChoose, query, choosesBy = byEnter, onDismiss, popup = "listbox", move, reveal } = props;
  const list = useId();
  const idOf = (index: number): string => `${list}-${index}`;
  const isOpen = options.length > 0;

  const [, render] = useState({});
  const at = useRef({ query, index: 0, isByPointer: false });
  if (at.current.query !== query) at.current = { query, index: 0, isByPointer: false };
  // There may be fewer options than before.
  const active = Math.max(0, Math.min(at.current.index, options.length - 1));
  const activate = (index: number, isByPointer = false): void => {
    at.current = { query, index, isByPointer };
    render({});
  };

  useLayoutEffect(() => {
    // The list does not scroll under the pointer.
    if (at.current.isByPointer) return;
    if (reveal) reveal(active);
    else document.getElementById(idOf(active))?.scrollIntoView?.({ block: "nearest" });
  }, [active]);

  const choose = (option: Option): void => {
    activate(0);
    onChoose(option);
  };

  const handleKey = (event: KeyboardEvent): boolean => {
    if (!isOpen || isShortcutOrComposing(event)) return false;
    const { key } = event;
    const next = move ? move(key, active) : upOrDown(key, active, options.length);
    const option = options[active];
    // Shift+Tab moves focus back.
    const isChoice = choosesBy.some((chosenBy) => chosenBy === key) && !(key === "Tab" && event.shiftKey);
    if (next !== undefined) activate(next);
    else if (isChoice && option !== undefined) choose(option);
    else if (key === "Escape" && onDismiss) onDismiss();
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  };

  return {
    options,
    active,
    handleKey,
    field: {
      role: "combobox",
      autocomplete: "off",
      "aria-autocomplete": "list",
      "aria-haspopup": popup,
      "aria-expanded": isOpen,
      "aria-controls": isOpen ? list : undefined,
      "aria-activedescendant": isOpen ? idOf(active) : undefined,
    },
    list: { id: list, role: popup },
    option: (index) => ({
      id: idOf(index),
      role: popup === "grid" ? "gridcell" : "option",
      "aria-selected": index === active,
      onPointerMove: () => {
        if (index !== active) activate(index, true);
      },
      // Focus stays in the field.
      onPointerDown: (event) => event.preventDefault(),
      onClick: () => {
        const option = options[index];
        if (option !== undefined) choose(option);
      },
    }),
  };
}
