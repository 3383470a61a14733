/** The typeahead of a field: the suggestions at the caret, the active one, and key handling. */
import { useRef, useState } from "preact/hooks";
import { announce } from "../store/announcements.ts";
import { t } from "../text/t.ts";
import { type Combobox, isShortcutOrComposing, useCombobox } from "../ui/combobox.ts";
import { applyEdit } from "./edit.ts";
import { suggestCommands, suggestLanguages } from "./known-words.ts";
import type { Suggestion, TypeaheadSources } from "./sources.ts";
import { findTrigger, type Trigger } from "./typeahead.ts";

interface Offer {
  trigger: Trigger;
  options: readonly Suggestion[];
}

export interface Typeahead {
  /** The word that the open suggestions complete. */
  trigger: Trigger | undefined;
  combobox: Combobox<Suggestion>;
  /** After each change of text or caret. */
  look: () => void;
  close: () => void;
  /** Returns true if the list handled the key. */
  handleKey: (event: KeyboardEvent) => boolean;
}

const none: readonly Suggestion[] = [];

function ask(sources: TypeaheadSources, trigger: Trigger): readonly Suggestion[] | Promise<readonly Suggestion[]> {
  if (trigger.kind === "language") return suggestLanguages(trigger.query);
  if (trigger.kind === "command") return suggestCommands(trigger.query);
  return sources[trigger.kind](trigger);
}

export function useTypeahead(field: { current: HTMLTextAreaElement | null }, sources: TypeaheadSources): Typeahead {
  const [offer, setOffer] = useState<Offer>();
  /** Where the user dismissed the list: it stays closed until another word begins. */
  const dismissed = useRef<string>(undefined);
  const asked = useRef(0);

  const show = (trigger: Trigger, options: readonly Suggestion[]): void => {
    if (options.length > 0 && options.length !== offer?.options.length) {
      announce(t("composer.suggestionsOpen", { count: options.length }));
    }
    setOffer(options.length === 0 ? undefined : { trigger, options });
  };

  const look = (): void => {
    const element = field.current;
    const turn = ++asked.current;
    if (element === null || element.selectionStart !== element.selectionEnd) {
      setOffer(undefined);
      return;
    }
    const trigger = findTrigger(element.value, element.selectionStart);
    const place = trigger && `${trigger.kind} ${trigger.start}`;
    if (place !== dismissed.current) dismissed.current = undefined;
    if (trigger === undefined || dismissed.current !== undefined) {
      setOffer(undefined);
      return;
    }
    const found = ask(sources, trigger);
    if (!("then" in found)) show(trigger, found);
    else void found.then((options) => turn === asked.current && show(trigger, options));
  };

  const insert = (text: string, caret = text.length): void => {
    const element = field.current;
    if (element === null || offer === undefined) return;
    const { start } = offer.trigger;
    const to = element.selectionStart;
    // Do not double an existing space.
    const isSpaced = text.endsWith(" ") && element.value[to] === " ";
    const inserted = isSpaced ? text.slice(0, -1) : text;
    const place = start + caret;
    setOffer(undefined);
    applyEdit(element, { from: start, to, insert: inserted, select: [place, place] });
    look();
  };

  const close = (): void => {
    if (offer) dismissed.current = `${offer.trigger.kind} ${offer.trigger.start}`;
    setOffer(undefined);
  };

  const combobox = useCombobox({
    options: offer?.options ?? none,
    query: offer,
    choosesBy: ["Enter", "Tab"],
    onChoose: (option) => insert(option.insert, option.caret),
    onDismiss: close,
  });

  const handleKey = (event: KeyboardEvent): boolean => {
    // It inserts a line break even while suggestions are open.
    if (event.key === "Enter" && event.shiftKey) return false;
    if (combobox.handleKey(event)) return true;
    const topics = combobox.options[combobox.active]?.insertForTopics;
    if (event.key !== ">" || isShortcutOrComposing(event) || topics === undefined) return false;
    if (offer?.trigger.kind !== "channel" || offer.trigger.query === "") return false;
    insert(topics);
    event.preventDefault();
    event.stopPropagation();
    return true;
  };

  return { trigger: offer?.trigger, combobox, look, close, handleKey };
}
