/** `![label](url)` and `![label](url "title")`: files that are shown or played where they are named. */
import type { Element } from "../tree.ts";
import { toHref } from "../url-policy.ts";
import { Destinations } from "./link-destination.ts";
import { type InlinePass, type InlineRendering, Replacer } from "./pattern.ts";

const opening = "![";

export interface EmbeddedFile {
  href: string;
  /** As it was typed. */
  label: string;
  title: string | undefined;
}

/** Replaces the files for which there is an element. For all others the text stays as it was typed. */
export const embeddedFiles =
  (toElement: (file: EmbeddedFile, rendering: InlineRendering) => Element | undefined): InlinePass =>
  (text, rendering) => {
    const { pieces, context } = rendering;
    const replacer = new Replacer(text);
    const destinations = new Destinations();
    for (let start = text.indexOf(opening); start !== -1;) {
      const close = text.indexOf("](", start);
      if (close === -1) break;
      const found = destinations.findAt(text, close + 1);
      const href = found && toHref(pieces.shownTextOf(found.url), context.realmUrl);
      const from = start;
      start = text.indexOf(opening, start + opening.length);
      // Brackets do not nest here: an inner one would begin another file.
      if (found === undefined || href === undefined || (start !== -1 && start < close)) continue;
      const label = pieces.sourceOf(text.slice(from + opening.length, close));
      const element = toElement({ href, label, title: found.title }, rendering);
      if (element === undefined) continue;
      replacer.replace(from, found.end, pieces.add(element, text.slice(from, found.end)));
      start = text.indexOf(opening, found.end);
    }
    return replacer.result;
  };
