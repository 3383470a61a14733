/**
 * A field that gathers people or addresses as chips. Backspace in the empty field and each chip's own button remove;
 * suggestions come as one types; what is pasted becomes chips at once.
 */
import { useId, useRef, useState } from "preact/hooks";
import { t } from "../text/t.ts";
import { Avatar } from "./avatar.tsx";
import styles from "./chips.module.css";
import { classes } from "./classes.ts";
import { Field, type FieldProps } from "./field.tsx";
import { Icon } from "./icon.tsx";
import { announce } from "./live-region.tsx";
import { optionId, type Shown, SuggestionList } from "./suggestion-list.tsx";

export interface Chip extends Shown {
  /** Why this one cannot be taken as it is. */
  problem?: string | undefined;
}

interface ChipsFieldProps extends FieldProps {
  chips: readonly Chip[];
  onChange: (chips: Chip[]) => void;
  /** Those not chosen yet that fit, best first. */
  suggest?: (query: string) => readonly Chip[];
  /** Chips out of typed or pasted text; without it only suggestions can be chosen. */
  read?: (text: string) => readonly Chip[];
  placeholder?: string;
  autofocus?: boolean;
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
}: ChipsFieldProps) {
  const [query, setQuery] = useState("");
  const [active, setActive] = useState(0);
  const [isOpen, setOpen] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const list = useId();

  const chosen = new Set(chips.map((chip) => chip.key));
  const options = isOpen && suggest ? suggest(query).filter((chip) => !chosen.has(chip.key)) : [];

  const add = (added: readonly Chip[]): void => {
    const fresh = added.filter((chip) => !chosen.has(chip.key));
    if (fresh.length > 0) onChange([...chips, ...fresh]);
    setQuery("");
    setActive(0);
    setOpen(false);
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

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    const option = options[active];
    const last = chips.at(-1);
    if (event.key === "Backspace" && query === "" && last) remove(last);
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (!isOpen) setOpen(true);
      else if (options.length > 0)
        setActive((active + (event.key === "ArrowDown" ? 1 : options.length - 1)) % options.length);
    } else if (event.key === "Escape" && options.length > 0) setOpen(false);
    else if ((event.key === "Enter" || event.key === "Tab") && option && query !== "") add([option]);
    else if ((event.key === "Enter" || event.key === "," || event.key === ";") && query !== "") readTyped();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <Field {...{ label, hint, error, saved, isOptional }}>
      {(ties) => (
        <div
          ref={frame}
          class={classes(styles["frame"], error !== undefined && styles["invalid"])}
          onClick={() => input.current?.focus()}
        >
          {chips.length > 0 && (
            <ul class={styles["chips"]} aria-label={label}>
              {chips.map((chip) => (
                <li key={chip.key} class={classes(styles["chip"], chip.problem !== undefined && styles["problem"])}>
                  {chip.avatar !== undefined && <Avatar name={chip.label} src={chip.avatar} size={18} />}
                  {chip.problem !== undefined && <Icon name="circle-alert" size={14} />}
                  <span class={styles["name"]}>{chip.label}</span>
                  {chip.problem !== undefined && <span class="said">{chip.problem}</span>}
                  <button
                    type="button"
                    class={styles["remove"]}
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
            {...ties}
            ref={input}
            type="text"
            role={suggest ? "combobox" : undefined}
            aria-expanded={suggest ? options.length > 0 : undefined}
            aria-controls={options.length > 0 ? list : undefined}
            aria-autocomplete={suggest ? "list" : undefined}
            aria-activedescendant={options.length > 0 ? optionId(list, active) : undefined}
            autocomplete="off"
            autofocus={autofocus}
            class={styles["input"]}
            placeholder={chips.length === 0 ? placeholder : undefined}
            value={query}
            onInput={(event) => {
              setQuery(event.currentTarget.value);
              setActive(0);
              setOpen(true);
            }}
            onKeyDown={onKeyDown}
            onPaste={(event) => {
              const found = read?.(event.clipboardData?.getData("text/plain") ?? "") ?? [];
              if (found.length === 0) return;
              event.preventDefault();
              add(found);
            }}
            onBlur={() => {
              setOpen(false);
              readTyped();
            }}
          />
          {options.length > 0 && (
            <SuggestionList
              id={list}
              label={t("chips.suggestions")}
              options={options}
              active={active}
              anchor={frame}
              onHover={setActive}
              onChoose={(option) => add([option])}
            />
          )}
        </div>
      )}
    </Field>
  );
}
