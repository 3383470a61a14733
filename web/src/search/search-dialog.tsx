/** Message search: words, and filters that become chips as the user types. */
import "../text/chunks/fields.ts";
import "../text/chunks/search.ts";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { addressOf, go, place } from "../navigation/router.ts";
import { narrowOf } from "../store/conversations.ts";
import type { Narrow, Term } from "../store/narrow.ts";
import { ownId } from "../store/state.ts";
import { announce } from "../store/announcements.ts";
import { t } from "../text/t.ts";
import { IconButton } from "../ui/button.tsx";
import { useCombobox } from "../ui/combobox.ts";
import { Finder } from "../ui/finder.tsx";
import { Icon } from "../ui/icon.tsx";
import { describeTerm, readFilter } from "./filters.ts";
import styles from "./search.module.css";
import { everywhereOption, suggest, wordsOption, type Option } from "./suggest.ts";

const isWords = ({ operator, negated }: Term): boolean => operator === "search" && !negated;

/** Starts from the current search, or from the current conversation as a filter. */
function begun(): { terms: Term[]; words: string } {
  const at = place.peek();
  if (at.kind === "messages") {
    const words = at.narrow.filter(isWords).map(({ operand }) => String(operand));
    return { terms: at.narrow.filter((term) => !isWords(term)), words: words.join(" ") };
  }
  if (at.kind === "channel") return { terms: [{ operator: "channel", operand: at.channelId }], words: "" };
  if (at.kind === "conversation") return { terms: [...narrowOf(at.conversation, ownId.peek())], words: "" };
  return { terms: [], words: "" };
}

export default function SearchDialog({ onClose }: { onClose: () => void }) {
  const input = useRef<HTMLInputElement>(null);
  const [terms, setTerms] = useState<readonly Term[]>(() => begun().terms);
  const [text, setText] = useState(() => begun().words);
  useLayoutEffect(() => input.current?.select(), []);

  const words = text.trim();
  const hasFilter = readFilter(text) !== undefined;
  const found = suggest(text, terms);

  const search = (narrow: Narrow): void => {
    if (narrow.length === 0) return;
    onClose();
    queueMicrotask(() => go(addressOf({ kind: "messages", narrow })));
  };
  const write = (next: string): void => {
    setText(next);
    input.current?.focus();
  };
  const choose = (option: Option): void => {
    if ("text" in option) write(option.text);
    else if (isWords(option.term)) search(option.isEverywhere ? [option.term] : [...terms, option.term]);
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

  const combobox = useCombobox({
    options:
      words === "" || hasFilter
        ? found
        : [wordsOption(words), ...(terms.length > 0 ? [everywhereOption(words)] : []), ...found],
    query: text,
    choosesBy: words === "" ? ["Enter"] : ["Enter", "Tab"],
    onChoose: choose,
  });

  const onKeyDown = (event: KeyboardEvent): void => {
    const isReady = words === "" && terms.length > 0;
    if (event.key === "Enter" && !event.isComposing && isReady && combobox.active === 0) search(terms);
    else if (combobox.handleKey(event)) return;
    else if (event.key === "Backspace" && text === "" && terms.length > 0) remove(terms.length - 1);
    else return;
    event.preventDefault();
  };

  return (
    <Finder
      title={t("search.title")}
      placeholder={t("search.placeholder")}
      field={input}
      text={text}
      onText={setText}
      combobox={combobox}
      onKeyDown={onKeyDown}
      onClose={onClose}
      before={
        terms.length > 0 && (
          <ul class={styles.chips} aria-label={t("search.filters")}>
            {terms.map((term, index) => (
              <li key={describeTerm(term)} class={styles.chip}>
                {describeTerm(term)}
                <button
                  type="button"
                  class={styles.remove}
                  aria-label={t("chips.remove", { name: describeTerm(term) })}
                  onClick={() => remove(index)}
                >
                  <Icon name="x" size={12} />
                </button>
              </li>
            ))}
          </ul>
        )
      }
      after={
        terms.length > 0 &&
        words === "" && (
          <IconButton icon="arrow-right" label={t("search.start")} keys="Enter" onClick={() => search(terms)} />
        )
      }
    />
  );
}
