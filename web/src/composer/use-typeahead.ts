/** The typeahead of a field: what is offered at the caret, which of it is active, and what keys do to it. */
import { useRef, useState } from "preact/hooks";
import { announce } from "../ui/live-region.tsx";
import { t } from "../text/t.ts";
import { applyEdit } from "./edit.ts";
import { suggestCommands, suggestLanguages } from "./known-words.ts";
import type { Suggestion, TypeaheadSources } from "./sources.ts";
import { findTrigger, type Trigger } from "./typeahead.ts";

interface Offer {
  trigger: Trigger;
  options: readonly Suggestion[];
  active: number;
}

export interface Typeahead {
  offer: Offer | undefined;
  /** After each change of text or caret. */
  look: () => void;
  close: () => void;
  activate: (index: number) => void;
  choose: (option: Suggestion) => void;
  /** True when the key was meant for the list. */
  handleKey: (event: KeyboardEvent) => boolean;
}

function ask(sources: TypeaheadSources, trigger: Trigger): readonly Suggestion[] | Promise<readonly Suggestion[]> {
  if (trigger.kind === "language") return suggestLanguages(trigger.query);
  if (trigger.kind === "command") return suggestCommands(trigger.query);
  return sources[trigger.kind](trigger);
}

export function useTypeahead(field: { current: HTMLTextAreaElement | null }, sources: TypeaheadSources): Typeahead {
  const [offer, setOffer] = useState<Offer>();
  /** Where a list was closed on purpose: it stays closed until another word begins. */
  const dismissed = useRef<string>(undefined);
  const asked = useRef(0);

  const show = (trigger: Trigger, options: readonly Suggestion[]): void => {
    if (options.length > 0 && options.length !== offer?.options.length) {
      announce(t("composer.suggestionsOpen", { count: options.length }));
    }
    setOffer(options.length === 0 ? undefined : { trigger, options, active: 0 });
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
    const answer = ask(sources, trigger);
    if (!("then" in answer)) show(trigger, answer);
    else void answer.then((options) => turn === asked.current && show(trigger, options));
  };

  const insert = (text: string, caret = text.length): void => {
    const element = field.current;
    if (element === null || offer === undefined) return;
    const { start } = offer.trigger;
    const to = element.selectionStart;
    // A space that is there already is not doubled.
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

  const handleKey = (event: KeyboardEvent): boolean => {
    if (offer === undefined || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return false;
    const { options, active, trigger } = offer;
    const option = options[active];
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const step = event.key === "ArrowDown" ? 1 : options.length - 1;
      setOffer({ ...offer, active: (active + step) % options.length });
    } else if ((event.key === "Enter" || event.key === "Tab") && !event.shiftKey && option)
      insert(option.insert, option.caret);
    else if (event.key === "Escape") close();
    else if (
      event.key === ">" &&
      trigger.kind === "channel" &&
      option?.insertForTopics !== undefined &&
      trigger.query !== ""
    ) {
      insert(option.insertForTopics);
    } else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  };

  return {
    offer,
    look,
    close,
    handleKey,
    activate: (active) => setOffer((old) => old && { ...old, active }),
    choose: (option) => insert(option.insert, option.caret),
  };
}
