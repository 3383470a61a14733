/** Go anywhere, do anything: one field over everything, and as its last line a search of all messages. */
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { t } from "../text/t.ts";
import { Avatar } from "../ui/avatar.tsx";
import { classes } from "../ui/classes.ts";
import { Icon } from "../ui/icon.tsx";
import { Keys } from "../ui/key-caps.tsx";
import { findEntries, searchEntry, type Entry } from "./entries.ts";
import styles from "./palette.module.css";

export default function Palette({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [query, setQuery] = useState("");
  const [active, setActive] = useState(0);
  const id = useId();
  const found = findEntries(query);
  const entries = query.trim() === "" ? found : [...found, searchEntry(query.trim())];

  useLayoutEffect(() => {
    const element = dialog.current;
    const before = document.activeElement;
    element?.showModal();
    return () => {
      element?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, []);
  useLayoutEffect(() => {
    document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: "nearest" });
  }, [active]);

  const choose = (entry: Entry | undefined): void => {
    if (!entry) return;
    onClose();
    // After the dialog has given focus back.
    queueMicrotask(entry.run);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "ArrowDown") setActive((active + 1) % entries.length);
    else if (event.key === "ArrowUp") setActive((active - 1 + entries.length) % entries.length);
    else if (event.key === "Enter" && !event.isComposing) choose(entries[active]);
    else return;
    event.preventDefault();
  };
  return (
    <dialog
      ref={dialog}
      class={styles["palette"]}
      aria-label={t("palette.title")}
      closedby="any"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <div class={styles["field"]}>
        <Icon name="search" size={18} />
        <input
          type="text"
          role="combobox"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={entries.length > 0 ? `${id}-${active}` : undefined}
          aria-label={t("palette.title")}
          placeholder={t("palette.placeholder")}
          autocomplete="off"
          spellcheck={false}
          value={query}
          onInput={(event) => {
            setQuery(event.currentTarget.value);
            setActive(0);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <div id={`${id}-list`} class={styles["list"]} role="listbox" aria-label={t("palette.title")}>
        {entries.map((entry, index) => (
          <div
            // A row is used again for what stands there next: to make it anew takes longer than a key stroke may.
            key={index}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === active}
            class={classes(styles["entry"], index === active && styles["active"])}
            onPointerMove={() => setActive(index)}
            onClick={() => choose(entry)}
          >
            {entry.avatar === undefined ? (
              <Icon name={entry.icon} class={styles["icon"]} />
            ) : (
              <Avatar name={entry.label} src={entry.avatar} size={20} />
            )}
            <span class={styles["label"]}>{entry.label}</span>
            {entry.detail && <span class={styles["detail"]}>{entry.detail}</span>}
            {entry.keys !== undefined && <Keys keys={entry.keys} class={styles["keys"]} />}
          </div>
        ))}
      </div>
    </dialog>
  );
}
