/** `[text](url "title")`. Markup in the text stays literal, except for what earlier patterns have matched in it. */
import { isBlank } from "../characters.ts";
import { finalElement } from "../tree.ts";
import { toHref } from "../url-policy.ts";
import { Destinations } from "./link-destination.ts";
import { type InlinePass, type InlineRendering, Replacer } from "./pattern.ts";

/** After this many links, brackets that were not links are not tried again. */
const maxRetries = 25;

/** Maps each opening bracket to the position of its closing one. */
function matchBrackets(text: string): Map<number, number> {
  const closings = new Map<number, number>();
  const open: number[] = [];
  for (let index = text.indexOf("["); index !== -1 && index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === 0x5b) open.push(index);
    else if (code === 0x5d) {
      const opening = open.pop();
      if (opening !== undefined) closings.set(opening, index);
    }
  }
  return closings;
}

interface LinkMatch {
  start: number;
  end: number;
  mark: string;
}

/** A text to be searched for links, with its matched brackets. */
interface LinkSearch {
  text: string;
  closings: ReadonlyMap<number, number>;
  /** No link ends after the last parenthesis. */
  lastEnd: number;
  destinations: Destinations;
}

const startSearch = (text: string, destinations: Destinations): LinkSearch => ({
  text,
  closings: matchBrackets(text),
  lastEnd: text.lastIndexOf(")"),
  destinations,
});

function linkAt(search: LinkSearch, start: number, close: number, rendering: InlineRendering): LinkMatch | undefined {
  const { text } = search;
  const destination = search.destinations.findAt(text, close + 1);
  if (destination === undefined) return undefined;
  const { pieces, context } = rendering;
  const href = toHref(pieces.shownTextOf(destination.url), context.realmUrl);
  if (href === undefined) return undefined;
  const { title, end } = destination;
  const content = text.slice(start + 1, close);
  const link = finalElement("a", isBlank(content) ? href : content, {
    href,
    ...(title !== undefined && { title: pieces.shownTextOf(title) }),
  });
  return { start, end, mark: pieces.add(link, text.slice(start, end)) };
}

/** The first link at or after `from`, and whether a bracket before it was not a link. */
function findLink(
  search: LinkSearch,
  from: number,
  rendering: InlineRendering,
): { link: LinkMatch | undefined; passedOver: boolean } {
  const { text, closings, lastEnd } = search;
  let passedOver = false;
  for (let start = text.indexOf("[", from); start !== -1; start = text.indexOf("[", start + 1)) {
    const close = closings.get(start);
    const link =
      close === undefined || close > lastEnd || text[close + 1] !== "(" || text[start - 1] === "!"
        ? undefined
        : linkAt(search, start, close, rendering);
    if (link !== undefined) return { link, passedOver };
    passedOver = true;
  }
  return { link: undefined, passedOver };
}

export const links: InlinePass = (text, rendering) => {
  let search = startSearch(text, new Destinations());
  let replacer = new Replacer(text);
  let from = 0;
  let retries = 0;
  for (;;) {
    const { link, passedOver } = findLink(search, from, rendering);
    if (link === undefined) return replacer.result;
    replacer.replace(link.start, link.end, link.mark);
    from = link.end;
    if (passedOver && retries++ < maxRetries) {
      // With this link replaced by a mark, a bracket before it may now match.
      search = startSearch(replacer.result, search.destinations);
      replacer = new Replacer(search.text);
      from = 0;
    }
  }
};
