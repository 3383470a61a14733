/** `[text](url "title")`. Markup in the text stays literal, except what earlier patterns have found in it. */
import { isBlank } from "../characters.ts";
import { finalElement } from "../tree.ts";
import { toHref } from "../url-policy.ts";
import { Destinations } from "./link-destination.ts";
import { type InlinePass, type InlineRendering, Replacing } from "./pattern.ts";

/** After so many links, brackets that did not lead to one are not tried again. */
const mostRetries = 25;

/** For each opening bracket, where the one that closes it stands. */
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

interface FoundLink {
  start: number;
  end: number;
  mark: string;
}

/** A text in which links are looked for, with what is known of its brackets. */
interface Searched {
  text: string;
  closings: ReadonlyMap<number, number>;
  /** No link ends behind the last parenthesis. */
  lastEnd: number;
  destinations: Destinations;
}

const toSearched = (text: string, destinations: Destinations): Searched => ({
  text,
  closings: matchBrackets(text),
  lastEnd: text.lastIndexOf(")"),
  destinations,
});

function linkAt(searched: Searched, start: number, close: number, rendering: InlineRendering): FoundLink | undefined {
  const { text } = searched;
  const destination = searched.destinations.findAt(text, close + 1);
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

/** The first link at or behind `from`; also whether a bracket before it led nowhere. */
function findLink(
  searched: Searched,
  from: number,
  rendering: InlineRendering,
): { link: FoundLink | undefined; passedOver: boolean } {
  const { text, closings, lastEnd } = searched;
  let passedOver = false;
  for (let start = text.indexOf("[", from); start !== -1; start = text.indexOf("[", start + 1)) {
    const close = closings.get(start);
    const link =
      close === undefined || close > lastEnd || text[close + 1] !== "(" || text[start - 1] === "!"
        ? undefined
        : linkAt(searched, start, close, rendering);
    if (link !== undefined) return { link, passedOver };
    passedOver = true;
  }
  return { link: undefined, passedOver };
}

export const links: InlinePass = (text, rendering) => {
  let searched = toSearched(text, new Destinations());
  let replacing = new Replacing(text);
  let from = 0;
  let retries = 0;
  for (;;) {
    const { link, passedOver } = findLink(searched, from, rendering);
    if (link === undefined) return replacing.result;
    replacing.replace(link.start, link.end, link.mark);
    from = link.end;
    if (passedOver && retries++ < mostRetries) {
      // With the link out of the way, a bracket before it may find its own end.
      searched = toSearched(replacing.result, searched.destinations);
      replacing = new Replacing(searched.text);
      from = 0;
    }
  }
};
