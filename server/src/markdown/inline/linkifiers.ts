/** The organization's own patterns. All matches of one become links before the next one is applied. */
import type { CompiledLinkifier } from "../linkifier.ts";
import { finalElement } from "../tree.ts";
import { toHref } from "../url-policy.ts";
import { type InlineRendering, Replacer } from "./pattern.ts";

function linkify(text: string, linkifier: CompiledLinkifier, { pieces, context }: InlineRendering): string {
  const replacer = new Replacer(text);
  for (const { index, end, groups } of linkifier.matchAll(text, context.linkifierBudget)) {
    const written = Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, pieces.sourceOf(value)]));
    const url = linkifier.expand(written);
    const href = url === undefined ? undefined : toHref(url, context.realmUrl);
    if (href === undefined) continue;
    const source = text.slice(index, end);
    replacer.replace(index, end, pieces.add(finalElement("a", pieces.sourceOf(source), { href }), source));
  }
  return replacer.result;
}

export const linkifiers = (text: string, rendering: InlineRendering): string =>
  (rendering.context.linkifiers ?? []).reduce((current, each) => linkify(current, each, rendering), text);
