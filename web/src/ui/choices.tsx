/** Choices that take effect at once: a check box, and radio buttons. */
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { FieldError, SavedNote } from "./field.tsx";
import styles from "./field.module.css";
import { classes } from "./classes.ts";

interface CheckProps {
  label: string;
  hint?: ComponentChildren;
  checked: boolean;
  disabled?: boolean;
  saved?: boolean | undefined;
  error?: string | undefined;
  onChange: (checked: boolean) => void;
}

export function CheckField({ label, hint, checked, disabled = false, saved, error, onChange }: CheckProps) {
  const id = useId();
  const described = classes(hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`);
  return (
    <div class={styles.choice}>
      <input
        id={id}
        type="checkbox"
        checked={checked}
        disabled={disabled}
        aria-describedby={described || undefined}
        onChange={(event) => {
          const wanted = event.currentTarget.checked;
          // Shows the stored value, not the click.
          event.currentTarget.checked = checked;
          onChange(wanted);
        }}
      />
      <div>
        <label for={id}>{label}</label> <SavedNote saved={saved} />
        {hint !== undefined && (
          <div id={`${id}-hint`} class={styles.hint}>
            {hint}
          </div>
        )}
        <FieldError id={`${id}-error`} error={error} />
      </div>
    </div>
  );
}

interface RadioProps {
  label: string;
  /** Of all options. */
  hint?: ComponentChildren;
  options: readonly { value: string; label: string; hint?: string; disabled?: boolean }[];
  value: string;
  disabled?: boolean;
  saved?: boolean | undefined;
  error?: string | undefined;
  onChange: (value: string) => void;
}

export function RadioField({ label, hint, options, value, disabled = false, saved, error, onChange }: RadioProps) {
  const id = useId();
  const described = classes(hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`);
  return (
    <fieldset class={styles.group} disabled={disabled} aria-describedby={described || undefined}>
      <legend class={styles.label}>
        {label} <SavedNote saved={saved} />
      </legend>
      {options.map((option) => (
        <div key={option.value} class={styles.choice}>
          <input
            id={`${id}-${option.value}`}
            type="radio"
            name={id}
            value={option.value}
            checked={option.value === value}
            disabled={option.disabled}
            aria-describedby={option.hint === undefined ? undefined : `${id}-${option.value}-hint`}
            onChange={() => onChange(option.value)}
          />
          <div>
            <label for={`${id}-${option.value}`}>{option.label}</label>
            {option.hint !== undefined && (
              <div id={`${id}-${option.value}-hint`} class={styles.hint}>
                {option.hint}
              </div>
            )}
          </div>
        </div>
      ))}
      {hint !== undefined && (
        <div id={`${id}-hint`} class={styles.hint}>
          {hint}
        </div>
      )}
      <FieldError id={`${id}-error`} error={error} />
    </fieldset>
  );
}
