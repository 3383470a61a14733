/** A modal with a field and a list of options below it: the palette and the message search. */
import type { ComponentChildren, Ref } from "preact";
import { Avatar } from "./avatar.tsx";
import { classes } from "./classes.ts";
import type { Combobox } from "./combobox.ts";
import { Icon } from "./icon.tsx";
import { Keys } from "./key-caps.tsx";
import { Modal } from "./modal.tsx";
import type { Shown } from "./suggestion-list.tsx";
import styles from "./finder.module.css";

export interface Found extends Shown {
  keys?: string | undefined;
}

interface FinderProps<Option extends Found> {
  title: string;
  placeholder: string;
  text: string;
  onText: (text: string) => void;
  combobox: Combobox<Option>;
  /** By default the combobox's. */
  onKeyDown?: (event: KeyboardEvent) => void;
  onClose: () => void;
  field?: Ref<HTMLInputElement>;
  /** Before the field, on its line while there is room. */
  before?: ComponentChildren;
  /** After the field. */
  after?: ComponentChildren;
}

export function Finder<Option extends Found>(props: FinderProps<Option>) {
  const { title, placeholder, text, onText, combobox, onKeyDown = combobox.handleKey, onClose } = props;
  return (
    <Modal label={title} class={styles.finder} onClose={onClose}>
      <div class={classes(styles.field, Boolean(props.before) && styles.wrapped)}>
        <Icon name="search" size={18} />
        {props.before}
        <input
          {...combobox.field}
          ref={props.field ?? null}
          type="text"
          aria-label={title}
          placeholder={placeholder}
          spellcheck={false}
          dir="auto"
          autofocus
          value={text}
          onInput={(event) => onText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        {props.after}
      </div>
      <div {...combobox.list} class={styles.list} aria-label={title}>
        {combobox.options.map((option, index) => (
          // Rows are reused: creating new ones takes longer than a keystroke may.
          <div key={index} {...combobox.option(index)} class={styles.option}>
            {option.avatar === undefined ? (
              <Icon name={option.icon ?? "search"} class={styles.icon} />
            ) : (
              <Avatar name={option.name ?? option.label} src={option.avatar} size={20} />
            )}
            <span class={styles.label} dir="auto">
              {option.label}
            </span>
            {option.detail && <span class={styles.detail}>{option.detail}</span>}
            {option.keys !== undefined && <Keys keys={option.keys} class={styles.keys} />}
          </div>
        ))}
      </div>
    </Modal>
  );
}
