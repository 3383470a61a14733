/** Form fields: a label, the control, a hint, and an error. */
import "../text/chunks/fields.ts";
import type { ComponentChildren, Ref, TargetedEvent } from "preact";
import { useId, useState } from "preact/hooks";
import { t } from "../text/t.ts";
import { IconButton } from "./button.tsx";
import { classes } from "./classes.ts";
import styles from "./field.module.css";
import { Icon } from "./icon.tsx";

export interface FieldProps {
  label: string;
  hint?: ComponentChildren;
  error?: string | undefined;
  /** Shown beside the label once the value is saved. */
  saved?: boolean | undefined;
  isOptional?: boolean;
}

/** Connects a control to its label, hint and error. */
interface ControlAttributes {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": true | undefined;
}

interface FrameProps extends FieldProps {
  children: (attributes: ControlAttributes) => ComponentChildren;
}

export function Field({ label, hint, error, saved, isOptional, children }: FrameProps) {
  const id = useId();
  const described = classes(hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`);
  return (
    <div class={styles.field}>
      <div class={styles.top}>
        <label for={id} class={styles.label}>
          {label}
          {isOptional && <span class={styles.optional}> ({t("field.optional")})</span>}
        </label>
        <SavedNote saved={saved} />
      </div>
      {children({
        id,
        "aria-describedby": described || undefined,
        "aria-invalid": error === undefined ? undefined : true,
      })}
      {hint !== undefined && (
        <div id={`${id}-hint`} class={styles.hint}>
          {hint}
        </div>
      )}
      <FieldError id={`${id}-error`} error={error} />
    </div>
  );
}

export const SavedNote = ({ saved }: { saved: boolean | undefined }) => (
  <span class={styles.saved} role="status">
    {saved && (
      <>
        <Icon name="check" size={14} /> {t("field.saved")}
      </>
    )}
  </span>
);

export const FieldError = ({ id, error }: { id: string; error: string | undefined }) =>
  error === undefined ? null : (
    <div id={id} class={styles.error} role="alert">
      <Icon name="circle-alert" size={14} />
      {error}
    </div>
  );

/** Properties shared by all controls. */
interface Control<Element extends HTMLElement> extends FieldProps {
  value?: string;
  onInput?: (event: TargetedEvent<Element, InputEvent>) => void;
  onChange?: (event: TargetedEvent<Element>) => void;
  onBlur?: () => void;
  onKeyDown?: (event: KeyboardEvent) => void;
  name?: string;
  disabled?: boolean;
  required?: boolean;
  autofocus?: boolean;
  ref?: Ref<Element>;
}

interface Typed<Element extends HTMLElement> extends Control<Element> {
  placeholder?: string;
  maxLength?: number;
  autocomplete?: string;
  spellcheck?: boolean;
}

interface TextFieldProps extends Typed<HTMLInputElement> {
  type?: "text" | "email" | "url" | "tel" | "number" | "search" | "datetime-local" | "date" | "time";
  min?: string | number;
  max?: string | number;
}

// Preact's types allow an input only with a literal type.
const asText = (type: string): "text" => type as "text";

export function TextField({ type = "text", label, hint, error, saved, isOptional, ...rest }: TextFieldProps) {
  return (
    <Field {...{ label, hint, error, saved }} isOptional={isOptional ?? false}>
      {(attributes) => <input {...rest} {...attributes} type={asText(type)} class={styles.control} />}
    </Field>
  );
}

export function TextArea({
  label,
  hint,
  error,
  saved,
  isOptional,
  ...rest
}: Typed<HTMLTextAreaElement> & { rows?: number }) {
  return (
    <Field {...{ label, hint, error, saved }} isOptional={isOptional ?? false}>
      {(attributes) => <textarea rows={3} {...rest} {...attributes} class={classes(styles.control, styles.area)} />}
    </Field>
  );
}

/** A password that can be revealed and pasted. */
export function PasswordField({ label, hint, error, saved: _, isOptional: __, ...rest }: Typed<HTMLInputElement>) {
  const [isVisible, setVisible] = useState(false);
  return (
    <Field {...{ label, hint, error }}>
      {(attributes) => (
        <div class={styles.withButton}>
          <input {...rest} {...attributes} type={asText(isVisible ? "text" : "password")} class={styles.control} />
          <IconButton
            icon={isVisible ? "eye-off" : "eye"}
            label={t(isVisible ? "field.hidePassword" : "field.showPassword")}
            onClick={() => setVisible(!isVisible)}
          />
        </div>
      )}
    </Field>
  );
}

interface SelectProps extends Control<HTMLSelectElement> {
  options: readonly { value: string; label: string }[];
}

export function SelectField({ label, hint, error, saved, isOptional, options, ...rest }: SelectProps) {
  return (
    <Field {...{ label, hint, error, saved }} isOptional={isOptional ?? false}>
      {(attributes) => (
        <span class={styles.select}>
          <select {...rest} {...attributes} class={styles.control}>
            {options.map((option) => (
              <option key={option.value} value={option.value}>
                {option.label}
              </option>
            ))}
          </select>
          <Icon name="chevron-down" />
        </span>
      )}
    </Field>
  );
}
