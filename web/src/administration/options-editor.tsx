/** The choices of a profile field: their texts and order. */
import "../text/chunks/organization-lists.ts";
import { useRef } from "preact/hooks";
import { ItemList } from "../controls/item-list.tsx";
import { t } from "../text/t.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { newOption, type Option } from "./profile-field-types.ts";
import styles from "./options-editor.module.css";

interface OptionsEditorProps {
  options: Option[];
  /** Options that profiles may have: their keys are not used again. */
  taken: readonly Option[];
  warning: string | undefined;
  onChange: (options: Option[]) => void;
}

const maxLength = 200;

export function OptionsEditor({ options, taken, warning, onChange }: OptionsEditorProps) {
  const frame = useRef<HTMLDivElement>(null);
  const nameOf = (option: Option): string =>
    option.text.trim() === "" ? t("organization.fields.option", { number: options.indexOf(option) + 1 }) : option.text;
  const add = (): void => {
    onChange([...options, newOption([...taken, ...options])]);
    requestAnimationFrame(() => [...(frame.current?.querySelectorAll("input") ?? [])].at(-1)?.focus());
  };
  return (
    <div ref={frame} class={styles.options}>
      <h3 class={styles.label}>{t("organization.fields.options")}</h3>
      <ItemList
        label={t("organization.fields.options")}
        items={options}
        keyOf={({ key }) => key}
        nameOf={nameOf}
        onReorder={onChange}
        render={(option) => (
          <input
            class={styles.input}
            aria-label={t("organization.fields.option", { number: options.indexOf(option) + 1 })}
            value={option.text}
            maxLength={maxLength}
            onInput={(event) =>
              onChange(options.map((each) => (each === option ? { ...each, text: event.currentTarget.value } : each)))
            }
            onKeyDown={(event) => {
              // Not the whole form.
              if (event.key !== "Enter" || event.isComposing || option.text.trim() === "") return;
              event.preventDefault();
              add();
            }}
          />
        )}
        actions={(option) => (
          <IconButton
            icon="x"
            label={t("organization.fields.removeOption", { name: nameOf(option) })}
            disabled={options.length === 1}
            onClick={() => onChange(options.filter((each) => each !== option))}
          />
        )}
      />
      <Button icon="plus" onClick={add}>
        {t("organization.fields.addOption")}
      </Button>
      {warning !== undefined && (
        <p class={styles.warning} role="status">
          {warning}
        </p>
      )}
    </div>
  );
}
