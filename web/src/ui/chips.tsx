/**
 * A field that collects people or addresses as chips. Backspace in the empty field and each chip's button remove chips;
 * suggestions appear while typing; pasted text becomes chips at once.
 */
import "../text/chunks/fields.ts";
import { useRef, useState } from "preact/hooks";
import { announce } from "../store/announcements.ts";
import { t } from "../text/t.ts";
import { Avatar } from "./avatar.tsx";
import styles from "./chips.module.css";
import { classes } from "./classes.ts";
import { useCombobox } from "./combobox.ts";
import { Field, type FieldProps } from "./field.tsx";
import { Icon } from "./icon.tsx";
import { type Shown, SuggestionList } from "./suggestion-list.tsx";

export interface Chip extends Shown {
  /** Why this chip is not accepted as it is. */
  problem?: string | undefined;
}

interface ChipsFieldProps extends FieldProps {
  chips: readonly Chip[];
  onChange: (chips: Chip[]) => void;
  /** Matching suggestions that are not chosen yet, best first. */
  suggest?: (query: string) => readonly Chip[];
  /** Creates chips from typed or pasted text; without it only suggestions can be chosen. */
  read?: (text: string) => readonly Chip[];
  placeholder?: string;
  autofocus?: boolean;
  disabled?: boolean;
}

export function ChipsField({
  label,
  hint,
  error,
  saved,
  isOptional = false,
  chips,
  onChange,
  suggest,
  read,
  placeholder,
  autofocus,
  disabled = false,
}: ChipsFieldProps) {
  const [query, setQuery] = useState("");
  const [openedBy, setOpenedBy] = useState<"typing" | "arrow">();
  const input = useRef<HTMLInputElement>(null);
  const frame = useRef<HTMLDivElement>(null);

  const chosen = new Set(chips.map((chip) => chip.key));

  const add = (added: readonly Chip[]): void => {
    const fresh = added.filter((chip) => !chosen.has(chip.key));
    if (fresh.length > 0) onChange([...chips, ...fresh]);
    setQuery("");
    setOpenedBy(undefined);
  };
  const remove = (chip: Chip): void => {
    onChange(chips.filter((each) => each.key !== chip.key));
    announce(t("chips.removed", { name: chip.label }));
    input.current?.focus();
  };
  const readTyped = (): boolean => {
    const found = read?.(query) ?? [];
    if (found.length > 0) add(found);
    return found.length > 0;
  };

  const combobox = useCombobox({
    options: openedBy && suggest ? suggest(query).filter((chip) => !chosen.has(chip.key)) : [],
    query,
    // In the empty field, Tab moves on and Enter submits the form, unless the list was opened by an arrow key.
    choosesBy: query !== "" ? ["Enter", "Tab"] : openedBy === "arrow" ? ["Enter"] : [],
    onChoose: (option) => add([option]),
    onDismiss: () => setOpenedBy(undefined),
  });

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing || combobox.handleKey(event)) return;
    const last = chips.at(-1);
    if (event.key === "Backspace" && query === "" && last) remove(last);
    else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && suggest && !openedBy) setOpenedBy("arrow");
    else if ((event.key === "Enter" || event.key === "," || event.key === ";") && query !== "") readTyped();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <Field {...{ label, hint, error, saved, isOptional }}>
      {(attributes) => (
        <div
          ref={frame}
          class={classes(styles.frame, error !== undefined && styles.invalid)}
          onClick={() => input.current?.focus()}
        >
          {chips.length > 0 && (
            <ul class={styles.chips} aria-label={label}>
              {chips.map((chip) => (
                <li key={chip.key} class={classes(styles.chip, chip.problem !== undefined && styles.problem)}>
                  {chip.avatar !== undefined && <Avatar name={chip.label} src={chip.avatar} size={18} />}
                  {chip.problem !== undefined && <Icon name="circle-alert" size={14} />}
                  <span class={styles.name} dir="auto">
                    {chip.label}
                  </span>
                  {chip.problem !== undefined && <span class="visually-hidden">{chip.problem}</span>}
                  <button
                    type="button"
                    class={styles.remove}
                    hidden={disabled}
                    aria-label={t("chips.remove", { name: chip.label })}
                    data-tip={chip.problem}
                    onClick={(event) => {
                      event.stopPropagation();
                      remove(chip);
                    }}
                  >
                    <Icon name="x" size={12} />
                  </button>
                </li>
              ))}
            </ul>
          )}
          <input
            {...attributes}
            {...(suggest ? combobox.field : { autocomplete: "off" })}
            ref={input}
            type="text"
            autofocus={autofocus}
            disabled={disabled}
            class={styles.input}
            placeholder={chips.length === 0 ? placeholder : undefined}
            value={query}
            onInput={(event) => {
              setQuery(event.currentTarget.value);
              setOpenedBy("typing");
            }}
            onKeyDown={onKeyDown}
            onPaste={(event) => {
              const found = read?.(event.clipboardData?.getData("text/plain") ?? "") ?? [];
              if (found.length === 0) return;
              event.preventDefault();
              add(found);
            }}
            onBlur={() => {
              setOpenedBy(undefined);
              readTyped();
            }}
          />
          {combobox.options.length > 0 && (
            <SuggestionList combobox={combobox} label={t("chips.suggestions")} anchor={frame} />
          )}
        </div>
      )}
    </Field>
  );
}
