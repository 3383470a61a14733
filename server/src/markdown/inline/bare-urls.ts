/** Turns bare URLs into links whose text is the URL as typed. */
import { finalElement } from "../tree.ts";
import { toHref } from "../url-policy.ts";
import { bareUrlsIn } from "./bare-url.ts";
import { type InlinePass, Replacer } from "./pattern.ts";

export const bareUrls: InlinePass = (text, { pieces, context }) => {
  const replacer = new Replacer(text);
  for (const { start, end } of bareUrlsIn(text, context.enableFileLinks)) {
    const source = text.slice(start, end);
    const typed = pieces.sourceOf(source);
    const href = toHref(typed, context.realmUrl);
    replacer.replace(start, end, pieces.add(href === undefined ? typed : finalElement("a", typed, { href }), source));
  }
  return replacer.result;
};
