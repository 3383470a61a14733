/** Looking for messages: words, and filters that become chips as one types. */
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { addressOf, go, place } from "../app/router.ts";
import type { Narrow, Term } from "../store/narrow.ts";
import { t } from "../text/t.ts";
import { Avatar } from "../ui/avatar.tsx";
import { classes } from "../ui/classes.ts";
import { Icon } from "../ui/icon.tsx";
import { IconButton } from "../ui/button.tsx";
import { announce } from "../ui/live-region.tsx";
import palette from "../palette/palette.module.css";
import { describeTerm, readFilter } from "./filters.ts";
import styles from "./search.module.css";
import { suggest, wordsOption, type Option } from "./suggest.ts";

const isWords = ({ operator, negated }: Term): boolean => operator === "search" && !negated;

/** What is being searched already goes on being searched; a conversation is a place to search in. */
function begun(): { terms: Term[]; words: string } {
  const at = place.peek();
  if (at.kind === "messages") {
    const words = at.narrow.filter(isWords).map(({ operand }) => String(operand));
    return { terms: at.narrow.filter((term) => !isWords(term)), words: words.join(" ") };
  }
  if (at.kind === "channel") return { terms: [{ operator: "channel", operand: at.channelId }], words: "" };
  return { terms: [], words: "" };
}

export default function SearchDialog({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const [terms, setTerms] = useState<readonly Term[]>(() => begun().terms);
  const [text, setText] = useState(() => begun().words);
  const [active, setActive] = useState(0);
  const id = useId();

  useLayoutEffect(() => {
    const element = dialog.current;
    const before = document.activeElement;
    element?.showModal();
    input.current?.select();
    return () => {
      element?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, []);

  const words = text.trim();
  const hasFilter = readFilter(text) !== undefined;
  const found = suggest(text, terms);
  const options = words === "" || hasFilter ? found : [wordsOption(words), ...found];

  const search = (narrow: Narrow): void => {
    if (narrow.length === 0) return;
    onClose();
    queueMicrotask(() => go(addressOf({ kind: "messages", narrow })));
  };
  const write = (next: string): void => {
    setText(next);
    setActive(0);
    input.current?.focus();
  };
  const choose = (option: Option): void => {
    if ("text" in option) write(option.text);
    else if (isWords(option.term)) search([...terms, option.term]);
    else {
      setTerms([...terms, option.term]);
      announce(t("search.added", { filter: option.label }));
      write("");
    }
  };
  const remove = (index: number): void => {
    setTerms(terms.filter((_, at) => at !== index));
    input.current?.focus();
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    const option = options[active];
    if (event.key === "ArrowDown" && options.length > 0) setActive((active + 1) % options.length);
    else if (event.key === "ArrowUp" && options.length > 0) setActive((active - 1 + options.length) % options.length);
    else if (event.key === "Tab" && !event.shiftKey && option && words !== "") choose(option);
    else if (event.key === "Enter" && !event.isComposing) {
      if (words === "" && terms.length > 0 && active === 0) search(terms);
      else if (option) choose(option);
    } else if (event.key === "Backspace" && text === "" && terms.length > 0) remove(terms.length - 1);
    else return;
    event.preventDefault();
  };

  return (
    <dialog
      ref={dialog}
      class={palette["palette"]}
      aria-label={t("search.title")}
      closedby="any"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <div class={classes(palette["field"], styles["field"])}>
        <Icon name="search" size={18} />
        {terms.length > 0 && (
          <ul class={styles["chips"]} aria-label={t("search.filters")}>
            {terms.map((term, index) => (
              <li key={describeTerm(term)} class={styles["chip"]}>
                {describeTerm(term)}
                <button
                  type="button"
                  class={styles["remove"]}
                  aria-label={t("chips.remove", { name: describeTerm(term) })}
                  onClick={() => remove(index)}
                >
                  <Icon name="x" size={12} />
                </button>
              </li>
            ))}
          </ul>
        )}
        <input
          ref={input}
          type="text"
          role="combobox"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={options.length > 0 ? `${id}-${active}` : undefined}
          aria-label={t("search.title")}
          placeholder={t("search.placeholder")}
          autocomplete="off"
          spellcheck={false}
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setActive(0);
          }}
          onKeyDown={onKeyDown}
        />
        {terms.length > 0 && words === "" && (
          <IconButton icon="arrow-right" label={t("search.start")} keys="Enter" onClick={() => search(terms)} />
        )}
      </div>
      <div id={`${id}-list`} class={palette["list"]} role="listbox" aria-label={t("search.title")}>
        {options.map((option, index) => (
          <div
            key={option.key}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === active}
            class={classes(palette["entry"], index === active && palette["active"])}
            onPointerMove={() => setActive(index)}
            onClick={() => choose(option)}
          >
            {option.avatar ? (
              <Avatar name={option.label.split(": ").at(-1) ?? ""} src={option.avatar} size={20} />
            ) : (
              <Icon name={option.icon ?? "search"} class={palette["icon"]} />
            )}
            <span class={palette["label"]}>{option.label}</span>
            {option.detail && <span class={palette["detail"]}>{option.detail}</span>}
          </div>
        ))}
      </div>
    </dialog>
  );
}
