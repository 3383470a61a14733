/** Bare URLs become links. The text is the URL as typed. */
import { finalElement } from "../tree.ts";
import { toHref } from "../url-policy.ts";
import { bareUrlsIn } from "./bare-url.ts";
import { type InlinePass, Replacing } from "./pattern.ts";

export const bareUrls: InlinePass = (text, { pieces, context }) => {
  const replacing = new Replacing(text);
  for (const { start, end } of bareUrlsIn(text, context.enableFileLinks)) {
    const source = text.slice(start, end);
    const typed = pieces.sourceOf(source);
    const href = toHref(typed, context.realmUrl);
    replacing.replace(start, end, pieces.add(href === undefined ? typed : finalElement("a", typed, { href }), source));
  }
  return replacing.result;
};
